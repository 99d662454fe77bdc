import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../src/core/errors.ts';
import { createHostGuard, isLoopback } from '../../../../src/doors/http/request.ts';

const passes = (bound: string, allowed: string[], host: string, origin: string | null = null) => {
  try {
    createHostGuard(bound, allowed)(host, origin);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'forbidden') return false;
    throw error;
  }
};

describe('on loopback', () => {
  it.each(['localhost', 'LOCALHOST:8787', '127.0.0.1', '127.0.0.1:80', '[::1]', '[::1]:8787'])(
    'takes Host %s',
    (host) => {
      expect(passes('127.0.0.1', [], host)).toBe(true);
    },
  );

  it.each([
    ...['', 'evil.example', 'evil.example:8787', 'localhost.evil.example', 'localhost.'],
    ...['127.0.0.1.evil.example', '127.0.0.2', '0.0.0.0', '192.168.0.7', '2130706433', '0x7f.1'],
    ...['::1', '[::1', '[::2]', 'localhost:', 'localhost:x', 'a@localhost', 'localhost/x'],
    ...['localhost,evil.example', ' localhost', 'localhost\u0000', '[::ffff:127.0.0.1]'],
  ])('refuses Host "%s"', (host) => {
    expect(passes('127.0.0.1', [], host)).toBe(false);
  });

  it.each([
    ['http://localhost:8787', true],
    ['HTTP://LOCALHOST:8787', true],
    ['https://localhost:8787', true],
    ['http://localhost:3000', false],
    ['http://localhost', false],
    ['http://127.0.0.1:8787', false],
    ['https://[::1]', false],
    ['null', false],
    ['http://evil.example', false],
    ['https://localhost.evil.example', false],
    ['http://evil.example@localhost', false],
    ['chrome-extension://abcdef', false],
    ['file://', false],
    ['', false],
    ['http://localhost, http://evil.example', false],
  ])('Origin "%s": %s', (origin, expected) => {
    expect(passes('127.0.0.1', [], 'localhost:8787', origin)).toBe(expected);
  });

  it('takes the address it is bound to', () => {
    expect(passes('127.0.0.9', [], '127.0.0.9:8787')).toBe(true);
  });
});

describe('beyond loopback', () => {
  it.each([
    ['192.168.0.7:8787', true],
    ['10.0.0.1', true],
    ['[fe80::1]:8787', true],
    ['localhost:8787', true],
    ['shelf.example', true],
    ['SHELF.example:443', true],
    ['evil.example', false],
    ['a.shelf.example', false],
    ['shelf.example.evil', false],
  ])('Host %s: %s', (host, expected) => {
    expect(passes('0.0.0.0', ['Shelf.example'], host)).toBe(expected);
  });

  it('takes a page from the very address that was called, and from no other', () => {
    expect(passes('0.0.0.0', [], '192.168.0.7:8787', 'http://192.168.0.7:8787')).toBe(true);
    expect(passes('0.0.0.0', [], '192.168.0.7:8787', 'http://192.168.0.7:3000')).toBe(false);
    expect(passes('0.0.0.0', [], '192.168.0.7:8787', 'http://192.168.0.8')).toBe(false);
    expect(passes('0.0.0.0', [], '192.168.0.7:8787', 'http://203.0.113.9:8787')).toBe(false);
  });

  it('takes pages on an allowed name', () => {
    expect(passes('::', ['shelf.example'], 'shelf.example', 'https://shelf.example')).toBe(true);
    // Behind a proxy that adds the usual port.
    expect(passes('::', [], '192.168.0.7:443', 'https://192.168.0.7')).toBe(true);
    expect(passes('::', [], '[fe80::7]:80', 'http://[fe80::7]')).toBe(true);
    expect(passes('::', [], '192.168.0.7:443', 'http://192.168.0.7')).toBe(false);
    // Behind a proxy that calls by another name.
    expect(passes('::1', ['Shelf.example'], '[::1]:87', 'https://SHELF.example:444')).toBe(true);
    expect(passes('::', ['shelf.example'], 'shelf.example', 'https://evil.example')).toBe(false);
  });
});

it.each([
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.0.7', false],
  ['127.evil.example', false],
  ['desk-7', false],
])('%s is loopback: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
