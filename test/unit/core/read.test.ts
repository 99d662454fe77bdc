import { describe, expect, it } from 'vitest';
import { AREAS, type Area } from '../../../src/core/area.ts';
import type { Account } from '../../../src/core/context.ts';
import { notFound, ServiceError } from '../../../src/core/errors.ts';
import { readShelf } from '../../../src/core/read.ts';
import { Database } from '../../../src/store/sqlite.ts';
import { offline } from '../../context.ts';

const ASKED = { name: 'resource:probe', area: 'papers' } as const;

function reader(scopes?: readonly Area[]) {
  const lines: string[] = [];
  const charges: unknown[] = [];
  const account: Account = {
    name: 'ada',
    ...(scopes === undefined ? {} : { scopes }),
    balance: () => 0,
    charge: (entry) => {
      charges.push(entry);
      return 0;
    },
  };
  const context = {
    ...offline,
    db: new Database(':memory:'),
    now: () => new Date('2026-11-21T12:00:00Z'),
    embedQuery: async () => ({ unavailable: 'no model in this test' }),
  };
  return {
    lines,
    charges,
    reader: {
      open: async () => ({ context, account }),
      log: (line: string) => lines.push(line),
      requestId: 'request-1',
    },
  };
}

describe('a reading of what is held', () => {
  it('costs nothing, also on an empty account', async () => {
    const { reader: by, charges } = reader();
    expect(await readShelf(ASKED, () => 'text', by)).toEqual({ ok: true, value: 'text' });
    expect(charges).toEqual([]);
  });

  it('is given nothing that fetches or writes', async () => {
    const { reader: by } = reader();
    const held = await readShelf(ASKED, (shelf) => Object.keys(shelf).sort(), by);
    expect(held).toEqual({ ok: true, value: ['db', 'now', 'policy'] });
  });

  it('needs the scope of its area', async () => {
    let reads = 0;
    for (const area of AREAS) {
      const { reader: by } = reader([area]);
      const held = await readShelf(ASKED, () => (reads += 1), by);
      if (area === 'papers') expect(held.ok).toBe(true);
      else {
        expect(held).toMatchObject({
          envelope: {
            error: { code: 'forbidden', message: expect.stringMatching(/scope "papers".*"ada"/) },
          },
        });
      }
    }
    expect(reads).toBe(1);
  });

  it('refuses in the words of what it threw, and logs nothing of it', async () => {
    const { reader: by, lines } = reader();
    const held = await readShelf(
      ASKED,
      () => {
        throw notFound('There is none. Take another.');
      },
      by,
    );
    expect(held).toMatchObject({
      ok: false,
      envelope: {
        error: {
          code: 'not_found',
          message: 'There is none. Take another.',
          requestId: 'request-1',
        },
      },
    });
    expect(lines).toEqual([]);
  });

  it('tells of a bug in one fixed sentence, with its cause in the log', async () => {
    const { reader: by, lines } = reader();
    const held = await readShelf(
      ASKED,
      () => {
        throw new Error('a secret of the house');
      },
      by,
    );
    expect(JSON.stringify(held)).not.toContain('secret');
    expect(held).toMatchObject({ envelope: { error: { code: 'internal_error' } } });
    expect(lines.join()).toMatch(/^request-1 resource:probe: .*a secret of the house/);
  });

  it('says when the shelf cannot be opened', async () => {
    const { reader: by } = reader();
    const open = () => Promise.reject(new ServiceError('service_unavailable', 'Disk full.'));
    expect(await readShelf(ASKED, () => 1, { ...by, open })).toMatchObject({
      envelope: { error: { code: 'service_unavailable', message: 'Disk full.' } },
    });
  });
});
