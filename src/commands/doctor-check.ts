/** One examined thing; `fix` says how to mend it and is null when it is well. */
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

/** What an error says, fit for one line. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0] ?? '';
}
