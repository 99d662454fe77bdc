import type { Database } from 'better-sqlite3';
import { beforeEach, expect, it, vi } from 'vitest';
import { DIGEST_MARK } from '../../../../src/areas/papers/digest.ts';
import type { SectionType } from '../../../../src/areas/papers/full-text/sections/sections.ts';
import { addPassages } from '../../../../src/areas/papers/passages.ts';
import { rankSections } from '../../../../src/areas/papers/queries.ts';
import { replaceSections, replaceText } from '../../../../src/areas/papers/stored-text.ts';
import {
  createVectorQueue,
  digestPending,
  embedText,
  listUnembedded,
} from '../../../../src/areas/papers/vector-queue.ts';
import { axis, between } from '../../../vectors.ts';
import { makeEmptyShelf, part, putCard } from './shelf.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const still = new AbortController().signal;
/** Words that the model of this test embeds, each on its own axis. */
const WORDS = ['hedging', 'funding', 'inventory'];

let db: Database;
let paperId: number;

beforeEach(() => {
  db = makeEmptyShelf();
  paperId = putCard(db);
  db.exec('UPDATE paper SET digested = 1');
});

const embedded: string[] = [];
async function embed(texts: readonly string[]): Promise<Float32Array[]> {
  embedded.push(...texts);
  return texts.map((text) => axisOf(WORDS.findIndex((word) => text.includes(word))));
}

/** A separate direction for each index, from -1 on. */
const axisOf = (index: number) => axis(index + 1);

function putText(content: string, at = NOW): void {
  const sections = [
    part('s01-model', 'methods', 'Model', `About funding. ${'x '.repeat(300)}`),
    part('s02-costs', 'results', 'Costs', content),
    part('references', 'references', 'References', '- On hedging.'),
  ];
  const text = { format: 'html', version: 1, parser: 1, sections: addPassages(sections) } as const;
  replaceText(db, paperId, text, at);
}

/** A long section that mentions hedging only in its last paragraph. */
const LATE = `${'Filler without a word of ours. '.repeat(60)}\n\nHere is what hedging costs.`;

it('the ranking points to the section with the best passage, however far down it is', async () => {
  putText(LATE);
  expect(listUnembedded(db)).toEqual([paperId]);
  await embedText(db, paperId, embed, still);
  expect(listUnembedded(db)).toEqual([]);
  embedded.length = 0;
  await embedText(db, paperId, embed, still);
  expect(embedded).toEqual([]);
  const ranked = rankSections(db, paperId, axisOf(0));
  expect(ranked[0]?.key).toBe('s02-costs');
  expect(rankSections(db, paperId, axisOf(1))[0]?.key).toBe('s01-model');
  expect(ranked.map(({ key }) => key)).not.toContain('references');
});

/** A unit vector with that cosine to the first axis. */
const near = (cosine: number) => between(1, 0, cosine);

it.each<[string, SectionType, number[]]>([
  ['an introduction that mentions the subject about as closely', 'introduction', [0.63]],
  ['a long section with one passage about as close', 'appendix', [0.63, ...Array(49).fill(0.2)]],
])('the ranking prefers a section on the subject to %s', (_, type, cosines) => {
  const firstFor = (cosine: number) => {
    replaceSections(db, paperId, [
      { ...part('on-it', 'methods', '', 'x'), vectors: [near(cosine)] },
      { ...part('other', type, '', 'x'), vectors: cosines.map(near) },
    ]);
    return rankSections(db, paperId, axisOf(0))[0]?.key;
  };
  expect(firstFor(0.6)).toBe('on-it');
  expect(firstFor(0.4)).toBe('other');
});

it('embedding discards the vectors of a text that was replaced while the model ran', async () => {
  putText(LATE);
  const slow = async (texts: readonly string[]) => {
    putText('Nothing here.', new Date('2026-11-22T00:00:00Z'));
    return embed(texts);
  };
  await embedText(db, paperId, slow, still);
  expect(rankSections(db, paperId, axisOf(0))).toEqual([]);
  expect(listUnembedded(db)).toEqual([paperId]);
});

it('the embedding queue leaves papers alone if there is no model, and logs nothing', async () => {
  putCard(db, { sourceId: 'arxiv:2609.00002' });
  db.exec(`INSERT INTO paper_text (paper_id, fetched) SELECT id, '2026-11-21' FROM paper
    WHERE digested = 0`);
  putText(LATE);
  expect(listUnembedded(db)).toHaveLength(2);
  const noModel = vi.fn(async () => null);
  const log = vi.fn();
  const queue = createVectorQueue(db, noModel, log);
  queue.wake();
  await new Promise((resolve) => setImmediate(resolve));
  await queue.close();
  expect(noModel).toHaveBeenCalledOnce();
  expect(log).not.toHaveBeenCalled();
});

it('embedding stops when aborted, and leaves the text as it was', async () => {
  putText(LATE);
  const stopping = new AbortController();
  stopping.abort(new Error('enough'));
  await expect(embedText(db, paperId, embed, stopping.signal)).rejects.toThrow('enough');
  expect(listUnembedded(db)).toEqual([paperId]);
});

it('embedding takes a limited sample of the passages of a very long paper', async () => {
  putText(`${'Words and words.\n\n'.repeat(20_000)}On hedging.`);
  embedded.length = 0;
  await embedText(db, paperId, embed, still);
  expect(embedded.length).toBeLessThanOrEqual(121);
  expect(embedded.join('').length).toBeGreaterThan(60_000);
});

it('a starter card without vectors gets them, and keeps its bundled summary and tags', async () => {
  const abstract = `${DIGEST_MARK}What dealers do.`;
  const ours = { abstract, summary: 'Our summary.', tags: ['dealers'], origin: 'starter' } as const;
  putCard(db, { ...ours, sourceId: 'arxiv:2609.00002' });
  embedded.length = 0;
  expect(await digestPending(db, embed, { signal: still })).toBe(1);
  expect(embedded.at(-1)).toBe('Dealers. What dealers do. Our summary. dealers.');
  const find = "SELECT summary, tags, digested FROM paper WHERE origin = 'starter'";
  const kept = { summary: 'Our summary.', tags: '["dealers"]', digested: 1 };
  expect(db.prepare(find).get()).toEqual(kept);
  expect(await digestPending(db, embed, { signal: still })).toBe(0);
});
