import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRecordPage } from '../../../../../src/areas/papers/arxiv/oai.ts';
import { InvalidResponseError } from '../../../../../src/upstream/failures.ts';
import { renderRecord } from '../../../../stand-ins/arxiv-oai.ts';
import { makePaper, makePapers } from '../../../../stand-ins/arxiv-papers.ts';

const TITLE = 'A title of ours';
const TOKEN = '<resumptionToken>next</resumptionToken>';

function document(interior: string): Buffer {
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
    <OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-06-01T04:30:00Z</responseDate>
    ${interior}</OAI-PMH>`);
}

const damaged = makePaper({ id: '2609.00002', title: TITLE });
const damagedRecord = renderRecord(damaged);
const [first, , third] = makePapers(3).map((paper) => renderRecord(paper));

/** A page of three records, the second of which is `record`. */
const pageWith = (record: string, rest = TOKEN) =>
  document(`<ListRecords>${first}\n${record}\n${third}${rest}</ListRecords>`);
const parse = async (record: string) => parseRecordPage(pageWith(record));
const withTitle = (xml: string) => damagedRecord.replace(TITLE, () => xml);

it('bytes in a record that are not UTF-8 are replaced', async () => {
  const [before = '', after = ''] = pageWith(withTitle('up-down')).toString().split('-down');
  const body = Buffer.concat([Buffer.from(before), Buffer.of(0xc3, 0x28), Buffer.from(after)]);
  const { records, skipped, token } = parseRecordPage(body);
  expect({ token, skipped }).toEqual({ token: 'next', skipped: [] });
  expect(records[1]?.metadata?.title).toBe('up\ufffd(');
});

describe('a damaged record', () => {
  const malformed = 'malformed XML';

  it.each([
    ['an unclosed tag', withTitle('<b>bold')],
    ['unclosed CDATA', withTitle('<![CDATA[x')],
    ['a document type', withTitle('<!DOCTYPE x [')],
    ['tags nested 40,000 deep', withTitle(`${'<i>'.repeat(40_000)}${'</i>'.repeat(40_000)}`)],
    ['a missing end tag', damagedRecord.replace('</record>', '')],
    ['an entity of HTML', withTitle('Risk&nbsp;')],
    ['a bare ampersand', withTitle('S&P 500')],
    ['more text than a record has', withTitle('x'.repeat(3_000_000))],
  ])('a damaged record is skipped without losing the others: %s', async (_, record) => {
    const page = await parse(record);
    expect(page.records.map(({ id }) => id)).toEqual(['2609.00001', '2609.00003']);
    expect(page.skipped).toEqual([{ id: '2609.00002', reason: malformed }]);
    expect(page.token).toBe('next');
  });

  it('a damaged record whose id cannot be read is counted', async () => {
    const { skipped } = await parse(
      damagedRecord.replace('</identifier>', '').replace('2609.00002', '?'),
    );
    expect(skipped).toEqual([{ id: null, reason: malformed }]);
  });

  it('a damaged record may be the only one on a page, but not one of many', async () => {
    const alone = async (count: number) =>
      parseRecordPage(
        document(`<ListRecords>${withTitle('<b>').repeat(count)}${TOKEN}</ListRecords>`),
      );
    expect(await alone(1)).toMatchObject({ records: [], skipped: [{}], token: 'next' });
    await expect(alone(100)).rejects.toThrow(InvalidResponseError);
  });
});

describe('the end of a page with a broken record', () => {
  const last = async (record: string, rest: string) =>
    parseRecordPage(document(`<ListRecords>${first}${record}${rest}</ListRecords>`));
  const unclosed = withTitle('<![CDATA[').replace('</record>', '');

  it('a page of records that may have lost its token is invalid', async () => {
    await expect(last(unclosed, TOKEN)).rejects.toThrow(InvalidResponseError);
    await expect(last(withTitle(`<b>${TOKEN}`), '')).rejects.toThrow(InvalidResponseError);
    await expect(last(withTitle('<b>'), '<resumptionTok')).rejects.toThrow(InvalidResponseError);
    const inside = withTitle('A').replace('</record>', `${TOKEN}</record>`);
    await expect(last(inside, '')).rejects.toThrow(InvalidResponseError);
    expect(await last(withTitle('<b>'), '')).toMatchObject({ token: null, skipped: [{}] });
  });

  it('the token of a page is found, whatever a damaged record contains', async () => {
    const fragment = fc.oneof(
      fc.constantFrom(
        ...['<', '>', '&', '"', '<b>', '</b>', '</title>', '</metadata>', '<header>', '<![CDATA['],
        ...[
          ']]>',
          '<!--',
          '-->',
          '<?x',
          '?>',
          '<!DOCTYPE x [',
          '&#0;',
          '&nbsp;',
          '<x:y>',
          '\u0000',
        ],
      ),
      fc.string({ maxLength: 5 }),
    );
    const inside = fc.integer({ min: '        <record>'.length, max: damagedRecord.length - 9 });
    const fragments = fc.array(fragment, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fragments, inside, async (parts, at) => {
        const record = damagedRecord.slice(0, at) + parts.join('') + damagedRecord.slice(at);
        const { records, skipped, token } = await parse(record);
        const ids = records.map(({ id }) => id);
        expect(token).toBe('next');
        expect(ids).toEqual(expect.arrayContaining(['2609.00001', '2609.00003']));
        expect(ids.length + skipped.length).toBeGreaterThanOrEqual(3);
      }),
      { numRuns: 200 },
    );
  });
});
