import { expect, it } from 'vitest';
import { ServiceError } from '../../../../src/core/errors.ts';
import { createHostGuard, isLoopback } from '../../../../src/doors/http/request.ts';

const passes = (
  bound: string,
  allowed: string[],
  host: string,
  origin: string | null = null,
  more: Record<string, string> = {},
) => {
  try {
    const headers = new Headers({ ...(origin === null ? {} : { origin }), ...more });
    createHostGuard(bound, allowed)(headers, host);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'forbidden') return false;
    throw error;
  }
};

it('a server on 127.0.0.1 accepts only localhost, 127.0.0.1 and [::1] as Host', () => {
  const own = ['localhost', 'LOCALHOST:8787', '127.0.0.1', '127.0.0.1:80', '[::1]', '[::1]:8787'];
  const foreign = [
    ...['', 'evil.example', 'evil.example:8787', 'localhost.evil.example', 'localhost.'],
    ...['127.0.0.1.evil.example', '127.0.0.2', '0.0.0.0', '192.168.0.7', '2130706433', '0x7f.1'],
    ...['::1', '[::1', '[::2]', 'localhost:', 'localhost:x', 'a@localhost', 'localhost/x'],
    ...['localhost,evil.example', ' localhost', 'localhost\u0000', '[::ffff:127.0.0.1]'],
  ];
  expect([...own, ...foreign].filter((host) => passes('127.0.0.1', [], host))).toEqual(own);
});

it('a server on loopback accepts only an Origin with the name and port of the Host header', () => {
  const own = ['http://localhost:8787', 'HTTP://LOCALHOST:8787', 'https://localhost:8787'];
  const foreign = [
    ...['http://localhost:3000', 'http://localhost', 'http://127.0.0.1:8787', 'https://[::1]'],
    ...['', 'null', 'file://', 'chrome-extension://abcdef', 'http://evil.example@localhost'],
    ...['http://localhost, http://evil.example', 'https://localhost.evil.example'],
  ];
  const accepted = (origin: string) => passes('127.0.0.1', [], 'localhost:8787', origin);
  expect([...own, ...foreign].filter(accepted)).toEqual(own);
});

it("a server on loopback refuses requests that a tunnel forwards under this machine's name, unless a name is allowed", () => {
  const names = [
    'X-Forwarded-For X-Forwarded-Host X-Forwarded Forwarded X-Real-IP Via CF-Connecting-IP Cf-Ray',
    'CDN-Loop Tailscale-Funnel-Request X-Amzn-Trace-Id X-Original-Host X-ARR-LOG-ID Fastly-Client-IP',
  ];
  for (const header of names.join(' ').split(' ')) {
    const more = { [header]: '203.0.113.9' };
    expect(passes('127.0.0.1', [], '127.0.0.1:8787', null, more), header).toBe(false);
    expect(passes('127.0.0.1', ['a.example'], 'a.example', null, more), header).toBe(true);
    expect(passes('0.0.0.0', [], '192.168.0.7', null, more), header).toBe(true);
  }
});

it('a server accepts its own address and allowed names as Host and, beyond loopback, any IP address', () => {
  expect(passes('127.0.0.9', [], '127.0.0.9:8787')).toBe(true);
  const hosts = ['192.168.0.7:8787', '[fe80::1]:8787', 'localhost:8787', 'SHELF.example:443'];
  for (const host of hosts) expect(passes('0.0.0.0', ['Shelf.example'], host), host).toBe(true);
  for (const host of ['evil.example', 'a.shelf.example', 'shelf.example.evil']) {
    expect(passes('0.0.0.0', ['Shelf.example'], host), host).toBe(false);
  }
});

it('a server beyond loopback accepts only an Origin with the address and port of the Host header', () => {
  expect(passes('0.0.0.0', [], '192.168.0.7:8787', 'http://192.168.0.7:8787')).toBe(true);
  expect(passes('0.0.0.0', [], '192.168.0.7:8787', 'http://192.168.0.7:3000')).toBe(false);
  expect(passes('0.0.0.0', [], '192.168.0.7:8787', 'http://192.168.0.8')).toBe(false);
  expect(passes('0.0.0.0', [], '192.168.0.7:8787', 'http://203.0.113.9:8787')).toBe(false);
});

it('a server accepts an Origin with an allowed name, or without the default port that a proxy adds to Host', () => {
  expect(passes('::', ['shelf.example'], 'shelf.example', 'https://shelf.example')).toBe(true);
  // Behind a proxy that adds the default port.
  expect(passes('::', [], '192.168.0.7:443', 'https://192.168.0.7')).toBe(true);
  expect(passes('::', [], '[fe80::7]:80', 'http://[fe80::7]')).toBe(true);
  expect(passes('::', [], '192.168.0.7:443', 'http://192.168.0.7')).toBe(false);
  // Behind a proxy that uses another name.
  expect(passes('::1', ['Shelf.example'], '[::1]:87', 'https://SHELF.example:444')).toBe(true);
  expect(passes('::', ['shelf.example'], 'shelf.example', 'https://evil.example')).toBe(false);
});

it('loopback addresses are distinguished from reachable ones', () => {
  const local = ['127.0.0.1', '127.8.9.10', '::1', 'localhost'];
  const open = [
    ...['0.0.0.0', '::', '192.168.0.7', '127.evil.example', 'desk-7', '', '0', '127.1'],
    ...['::ffff:127.0.0.1', '[::1]', 'localhost.', '2130706433'],
  ];
  expect([...local, ...open].filter(isLoopback)).toEqual(local);
});
