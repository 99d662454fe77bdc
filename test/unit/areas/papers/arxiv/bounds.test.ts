import { describe, expect, it } from 'vitest';
import { parseSingleRecord } from '../../../../../src/areas/papers/arxiv/oai.ts';
import { joinParagraphs } from '../../../../../src/areas/papers/arxiv/records.ts';
import { renderRecord } from '../../../../stand-ins/arxiv-oai.ts';
import { makePaper } from '../../../../stand-ins/arxiv-papers.ts';

const LONG = 'word '.repeat(20_000);

/** The lengths of a record's fields; for a list, of its longest member. */
function lengthsOf(record: object): Record<string, number> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      if (typeof value === 'string') return [[name, value.length]];
      if (!Array.isArray(value)) return [];
      return [
        [name, Math.max(...value.map((each) => String(each).length))],
        [`${name}.count`, value.length],
      ];
    }),
  );
}

const MAX = {
  title: 1_000,
  abstract: 20_000,
  comment: 4_000,
  'authors.count': 101,
  authors: 200,
  'categories.count': 50,
  journalRef: 4_000,
  doi: 4_000,
};

describe("arXiv's texts are cut to their limits", () => {
  const paper = makePaper({
    title: LONG,
    abstract: LONG,
    comment: LONG,
    journalRef: LONG,
    doi: LONG,
    license: `https://example.org/${'x'.repeat(5_000)}`,
    authors: Array.from({ length: 1_000 }, () => ({
      keyname: 'x'.repeat(400),
      suffix: 'y'.repeat(400),
    })),
    categories: Array.from(
      { length: 500 },
      (_, at) => `q-fin.${'ABCDEFGHIJ'[at % 10]}${'K'.repeat(at % 19)}`,
    ),
  });

  it('in a record', async () => {
    const body = `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-06-01</responseDate>
      <GetRecord>${renderRecord(paper)}</GetRecord></OAI-PMH>`;
    const metadata = (await parseSingleRecord(Buffer.from(body), paper.id))?.metadata;
    if (metadata == null) throw new Error('no metadata');
    const lengths = lengthsOf(metadata);
    for (const [name, max] of Object.entries(MAX))
      expect(lengths[name], name).toBeLessThanOrEqual(max);
    expect(metadata.title.endsWith('…')).toBe(true);
    expect(metadata.abstract).toHaveLength(20_000);
    expect(metadata.licenseUrl).toBeNull();
    expect(metadata.authors.at(-1)).toBe('others');
  });
});

// Each of these took from ten seconds to minutes when time was quadratic.
describe('long text is read in linear time', () => {
  it('an abstract of lines that may end a sentence', () => {
    expect(joinParagraphs(' .).).)a\n'.repeat(60_000)).length).toBeLessThanOrEqual(20_000);
  });
});
