/** The result of one check; `fix` is null if none is needed or known. */
export interface Check {
  name:
    | 'node'
    | 'native_modules'
    | 'vector_search'
    | 'store_integrity'
    | 'model'
    | 'own_files'
    | 'upstreams';
  ok: boolean;
  /** `missing`: an optional part is absent or unreachable; nothing is broken. */
  state: 'ok' | 'missing' | 'fault';
  detail: string;
  fix: string | null;
}

export function passed(name: Check['name'], detail: string): Check {
  return { name, ok: true, state: 'ok', detail, fix: null };
}

export function failed(
  name: Check['name'],
  detail: string,
  fix: string | null,
  state: 'missing' | 'fault' = 'fault',
): Check {
  return { name, ok: false, state, detail, fix };
}
