import { expect, it } from 'vitest';
import {
  fitHits,
  fitSections,
  type Hit,
  shortenManifest,
} from '../../../../src/areas/papers/card.ts';
import { describeManifests, describeOthers } from '../../../../src/areas/papers/notices.ts';
import { MODEL_REPLY, WHOLE_REPLY } from '../../../../src/core/reply.ts';

const CARD = {
  paperCardId: 'id',
  sourcePaperId: 'arxiv:2609.00001',
  title: 'Dealers',
  authors: ['Ada'],
  abstract: 'What dealers do.',
  summary: 'Dealers.',
  tags: [],
  pdfUrl: 'https://arxiv.org/',
  sectionCount: 3,
  fullTextCharCount: 9,
};
const entry = (section_key: string, char_count: number, section_order: number) => ({
  section_key,
  section_type: 'other',
  title: section_key,
  char_count,
  section_order,
});

function read(lengths: readonly number[], areNamed = true) {
  const sections = lengths.map((length, index) => ({
    ...entry(`s0${index}-part`, length, index),
    content: 'x'.repeat(length),
  }));
  const reading = { ...CARD, bibtex: '@misc{}', availableSections: [], sections };
  const data = fitSections(reading, MODEL_REPLY, areNamed);
  return { sections: data.sections, notice: describeOthers(sections, data.sections) };
}

it('a reply contains whole sections and names those that do not fit, with their sizes', () => {
  const { sections, notice } = read([1_000, 40_000, 12_000, 9_000]);
  expect(sections.map(({ content }) => content.length)).toEqual([1_000, 12_000]);
  expect(notice).toContain(
    'Not in this reply, but available by key (char_count): s01-part (40,000), s03-part (9,000).',
  );
});

it('a section that is longer than a reply is returned only if it is requested by key', () => {
  expect(read([40_000])).toMatchObject({ sections: [{ char_count: 40_000 }] });
  expect(read([40_000], false).sections).toEqual([]);
});

it('a section is cut if the reply would not fit in a server-sent event of 1 MiB, and a notice names it', () => {
  const { sections, notice } = read([600_000]);
  const event = JSON.stringify({ sections, text: JSON.stringify(sections) });
  expect(event.length).toBeLessThan(1024 * 1024);
  expect(event.length).toBeGreaterThan(900_000);
  expect(notice[0]).toMatch(/^s00-part is too long .* REST and .* return all of it\.$/);
});

it('a reply for a model lists only the first sections of a book, but counts them all', () => {
  const availableSections = Array.from({ length: 400 }, (_, at) => entry(`s${at}-x`, 10, at));
  const book = { ...CARD, availableSections, sectionCount: 400 };
  const card = shortenManifest(book, MODEL_REPLY);
  expect(card.sectionCount).toBe(400);
  expect(card.availableSections.length).toBeGreaterThan(60);
  expect(JSON.stringify(card).length).toBeLessThan(10_000);
  expect(describeManifests([card])).toContain('quantshelf://paper/{paperCardId}');
  expect(shortenManifest(book, WHOLE_REPLY)).toEqual(book);
});

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

it('a reply contains the best papers that fit, but at least one', () => {
  const hits = ['a', 'b', 'c', 'd', 'e'].map((id) => hit(id, 40));
  expect(fitHits(hits, 36_500)).toEqual(hits.slice(0, 2));
  expect(JSON.stringify(hits.slice(0, 2)).length).toBeLessThan(36_500);
  expect(fitHits([hit('a', 400), hit('b', 1)], 36_500)).toEqual([hit('a', 400)]);
});
