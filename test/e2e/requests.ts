import type { Operation } from '../../src/core/operation.ts';

/** A call of the table as a request: its arguments in the path, the query or the body. */
export function requestOf(
  { path: template, method }: Pick<Operation, 'path' | 'method'>,
  input: Readonly<Record<string, unknown>>,
): { path: string; init: { method?: string; headers?: Record<string, string>; body?: string } } {
  const path = Object.entries(input).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    template,
  );
  if (method === 'POST') {
    const headers = { 'Content-Type': 'application/json' };
    return { path, init: { method, headers, body: JSON.stringify(input) } };
  }
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) {
    if (!template.includes(`{${name}}`)) query.set(name, String(value));
  }
  return { path: `${path}?${query}`, init: {} };
}
