import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listCommands, readInvocation } from '../../src/cli/program.ts';
import { root } from '../e2e/support.ts';

/** How a page or a message starts the program, or installs it; a name and a version are no command. */
const LAUNCHER =
  /^(?:npx -y(?: -p [\w@.-]+)* |npm (?:i|install|rebuild|cache|exec)\b[^|]*? )?quantshelf(?:@latest)?(?= [^$]|$)/;
/** The usual ways; what else there is stands alone, without a command after it. */
const USUAL = ['quantshelf', 'npx -y quantshelf'];

export interface Printed {
  /** What installs or starts the program, as printed. */
  launchers: string[];
  /** What it then does, without arguments: `sync papers --full-text …`. */
  commands: string[];
  /** Those of `commands` that are printed with `npx -y` before them. */
  withNpx: string[];
}

/** All that a message of the program, a page or the skill tells people to type with QuantShelf. */
export function findPrinted(lines = readLines()): Printed {
  const found = lines.flatMap((line) => {
    const launcher = LAUNCHER.exec(line)?.[0];
    return launcher === undefined ? [] : [{ launcher, words: cut(line.slice(launcher.length)) }];
  });
  const usual = found.filter(({ launcher, words }) => USUAL.includes(launcher) && !isName(words));
  const sorted = (names: readonly string[]) => [...new Set(names)].sort();
  return {
    launchers: sorted(found.map(({ launcher }) => launcher).filter((one) => one !== 'quantshelf')),
    commands: sorted(usual.map(({ words }) => shapeOf(words))),
    withNpx: sorted(
      usual.filter(({ launcher }) => launcher !== 'quantshelf').map(({ words }) => shapeOf(words)),
    ),
  };
}

/** Whatever stands as code in a page, or in a message within the source. */
function readLines(): string[] {
  const under = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    );
  const files = [...['src', 'docs', 'integrations'].flatMap(under), 'README.md', 'SECURITY.md'];
  return files
    .filter((file) => /\.(ts|md)$/.test(file))
    .flatMap((file) => {
      // Inside a template string backticks are escaped.
      const text = readFileSync(join(root, file), 'utf8').replaceAll('\\`', '`');
      const inline = /`((?:KEY=\$\()?(?:npx|npm|quantshelf)\b[^`\n]*)`/g;
      const whole = file.endsWith('.ts') ? /'((?:npx|npm|quantshelf)\b[^'\n]*)'/g : /^(.*)$/gm;
      return [inline, whole].flatMap((pattern) => [...text.matchAll(pattern)]);
    })
    .map(([, line = '']) => line.replace(/^\$ /, '').replace(/^KEY=\$\((.*?)\)/, '$1'));
}

/** Words, by the rules of a shell as far as we use them; what a template puts in is one. */
function cut(rest: string): string[] {
  const words = rest.replace(/\s#.*/, '').matchAll(/'[^']*'|\$\{[^}]*\}|[^\s']+/g);
  return [...words].map(([word]) => word);
}

/** In prose a command may stand without its arguments. */
function isName(words: readonly string[]): boolean {
  const name = `${words.join(' ')} `;
  if (!listCommands().some((command) => `${command.join(' ')} `.startsWith(name))) return false;
  try {
    readInvocation(words, () => {});
    return false;
  } catch {
    return true;
  }
}

/** A command with its options: its variants differ in arguments only. */
function shapeOf(words: readonly string[]): string {
  const command = listCommands().find((one) => one.every((word, index) => word === words[index]));
  const length = (command?.length ?? 0) + (/^sync (?!-)/.test(words.join(' ')) ? 1 : 0);
  const rest = words.slice(length);
  const options = rest.filter((word) => word.startsWith('-')).sort();
  return [
    ...words.slice(0, length).map((word) => (word.startsWith('$') ? 'papers' : word)),
    ...options,
    ...(rest.length > options.length ? ['…'] : []),
  ].join(' ');
}
