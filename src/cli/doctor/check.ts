/** One check; `fix` says how to repair a fault and is null when there is none. */
export interface Check {
  name:
    | 'node'
    | 'native_modules'
    | 'vector_search'
    | 'store_integrity'
    | 'contents'
    | 'model'
    | 'fred_key'
    | 'upstreams';
  ok: boolean;
  detail: string;
  fix: string | null;
}

/** The first line of an error's message. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0] ?? '';
}
