import { parse } from '@retorquere/bibtex-parser';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { insertPapers } from '../../../../scripts/starter/insert-papers.ts';
import { type CitedPaper, toBibtex } from '../../../../src/areas/papers/bibtex.ts';
import { exportBibtex } from '../../../../src/areas/papers/export.ts';
import { anyText } from '../../../arbitrary.ts';
import { makeCard, makeEmptyShelf } from './shelf.ts';

const PAPER: CitedPaper = {
  sourceId: 'arxiv:2609.00001',
  title: 'The Price of Patience',
  authors: ['Ngozi Okafor', 'Åsa M. Lindqvist'],
  categories: ['q-fin.TR', 'stat.ML'],
  published: '2026-08-31',
  doi: '10.1000/one_2 10.1000/two',
};

const AS_WRITTEN = { english: false, caseProtection: false, unsupported: 'ignore' } as const;

/** The entries of a bibliography, as read by another program. */
function read(bibtex: string) {
  const { entries, errors } = parse(bibtex, AS_WRITTEN);
  expect(errors).toEqual([]);
  return entries;
}

/** The entry for a paper that differs from PAPER in these fields. */
function entryOf(more: Partial<CitedPaper>) {
  const entries = read(toBibtex({ ...PAPER, ...more }));
  expect(entries).toHaveLength(1);
  const [entry] = entries;
  if (entry === undefined) throw new Error('no entry');
  return entry;
}
const titleOf = (title: string) => entryOf({ title }).fields.title;
/** The text of a field, as written in the entry. */
const written = (name: string, more: Partial<CitedPaper>) =>
  new RegExp(` ${name} = \\{(.*)\\},?$`, 'm').exec(toBibtex({ ...PAPER, ...more }))?.[1];

it('a BibTeX entry contains the arXiv metadata', () => {
  expect(entryOf({})).toMatchObject({
    type: 'misc',
    key: 'okafor2026price',
    fields: {
      title: 'The Price of Patience',
      author: [
        { firstName: 'Ngozi', lastName: 'Okafor' },
        { firstName: 'Åsa M.', lastName: 'Lindqvist' },
      ],
      year: '2026',
      eprint: '2609.00001',
      archiveprefix: 'arXiv',
      primaryclass: 'q-fin.TR',
      doi: '10.1000/one_2',
    },
  });
});

it('a BibTeX entry omits unknown fields and unusable DOIs', () => {
  const { fields } = entryOf({ authors: [], categories: [], doi: null, published: '2026-09' });
  expect(Object.keys(fields)).toEqual(['title', 'year', 'eprint', 'archiveprefix']);
  expect(fields.year).toBe('2026');
  expect(entryOf({ doi: '10.1000/a}b see%20this' }).fields).not.toHaveProperty('doi');
  expect(entryOf({ doi: '10.1000/^^5cinput^^7bx^^7d' }).fields).not.toHaveProperty('doi');
});

it.each([
  ['$L^{2}$-norms of $\\sigma_t$', '$L^{2}$-norms of $\\sigma_t$'],
  ['Sets $\\{0,1\\}$ of actions', 'Sets $\\lbrace 0,1\\rbrace$ of actions'],
])('a title keeps its formulas in BibTeX: %s', (title, kept) => {
  expect(written('title', { title })).toBe(`{${kept}}`);
});

it.each([
  'An $x^{2$ of ours',
  'An $\\input{/etc/passwd}$ of ours',
  'An $\\def\\x{y}\\x$ of ours',
  'An $x^^5cinput y$ of ours',
  'An $a & b_1$ of ours',
  'An $x_1\\$',
])('a title shows an unsafe formula as text in BibTeX: %s', (title) => {
  expect(titleOf(title)).toBe(title);
  expect(written('title', { title })).not.toMatch(/(?<!\\)\$/);
});

it.each([
  ['others', 'others'],
  ['Marten van der Berg', 'Marten van der Berg'],
  ['Martin L. King, Jr', 'King, Jr, Martin L.'],
  ['Martin L. King Jr.', 'King, Jr., Martin L.'],
  ['John Brown, V', 'Brown, V, John'],
  ['Naoko Ii', 'Naoko Ii'],
  ['Okafor, Ngozi', 'Okafor, Ngozi'],
  ['王小明', '王小明'],
  ['Tidewater Collaboration', '{Tidewater Collaboration}'],
  ['Bank of Elsewhere', '{Bank of Elsewhere}'],
  [
    'Ann }@comment{ O\\Hara',
    '{Ann \\textbraceright{}@comment\\textbraceleft{} O\\textbackslash{}Hara}',
  ],
])('the author "%s" is written in BibTeX as "%s"', (name, text) => {
  expect(written('author', { authors: [name] })).toBe(text);
});

it.each([
  ['consists of surname, year and first significant word', {}, 'okafor2026price'],
  ['is in ASCII', { authors: ['Åsa Øst-Łęcki'] }, 'ostlecki2026price'],
  ['keeps the whole surname', { authors: ['Marten van der Berg'] }, 'vanderberg2026price'],
  ['contains the name of a group', { authors: ['The Tidewater Group'] }, 'tidewatergroup2026price'],
  ['begins with arxiv if there is no author', { authors: [] }, 'arxiv2026price'],
  ['uses a word from a formula', { title: 'On the $\\alpha$-stable law' }, 'okafor2026alpha'],
  ['has no word if the title has none in ASCII', { title: '測度' }, 'okafor2026'],
  ['omits special characters', { authors: ['A}b{c,d\\e'], title: '}{,=@' }, 'abc2026'],
])('a citation key %s', (_, more, key) => {
  expect(entryOf(more).key).toBe(key);
});

it('a citation key stays the same when the publication date becomes known', () => {
  const sourceId = 'arxiv:2601.00001';
  const before = entryOf({ sourceId, published: '2026-01' });
  const after = entryOf({ sourceId, published: '2025-12-31' });
  expect(before.key).toBe(after.key);
  expect([before.fields.year, after.fields.year]).toEqual(['2026', '2025']);
});

it('a BibTeX entry is valid whatever the record contains', () => {
  const hostile = fc.array(
    fc.oneof(
      fc.constantFrom(
        ...[...'{}\\$%&#_^~",=@<>|\n ', ' and ', '}@comment{', '\\input{x}', '$x^{2}$', '\\}'],
        ...['van ', ', Jr', 'Ab', 'SPX', '王'],
      ),
      anyText(4),
    ),
    { maxLength: 12 },
  );
  const text = hostile.map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 3 }), fc.option(text), (title, authors, doi) => {
      const { type, key, fields } = entryOf({ title, authors, doi });
      expect(`${type} ${key}`).toMatch(/^misc [a-z0-9]+2026[a-z0-9]*$/);
      const named = authors.filter((name) => /[^\s\p{Cc}]/u.test(name));
      expect(fields.author ?? []).toHaveLength(named.length);
      // The reader typesets formulas, quotes and dashes.
      if (/[$`']|--/.test(title)) return;
      expect(fields.title ?? '').toBe(title.replace(/[\s\p{Cc}]+/gu, ' ').trim());
    }),
    { numRuns: 200 },
  );
});

it('an export gives different keys to papers of the same author, year and title', () => {
  const db = makeEmptyShelf();
  insertPapers(db, [makeCard(), makeCard({ sourceId: 'arxiv:2609.00002' })]);
  const keys = read([...exportBibtex(db, { ids: [] })].join('')).map(({ key }) => key);
  expect(keys).toEqual([keys[0], `${keys[0]}-2`]);
});
