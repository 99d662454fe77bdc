import { describe, expect, it } from 'vitest';
import {
  fitToSize,
  type Hit,
  viewOfReading,
  viewOfSearch,
} from '../../../../src/areas/papers/card.ts';

const CARD = {
  ...{ paperCardId: 'id', sourcePaperId: 'arxiv:2609.00001', title: 'Dealers', authors: ['Ada'] },
  ...{ abstract: 'What dealers do.', summary: 'Dealers.', tags: [], pdfUrl: 'https://arxiv.org/' },
  ...{ published: '2026-05-01', version: 2, sectionCount: 3, fullTextCharCount: 9 },
};
const entry = (section_key: string, char_count: number, section_order: number) => ({
  ...{ section_key, section_type: 'other', title: section_key, char_count, section_order },
});

function read(...lengths: readonly number[]) {
  const sections = lengths.map((length, index) => ({
    ...entry(`s0${index}-part`, length, index),
    content: 'x'.repeat(length),
  }));
  const data = { ...CARD, bibtex: '@misc{}', availableSections: sections, sections };
  return viewOfReading({ data, meta: { asOf: '' } }, 19_000);
}

it('a reading keeps whole sections, and names the others with their sizes', () => {
  const { data, told } = read(1_000, 40_000, 12_000, 9_000);
  expect(data).toMatchObject({
    sections: [{ section_key: 's00-part' }, { section_key: 's02-part' }],
  });
  expect(JSON.stringify(data).length).toBeLessThan(19_000);
  expect(told).toBe('not in this text, ask for them by key: s01-part (40,000), s03-part (9,000).');
});

it('one section is whole however long', () => {
  const { data, told } = read(40_000);
  expect(data).toMatchObject({ sections: [{ content: 'x'.repeat(40_000) }] });
  expect(told).toBeUndefined();
});

it('where nothing is related, the card is whole', () => {
  const card = { ...CARD, availableSections: [entry('abstract', 9, 0)] };
  const { data, told } = viewOfSearch({ data: [card], meta: { asOf: '', verdict: 'none' } });
  expect(data).toMatchObject([{ abstract: card.abstract, summary: card.summary }]);
  expect(told).toBeUndefined();
});

it('a search shows the length of an only section once, and of each section of several', () => {
  const show = (...availableSections: readonly ReturnType<typeof entry>[]) => {
    const card = { ...CARD, availableSections, primaryCategory: 'q-fin.TR' };
    return viewOfSearch({
      data: [{ ...card, availableSections: [...availableSections] }],
      meta: { asOf: '' },
    }).data;
  };
  expect(show(entry('abstract', 9, 0))).toEqual([
    { ...CARD, version: undefined, availableSections: [{ section_key: 'abstract' }] },
  ]);
  expect(show(entry('abstract', 9, 0), entry('s01-model', 7, 1))).toMatchObject([
    { availableSections: [{ section_key: 'abstract', char_count: 9 }, { char_count: 7 }] },
  ]);
});

describe('papers in one reply', () => {
  const hit = (id: string, sections: number): Hit => ({
    card: {
      ...CARD,
      paperCardId: id,
      abstract: 'x'.repeat(2_000),
      availableSections: Array.from({ length: sections }, (_, at) => ({
        ...entry(`s${at}-"quoted"`, 1, at),
        title: 'A "quoted" title'.repeat(10),
      })),
    },
    match: { paperCardId: id, score: 1, sections: [] },
  });
  /** Room for so many characters of JSON, most of an envelope taken off. */
  const room = (limit: number) => ({
    limit: limit - 1_500,
    lengthOf: (data: unknown) => JSON.stringify(data).length,
  });

  it('are the best that fit', () => {
    const hits = ['a', 'b', 'c', 'd', 'e'].map((id) => hit(id, 40));
    const fitting = fitToSize(hits, room(38_000));
    expect(fitting.map(({ card }) => card.paperCardId)).toEqual(['a', 'b']);
    const reply = {
      meta: { notice: 'n'.repeat(1_000), matches: fitting.map(({ match }) => match) },
      data: fitting.map(({ card }) => card),
    };
    expect(JSON.stringify(reply).length).toBeLessThan(38_000);
    expect(fitToSize(hits.slice(0, 2), room(38_000))).toEqual(hits.slice(0, 2));
  });

  it('are at least one, with all of its sections', () => {
    expect(fitToSize([hit('a', 400), hit('b', 1)], room(38_000))).toEqual([hit('a', 400)]);
  });
});
