import { entryOf, HOSTS, type Host, SERVER_NAME } from '../src/cli/hosts.ts';

const LINKS = new Map<Host, (entry: string) => string>([
  [
    HOSTS.cursor,
    (entry) => {
      const config = Buffer.from(entry).toString('base64');
      return `https://cursor.com/en/install-mcp?${new URLSearchParams({ name: SERVER_NAME, config })}`;
    },
  ],
  [
    HOSTS.vscode,
    (entry) =>
      `https://vscode.dev/redirect/mcp/install?name=${SERVER_NAME}&config=${encodeURIComponent(entry)}`,
  ],
]);

/**
 * The URL that asks a host to list the server when opened in a browser, on any platform; undefined if the
 * host has none.
 */
export function installLink(host: Host): string | undefined {
  return LINKS.get(host)?.(JSON.stringify(entryOf(host, 'linux')));
}
