/**
 * What a check found: all is well; something is merely not there, which costs a feature and no more;
 * or something is broken. `fix` says how to mend it and is null when all is well.
 */
export interface Finding {
  name:
    | 'node'
    | 'native_modules'
    | 'vector_search'
    | 'store_integrity'
    | 'contents'
    | 'model'
    | 'fred_key'
    | 'upstreams';
  state: 'ok' | 'missing' | 'fault';
  detail: string;
  fix: string | null;
}

/** A finding as `--json` prints it. */
export interface Check extends Finding {
  ok: boolean;
}

/** The first line of an error's message. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0] ?? '';
}
