import type { Database } from 'better-sqlite3';
import { beforeEach, expect, it } from 'vitest';
import { cardIdOf, sourceIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { needsOf } from '../../../../src/areas/papers/fetch-text.ts';
import { PARSER_VERSION } from '../../../../src/areas/papers/full-text/sections/sections.ts';
import { storeHistory } from '../../../../src/areas/papers/ingest.ts';
import { paperSearch } from '../../../../src/areas/papers/operations.ts';
import { listSections, listSectionsWithPhrase } from '../../../../src/areas/papers/queries.ts';
import { isOpenLicence } from '../../../../src/areas/papers/reading.ts';
import {
  type FetchedText,
  recordTextFault,
  replaceText,
} from '../../../../src/areas/papers/stored-text.ts';
import type { Freshened, ReadingPolicy } from '../../../../src/core/context.ts';
import { makePaper } from '../../../stand-ins/arxiv-papers.ts';
import { noModel } from '../calls.ts';
import { call, findPaper, makeEmptyShelf, part, putCard, readPaper, recordOf } from './shelf.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const ID = cardIdOf(sourceIdOf('2609.00001'));
const ARXIV = 'http://arxiv.org/licenses/nonexclusive-distrib/1.0/';

let db: Database;
/** The refreshes that calls requested, and whether they waited. */
let refreshes: { cardId: string; wait: boolean }[];

beforeEach(() => {
  db = makeEmptyShelf();
  refreshes = [];
});

function putPaper(licenseUrl: string | null): number {
  const content = 'What dealers do when they hold too much.';
  const sections = [part('abstract', 'abstract', 'Abstract', content)];
  return putCard(db, { version: 2, abstract: content, licenseUrl, sections });
}

const HTML_2 = { format: 'html', version: 2, parser: PARSER_VERSION } as const;

const SECTIONS = [
  part('abstract', 'abstract', 'Abstract', 'What dealers do.'),
  part('s01-model', 'methods', 'Model', 'Quotes follow inventory.'),
  part('s02-notes', 'note', 'Notes', 'A note by the authors.'),
];
const putText = (paperId: number, more: Partial<FetchedText> = {}) =>
  replaceText(db, paperId, { ...HTML_2, sections: SECTIONS, ...more }, NOW);

async function read(
  sections: readonly string[] = ['all'],
  more: { policy?: ReadingPolicy; freshened?: Freshened; paperCardId?: string } = {},
) {
  const { policy = 'personal', freshened = 'settled', paperCardId = ID } = more;
  return readPaper(
    db,
    { paperCardId, sections },
    {
      policy,
      async freshenPaper(cardId, wait) {
        refreshes.push({ cardId, wait });
        return freshened;
      },
    },
  );
}

const keysOf = (sections: readonly { section_key: string }[] = []) =>
  sections.map(({ section_key }) => section_key);

it.each([
  'http://creativecommons.org/licenses/by/4.0/',
  'https://creativecommons.org/licenses/by-sa/4.0/',
  'http://creativecommons.org/publicdomain/zero/1.0/',
])('the licence %s permits serving the text to others', (licence) => {
  expect(isOpenLicence(licence)).toBe(true);
});

it.each([
  ['the licence CC BY-NC-SA', 'http://creativecommons.org/licenses/by-nc-sa/4.0/'],
  ['the licence CC BY-ND', 'http://creativecommons.org/licenses/by-nd/4.0/'],
  ['the default licence of arXiv', ARXIV],
  ['an unknown licence', null],
])('%s does not permit serving the text to others', (_, licence) => {
  expect(isOpenLicence(licence)).toBe(false);
});

it('a server for others withholds a text without an open licence, in reads and in cards', async () => {
  putText(putPaper(ARXIV));
  const { data, meta } = await read(['all'], { policy: 'licensed' });
  expect(keysOf(data.sections)).toEqual(['abstract']);
  expect(keysOf(data.availableSections)).toEqual(['abstract']);
  expect(meta.notice).toContain('licence');
  const licensed = { policy: 'licensed' } as const;
  const search = await call(db, paperSearch, { query: 'dealers' }, noModel, licensed);
  const { availableSections, fullTextCharCount } = data;
  expect(search.envelope).toMatchObject({ data: [{ availableSections, fullTextCharCount }] });
});

it.each([
  ['a closed text to the user of the server', ARXIV, 'personal'],
  ['an open text to everyone', 'http://creativecommons.org/licenses/by/4.0/', 'licensed'],
] as const)('the licence gate releases %s', async (_, licence, policy) => {
  putText(putPaper(licence));
  const { data } = await read(['all'], { policy });
  expect(keysOf(data.sections)).toEqual(['abstract', 's01-model', 's02-notes']);
});

it('a text of over a million characters is stored whole, but only sections in the first million are indexed', () => {
  const id = putPaper(null);
  const texts = ['quiet days', 'x '.repeat(500_000), 'loud nights'];
  const sections = texts.map((text, at) => part(`s0${at}`, 'other', 'A part', text));
  putText(id, { sections });
  expect(listSections(db, id).at(-1)?.content).toBe('loud nights');
  const keysWith = (...words: string[]) =>
    listSectionsWithPhrase(db, words, id, 9).map(({ section_key }) => section_key);
  expect([keysWith('quiet', 'days'), keysWith('loud', 'nights')]).toEqual([['s00'], []]);
});

it('a text of an unknown version counts as outdated once a version is known, and a read names that version', async () => {
  const needsText = () => {
    const paper = findPaper(db, '2609.00001');
    return paper !== undefined && needsOf(paper, NOW).text;
  };
  const id = putPaper(null);
  db.exec('UPDATE paper SET version = NULL');
  putText(id, { version: null });
  expect(needsText()).toBe(false);
  storeHistory(db, recordOf(makePaper({ version: 7 }), 'arXivRaw'), NOW);
  expect(needsText()).toBe(true);
  expect((await read()).meta.notice).toMatch(/an unknown version; the current version is 7/);
  putText(id, { version: 7 });
  expect(needsText()).toBe(false);
  expect((await read()).meta.notice).toBeUndefined();
});

it.each([
  [ID, ['all'], 'waits'],
  [ID, ['abstract'], 'does not wait'],
  [ID, ['abstract', 's01-model'], 'does not wait'],
  [ID, ['s09-other', 's01-model'], 'waits'],
  ['2609.00001v2', ['abstract'], 'does not wait'],
  ['2609.00001v3', ['abstract'], 'waits'],
])('a read of %s with the sections %j %s for arXiv', async (paperCardId, sections, verb) => {
  putText(putPaper(null));
  await read(sections, { paperCardId }).catch(() => {});
  expect(refreshes).toEqual([{ cardId: ID, wait: verb === 'waits' }]);
});

it.each([
  ['that only the abstract is stored', 'settled', undefined, /only the abstract is available\.$/],
  ['that the text is being fetched', 'pending', undefined, /is available\. The fetch from arXiv/],
  ['that the server is offline', 'offline', undefined, /QUANTSHELF_OFFLINE/],
  ['that arXiv is unreachable', 'unreachable', undefined, /\. arXiv could not be reached: try/],
  ['why the last attempt failed', 'settled', 'arXiv is down.', /is available\. arXiv is down\.$/],
] as const)('a read without a text says %s', async (_, freshened, fault, notice) => {
  const id = putPaper(null);
  if (fault !== undefined) recordTextFault(db, id, fault, NOW);
  expect((await read(['all'], { freshened })).meta.notice).toMatch(notice);
});

it('a read says why the text may be inaccurate, incomplete or outdated', async () => {
  const id = putPaper(null);
  putText(id);
  expect((await read()).meta.notice).toBeUndefined();
  putText(id, { format: 'pdf', cut: { lastPage: 12, pages: 40 } });
  expect((await read()).meta.notice).toMatch(/PDF: formulas.*only the first 12 of its 40 pages/i);
  putText(id, { version: 1 });
  recordTextFault(db, id, 'arXiv could not be reached.', NOW);
  expect((await read()).meta.notice).toMatch(/version 1; .* version is 2\. arXiv could not be/);
});
