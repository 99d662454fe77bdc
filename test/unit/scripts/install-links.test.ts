import { describe, expect, it } from 'vitest';
import { installLink } from '../../../scripts/install-links.ts';
import { entryOf, HOSTS } from '../../../src/cli/hosts.ts';

describe('the address that installs the server', () => {
  it('carries the entry in base64 for Cursor', () => {
    const address = new URL(installLink(HOSTS.cursor) ?? '');
    expect(address.origin + address.pathname).toBe('https://cursor.com/en/install-mcp');
    expect(address.searchParams.get('name')).toBe('quantshelf');
    const config = Buffer.from(address.searchParams.get('config') ?? '', 'base64').toString();
    expect(JSON.parse(config)).toEqual(entryOf(HOSTS.cursor, 'linux'));
  });

  it('carries the entry as JSON for VS Code', () => {
    const address = new URL(installLink(HOSTS.vscode) ?? '');
    expect(address.origin + address.pathname).toBe('https://vscode.dev/redirect/mcp/install');
    expect(address.searchParams.get('name')).toBe('quantshelf');
    const config = address.searchParams.get('config') ?? '';
    expect(JSON.parse(config)).toEqual(entryOf(HOSTS.vscode, 'linux'));
  });
});
