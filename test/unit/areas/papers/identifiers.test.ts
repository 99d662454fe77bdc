import { describe, expect, it } from 'vitest';
import { cardIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { readIdentifiers, readPaperId } from '../../../../src/areas/papers/find.ts';

describe('arXiv ids in a question', () => {
  it.each([
    ['2510.23150', '2510.23150'],
    ['ARXIV 2510.23150v3', '2510.23150'],
    ['arXiv id: 2510.23150.', '2510.23150'],
    ['https://arxiv.org/pdf/2510.23150v1.pdf', '2510.23150'],
    ['http://export.arxiv.org/abs/1404.4944', '1404.4944'],
    ['https://doi.org/10.48550/arXiv.2510.23150', '2510.23150'],
    ['arXiv:cond-mat/9905305v1', 'cond-mat/9905305'],
    ['math.PR/0309136', 'math/0309136'],
    ['https://arxiv.org/abs/q-fin/0601001v2', 'q-fin/0601001'],
  ])('%s', (text, id) => {
    expect(readIdentifiers(text)).toEqual({ names: [`arxiv:${id}`], rest: '' });
  });

  it.each([
    'a price of $1204.5678',
    'the index closed at 2013.45678',
    'month 13 is none: 2413.00001',
    'four digits ended in 2014: 2401.1234',
    '1404.4944.1',
    'and/0601001',
  ])('are not found in "%s"', (text) => {
    expect(readIdentifiers(text)).toEqual({ names: [], rest: text });
  });

  it('leave what else the question asks', () => {
    const { names, rest } = readIdentifiers('Does 2510.23150 beat arXiv:1404.4944 on costs?');
    expect(names).toEqual(['arxiv:2510.23150', 'arxiv:1404.4944']);
    expect(rest.split(/\s+/)).toEqual(['Does', 'beat', 'on', 'costs?']);
    expect(readIdentifiers('please show me the paper arXiv:2510.23150').rest).toBe('');
  });
});

// In time that grows with the square of the length, each of these would take minutes.
it.each([
  ['arxiv', ' ', 'x'],
  ['arxiv id', ' ', 'x'],
  ['doi:10.1080/1', '.', 'x'],
])('ends on %s with a long run of "%s"', (start, filling, end) => {
  expect(
    readIdentifiers(`${start}${filling.repeat(500_000)}${end}`).names.filter(
      (name) => !name.startsWith('doi:'),
    ),
  ).toEqual([]);
});

it('finds an id after white space', () => {
  for (const space of [' ', '\n  ', ' '.repeat(20)]) {
    expect(readIdentifiers(`arXiv:${space}2510.23150`).names).toEqual(['arxiv:2510.23150']);
  }
});

it('finds DOIs without the punctuation around them, and card ids', () => {
  expect(readIdentifiers('see doi:10.1080/14697688.2020.1736612.').names).toEqual([
    'doi:10.1080/14697688.2020.1736612',
  ]);
  expect(readIdentifiers('(https://doi.org/10.1016/S0304-405X(98)00026-9)').names).toEqual([
    'doi:10.1016/s0304-405x(98)00026-9',
  ]);
  const id = '6f0c9d0e-3f3b-5d0a-9b54-6a2d7c1e8f41';
  expect(readIdentifiers(id.toUpperCase())).toEqual({ names: [id], rest: '' });
});

describe('a whole text as the id of a paper', () => {
  it.each([
    ['arXiv:2510.23150', '2510.23150', null],
    [' https://arxiv.org/abs/2510.23150v12 ', '2510.23150', 12],
    ['https://arxiv.org/pdf/2510.23150v2.pdf', '2510.23150', 2],
    ['math.PR/0309136', 'math/0309136', null],
    ['2510.2315', '2510.23150', null],
    ['1404.494', '1404.4940', null],
  ])('%s', (text, arxivId, version) => {
    expect(readPaperId(text)).toEqual({ cardId: cardIdOf(`arxiv:${arxivId}`), arxivId, version });
  });

  it.each([
    'see 2510.23150',
    '2413.00001',
    '../2510.23150',
    '6f0c9d0e-3f3b-5d0a-9b54-6a2d7c1e8f41',
  ])('%s is none of arXiv', (text) => {
    expect(readPaperId(text)).toEqual({ cardId: text, arxivId: null, version: null });
  });
});
