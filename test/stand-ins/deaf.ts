import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import * as z from 'zod';

/** A local connection attempt that takes more milliseconds than this counts as dropped. */
const CONNECTED_WITHIN_MS = 400;
const MAX_BACKLOG = 20;

/** Listens on ports without accepting, and prints them. */
const PROGRAM = `
  const net = require('node:net');
  const servers = Array.from({ length: Number(process.argv[1]) }, () =>
    net.createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }));
  Promise.all(servers.map((server) => new Promise((done) => server.once('listening', done)))).then(
    () => console.log(JSON.stringify(servers.map((server) => server.address().port))));`;

/**
 * Local ports that drop packets like a firewall: their process is stopped and their backlogs are full, so
 * that connections are neither accepted nor refused.
 */
export interface Deaf {
  urls: string[];
  close(): Promise<void>;
}

export async function startDeaf(count: number): Promise<Deaf> {
  const child = spawn(process.execPath, ['-e', PROGRAM, `${count}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  const ports = z.array(z.number()).parse(JSON.parse(String(line)));
  child.kill('SIGSTOP');
  const fillers = (await Promise.all(ports.map(fillBacklog))).flat();
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    async close() {
      for (const filler of fillers) filler.destroy();
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Connects until the backlog is full. */
async function fillBacklog(port: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let made = 0; made < MAX_BACKLOG; made += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    const signal = AbortSignal.timeout(CONNECTED_WITHIN_MS);
    const connected = await once(socket, 'connect', { signal }).then(
      () => true,
      () => false,
    );
    if (!connected) return sockets;
  }
  throw new Error('this system answers connections beyond the backlog');
}
