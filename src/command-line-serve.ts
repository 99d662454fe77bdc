import { type OptionValues, readCount } from './command-line-options.ts';
import { UsageError } from './config.ts';

export interface ServeCommand {
  name: 'serve';
  host: string;
  port: number;
  /** Calls a minute and key; undefined leaves it to the environment. */
  rate: number | undefined;
  allowedHosts: readonly string[];
}

/** A name or an address, without a port. */
const HOST = /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/;
const ADDRESS = /^[0-9A-Fa-f:.]{2,45}$/;

/** Reads the options of `serve`; throws a UsageError that names what is wrong. */
export function readServe(values: OptionValues): ServeCommand {
  const { host = '127.0.0.1', port = '8787', rate } = values;
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (!HOST.test(bare) && !ADDRESS.test(bare)) {
    throw new UsageError('--host takes an address or a name of this machine, without a port.');
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError('--port takes a number from 0 to 65535; 0 picks a free port.');
  }
  const allowedHosts = values['allow-host'] ?? [];
  const wrong = allowedHosts.find((name) => !HOST.test(name));
  if (wrong !== undefined) {
    throw new UsageError('--allow-host takes a name such as shelf.example, without a port.');
  }
  return {
    name: 'serve',
    host: bare,
    port: Number(port),
    rate: rate === undefined ? undefined : readCount('--rate', rate),
    allowedHosts,
  };
}
