import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { makeShelf } from './in-process.ts';
import {
  bin,
  type Env,
  environment,
  type Finished,
  makeHome,
  node,
  runProcess,
} from './support.ts';

/** Options that map a user who is not root to root in a new namespace, if the system allows it. */
const AS_ROOT = process.getuid?.() === 0 ? [] : ['--map-root-user'];
const PLACE = '/mnt';
const BLOCK = Buffer.alloc(1_048_576);

const mountArgs = (kib: number) => ['-t', 'tmpfs', '-o', `size=${kib}k`, 'quantshelf-test', PLACE];

/** Whether this system lets tests mount a file system; containers often refuse. */
export const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', ['--mount', ...AS_ROOT, 'mount', ...mountArgs(64)]).status === 0;

/**
 * A file system of a given size, in memory, in a mount namespace of its own. Other processes cannot see
 * it, and it disappears with the process that keeps it.
 */
export class SmallDisk {
  /** The home on the disk, as a program inside sees it. */
  readonly home = join(PLACE, 'home');
  /** A command that runs a program inside; `Wire` takes it as its launcher. */
  readonly launcher: readonly string[];
  readonly #keeper: ChildProcess;
  /** The disk as this process sees it. SQLite cannot follow this path. */
  readonly #outside: string;
  readonly #filler: string;

  static async mount(mib: number): Promise<SmallDisk> {
    const script = 'mount "$@" && echo mounted && exec cat';
    const args = ['--mount', ...AS_ROOT, 'sh', '-c', script, 'sh', ...mountArgs(mib * 1_024)];
    const keeper = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(keeper.stdout, 'data');
    return new SmallDisk(keeper);
  }

  private constructor(keeper: ChildProcess) {
    this.#keeper = keeper;
    const users = AS_ROOT.length === 0 ? [] : ['--user', '--preserve-credentials'];
    this.launcher = ['nsenter', '--target', String(keeper.pid), '--mount', ...users, '--'];
    this.#outside = `/proc/${keeper.pid}/root${PLACE}`;
    this.#filler = join(this.#outside, 'filler');
  }

  /** Runs one command of the built program on this disk. */
  quantshelf(args: readonly string[], extra: Env = {}): Promise<Finished> {
    const [command = '', ...rest] = [...this.launcher, node, bin, ...args];
    return runProcess(command, rest, { env: environment(this.home, extra) });
  }

  /** Puts the starter shelf on the disk. */
  async addShelf(): Promise<void> {
    cpSync(await makeShelf(), join(this.#outside, 'home'), { recursive: true });
  }

  /** Fills the disk except for `kib` KiB. */
  fill(kib = 0): void {
    const file = openSync(this.#filler, 'a');
    try {
      for (;;) writeSync(file, BLOCK);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    } finally {
      closeSync(file);
    }
    truncateSync(this.#filler, statSync(this.#filler).size - kib * 1_024);
  }

  /** Frees the space again. */
  free(): void {
    truncateSync(this.#filler, 0);
  }

  /** Makes the disk read-only. */
  freeze(): void {
    const [command = '', ...rest] = [...this.launcher, 'mount', '-o', 'remount,ro', PLACE];
    expect(spawnSync(command, rest).status).toBe(0);
  }

  /** Paths of all files below the home. */
  files(): string[] {
    const home = join(this.#outside, 'home');
    return existsSync(home) ? readdirSync(home, { recursive: true, encoding: 'utf8' }) : [];
  }

  /** A copy of the home on the normal disk, where the test can read the store. */
  copyHome(): string {
    const copy = makeHome();
    cpSync(join(this.#outside, 'home'), copy, { recursive: true });
    return copy;
  }

  async unmount(): Promise<void> {
    const ended = once(this.#keeper, 'close');
    this.#keeper.stdin?.end();
    await ended;
  }
}
