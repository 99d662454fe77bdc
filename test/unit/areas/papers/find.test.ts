import { afterAll, describe, expect, it } from 'vitest';
import { cardIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { paperRead, paperSearch } from '../../../../src/areas/papers/operations.ts';
import { call, makeStarterShelf } from './shelf.ts';

const { db, remove } = makeStarterShelf();
afterAll(remove);
db.prepare("UPDATE paper SET doi = '10.1080/ABC.12' WHERE source_id = 'arxiv:2510.23150'").run();

async function search(query: string, topK = 3) {
  const outcome = await call(db, paperSearch, { query, topK });
  if (!outcome.ok) throw new Error(outcome.envelope.error.message);
  const cards = paperSearch.output.parse(outcome.envelope.data);
  return { ids: cards.map(({ sourcePaperId }) => sourcePaperId), meta: outcome.envelope.meta };
}

describe('a question that names a paper', () => {
  it.each([
    '2510.23150',
    'arXiv:2510.23150v2',
    'what does 2510.23150 say?',
    cardIdOf('arxiv:2510.23150'),
    'doi:10.1080/abc.12',
  ])('by an id puts it first and is sure: %s', async (query) => {
    const { ids, meta } = await search(query);
    expect(ids[0]).toBe('arxiv:2510.23150');
    expect(ids.length).toBeGreaterThan(1);
    expect(new Set(ids).size).toBe(ids.length);
    expect(meta.verdict).toBe('strong');
    expect(meta.understood?.[0]).toMatch(/^id: /);
    expect(meta.matches?.[0]?.score).toBe(1);
    expect(meta.notice).not.toContain('too little');
  });

  it('that is not held says so, and how to get it', async () => {
    const bare = await search('arXiv:2401.99999');
    expect(bare.ids).toEqual([]);
    expect(bare.meta.verdict).toBe('none');
    expect(bare.meta.notice).toContain('arxiv:2401.99999 is not on this shelf: paper_read');
    const more = await search('does 2401.99999 use corporate bond factors bias correction');
    expect(more.ids[0]).toBe('arxiv:2604.07880');
    expect(more.meta.verdict).not.toBe('strong');
    expect((await search('doi 10.1000/unknown')).meta.notice).toContain('doi:10.1000/unknown is');
  });

  it('by its exact title, in any capitals and punctuation, puts it first and is sure', async () => {
    const { title, id } = db
      .prepare<[], { title: string; id: string }>(
        "SELECT title, source_id AS id FROM paper WHERE title LIKE '%: %' ORDER BY id LIMIT 1",
      )
      .get() ?? { title: '', id: '' };
    for (const query of [
      title,
      title.toUpperCase(),
      `${title}.`,
      title.replace(':', ' -'),
      `What is the main finding of "${title}"?`,
    ]) {
      const { ids, meta } = await search(query);
      expect(ids[0], query).toBe(id);
      expect(meta.verdict, query).toBe('strong');
    }
  });

  it('leaves a plain question as it is', async () => {
    const { meta } = await search('market making in foreign exchange');
    expect(meta).not.toHaveProperty('understood');
  });
});

it('a read of an arXiv id that is not held says why it could not be fetched', async () => {
  const outcome = await call(db, paperRead, { paperCardId: 'arXiv:2401.99999' });
  if (outcome.ok) throw new Error('the call succeeded');
  expect(outcome.envelope.error).toMatchObject({ code: 'not_found', param: 'paperCardId' });
  expect(outcome.envelope.error.message).toContain('QUANTSHELF_OFFLINE');
});
