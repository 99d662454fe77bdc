/** One check; `fix` says how to mend what is not `ok`, and is null otherwise. */
export interface Check {
  name:
    | 'node'
    | 'native_modules'
    | 'vector_search'
    | 'starter_shelf'
    | 'store_integrity'
    | 'contents'
    | 'checksums'
    | 'model'
    | 'fred_key'
    | 'upstreams';
  ok: boolean;
  /** Where not `ok`: merely not there, which costs a feature and breaks nothing. */
  isMissing?: boolean;
  detail: string;
  fix: string | null;
}

/** How `--json` tells what is broken from what is merely not there. */
export type State = 'ok' | 'missing' | 'fault';

export function stateOf({ ok, isMissing = false }: Check): State {
  if (ok) return 'ok';
  return isMissing ? 'missing' : 'fault';
}

/** The first line of an error's message. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0] ?? '';
}
