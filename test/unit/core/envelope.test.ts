import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { failure, known, noticeOf, success } from '../../../src/core/envelope.ts';
import { outputSchema } from '../../../src/doors/published.ts';
import { operations } from '../../../src/operations.ts';
import { call, operation, purse } from './probe.ts';

const fields = z.object({ properties: z.looseObject({}), required: z.array(z.string()) });
const published = z.object({ meta: fields, error: fields.omit({ properties: true }) });

it('leaves out what is unknown, and nothing else', () => {
  expect(known({ a: null, b: 0, c: '', d: false })).toEqual({ b: 0, c: '', d: false });
});

describe('a notice', () => {
  it.each([
    [[], undefined],
    [['', ''], undefined],
    [['Held since 2025.', ''], 'Held since 2025.'],
    [['First.', '', 'Second.'], 'First. Second.'],
    [
      ['First.', 'Second one.', 'A third.', 'FRED said no.', 'arXiv, too.', 'QuantShelf.'],
      'First. Second one; a third; FRED said no; arXiv, too; QuantShelf.',
    ],
  ])('of %j is at most two sentences: %s', (parts, notice) => {
    expect(noticeOf(parts).notice).toBe(notice);
  });
});

describe('the envelope schema', () => {
  const answers = () => operation(() => ({ answer: 1 }));

  it('fits what `run` answers, and nothing that lacks a field', async () => {
    const { envelope } = await call(answers(), { query: 'x' }, purse(5).account);
    expect(success.strict().parse(envelope)).toEqual(envelope);
    const { requestId: _, ...meta } = { ...envelope.meta, requestId: '' };
    expect(success.safeParse({ ...envelope, meta }).success).toBe(false);
  });

  it('puts meta before the data, where hosts keep it', async () => {
    const { envelope } = await call(answers(), { query: 'x' }, purse(5).account);
    expect(Object.keys(envelope)).toEqual(['meta', 'data']);
  });

  it('fits what `run` refuses, and no success', async () => {
    const { envelope } = await call(answers(), { query: '' }, purse(5).account);
    expect(failure.strict().parse(envelope)).toEqual(envelope);
    expect(failure.safeParse({ ...envelope, meta: { creditsUsed: 1 } }).success).toBe(false);
  });

  it.each(operations)(
    'is published with $name, its ranking only where answers are ranked',
    (row) => {
      const { meta, error } = published.parse(outputSchema(row).properties);
      const always = ['creditsUsed', 'remainingCredits', 'requestId', 'asOf', 'notice'];
      const ranking = row.ranks === true ? ['verdict', 'understood', 'matches'] : [];
      expect(Object.keys(meta.properties)).toEqual([...always, ...ranking]);
      expect(meta.required).toEqual(['creditsUsed', 'remainingCredits']);
      expect(error.required).toEqual(['code', 'message', 'requestId']);
    },
  );
});
