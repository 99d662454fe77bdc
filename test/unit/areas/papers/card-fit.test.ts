import { describe, expect, it } from 'vitest';
import { fitToSize, type Hit } from '../../../../src/areas/papers/card.ts';

function hit(id: string, sections: number): Hit {
  return {
    card: {
      ...{
        paperCardId: id,
        sourcePaperId: id,
        title: id,
        authors: [],
        abstract: 'x'.repeat(2_000),
      },
      ...{ summary: '', tags: [], pdfUrl: '', published: '2026-01-01', fullTextCharCount: 0 },
      availableSections: Array.from({ length: sections }, (_, index) => ({
        section_key: `s${index}-"quoted"`,
        section_type: 'other',
        title: 'A "quoted" title'.repeat(10),
        char_count: 1,
        section_order: index,
      })),
      sectionCount: sections,
    },
    match: { paperCardId: id, score: 1, sections: [] },
  };
}

/** Room for so many characters of JSON. */
const room = (limit: number) => ({
  limit: limit - 1_500,
  lengthOf: (data: unknown) => JSON.stringify(data).length,
});
const ids = (hits: readonly Hit[]) => hits.map(({ card }) => card.paperCardId);
/** As `run` sends them, with an envelope of the usual size. */
const length = (hits: readonly Hit[]) =>
  JSON.stringify({
    meta: { notice: 'n'.repeat(1_000), matches: hits.map(({ match }) => match) },
    data: hits.map(({ card }) => card),
  }).length;

describe('papers in one reply', () => {
  it('are all of them where they fit', () => {
    const hits = ['a', 'b', 'c'].map((id) => hit(id, 5));
    expect(fitToSize(hits, room(38_000))).toEqual(hits);
  });

  it('are the best that fit', () => {
    const hits = ['a', 'b', 'c', 'd', 'e'].map((id) => hit(id, 40));
    const fitting = fitToSize(hits, room(38_000));
    expect(ids(fitting)).toEqual(['a', 'b']);
    expect(length(fitting)).toBeLessThan(38_000);
  });

  it('are at least one, with all of its sections', () => {
    expect(fitToSize([hit('a', 400), hit('b', 1)], room(38_000))).toEqual([hit('a', 400)]);
  });
});
