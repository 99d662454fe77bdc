import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFeed } from '../../../../../src/areas/papers/arxiv/atom.ts';
import { parseRecordPage, parseSingleRecord } from '../../../../../src/areas/papers/arxiv/oai.ts';
import { InvalidResponseError } from '../../../../../src/upstream/errors.ts';
import { answerQuery } from '../../../../stand-ins/arxiv-atom.ts';
import { renderRecord } from '../../../../stand-ins/arxiv-oai.ts';
import { makePaper, makePapers } from '../../../../stand-ins/arxiv-papers.ts';

const TITLE = 'A title of ours';
const TOKEN = '<resumptionToken>next</resumptionToken>';
const NOW = new Date('2026-06-01T04:30:00Z');

function document(interior: string): Buffer {
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
    <OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-06-01T04:30:00Z</responseDate>
    ${interior}</OAI-PMH>`);
}

const damaged = makePaper({ id: '2609.00002', title: TITLE });
const damagedRecord = renderRecord(damaged);
const [first, , third] = makePapers(3).map(renderRecord);

/** A page of three records, of which the second is `record`. */
const pageWith = (record: string, rest = TOKEN) =>
  document(`<ListRecords>${first}\n${record}\n${third}${rest}</ListRecords>`);
const parse = (record: string) => parseRecordPage(pageWith(record), null);
const withTitle = (xml: string) => damagedRecord.replace(TITLE, () => xml);
const titleOf = async (xml: string) =>
  (await parse(withTitle(xml))).records.find(({ id }) => id === '2609.00002')?.metadata?.title;

describe('damage with only one sensible reading is repaired', () => {
  it.each([
    ['a control character by number', 'Up&#11;side', 'Upside'],
    ['half a surrogate pair by number', 'Up&#xD800;side', 'Upside'],
    ['a number beyond Unicode', 'Up&#x110000;&#99999999999999999999;side', 'Upside'],
    ['a noncharacter', 'Up&#xFFFE;\uffffside', 'Upside'],
    ['an HTML entity', 'Risk&nbsp;&eacute;&rarr;&NotEqualTilde;', 'Risk é→≂̸'],
    ['an HTML entity that hides markup', '1 &LT; 2 &AMP;amp; 3', '1 < 2 &amp; 3'],
    ['an unknown entity', 'A &foo; &constructor; B', 'A &foo; &constructor; B'],
    ['a bare ampersand', 'S&P 500 & AT&T &', 'S&P 500 & AT&T &'],
    ['an entity without its semicolon', 'a &lt b', 'a &lt b'],
    ['a bare less-than', 'p < 0.05, q <5 %', 'p < 0.05, q <5 %'],
    ['the end of CDATA', 'f[x[1]]>0', 'f[x[1]]>0'],
    [
      'CDATA, which is left unchanged',
      '<![CDATA[S&P &amp; < &#11;]]> &#65;',
      'S&P &amp; < &#11; A',
    ],
    ['an upper-case reference', '&#X41;', 'A'],
  ])('%s', async (_, xml, title) => {
    expect(await titleOf(xml)).toBe(title);
    expect(await parse(withTitle(xml))).toMatchObject({ token: 'next', skipped: [] });
  });

  it('replaces bytes that are not UTF-8', async () => {
    const [before = '', after = ''] = pageWith(withTitle('up-down')).toString().split('-down');
    const body = Buffer.concat([Buffer.from(before), Buffer.of(0xc3, 0x28), Buffer.from(after)]);
    const { records, skipped, token } = await parseRecordPage(body, null);
    expect({ token, skipped }).toEqual({ token: 'next', skipped: [] });
    expect(records[1]?.metadata?.title).toBe('up\ufffd(');
  });

  it('repairs the token, which contains ampersands', async () => {
    const rest = '<resumptionToken>verb=ListRecords&from=2026-05-01&skip=4</resumptionToken>';
    const { token } = await parseRecordPage(pageWith(damagedRecord, rest), null);
    expect(token).toBe('verb=ListRecords&from=2026-05-01&skip=4');
  });
});

describe('a record with broken structure', () => {
  const deep = (levels: number) => '<i>'.repeat(levels) + '</i>'.repeat(levels);
  const malformed = 'malformed XML';

  it.each([
    ['an unclosed tag', withTitle('<b>bold'), malformed],
    ['an end tag without a start tag', withTitle('bold</b>'), malformed],
    ['overlapping tags', withTitle('<b><i>x</b></i>'), malformed],
    ['half a tag', withTitle('x <b'), malformed],
    ['an attribute without quotes', withTitle('<b c=d>x</b>'), malformed],
    ['unclosed CDATA', withTitle('<![CDATA[x'), malformed],
    ['an unclosed comment', withTitle('<!-- x'), malformed],
    ['an unclosed instruction', withTitle('<?x'), malformed],
    ['a document type', withTitle('<!DOCTYPE x ['), malformed],
    ['a missing end tag', damagedRecord.replace('</record>', ''), malformed],
    ['a start tag with another name', damagedRecord.replace('<record>', '<recorded>'), malformed],
    ['nesting beyond 50', withTitle(deep(60)), 'XML nested too deeply'],
    [
      'nesting of 40,000 with namespaces',
      withTitle(`<x:i xmlns:x="y">${deep(40_000)}`),
      'XML nested too deeply',
    ],
    ['more elements than a record has', withTitle('<i/>'.repeat(60_000)), 'too many XML elements'],
    ['more text than a record has', withTitle('x'.repeat(17 * 1024 * 1024)), 'too much XML'],
    ['more faults than a record has', withTitle('&'.repeat(30_000)), 'too many XML faults'],
  ])('is skipped without losing the others: %s', async (_, record, reason) => {
    const page = await parse(record);
    expect(page.records.map(({ id }) => id)).toEqual(['2609.00001', '2609.00003']);
    expect(page.skipped).toEqual([{ id: '2609.00002', reason }]);
    expect(page.token).toBe('next');
  });

  it('does not stop the repair of its neighbours', async () => {
    const mended = renderRecord(makePaper({ id: '2609.00004' })).replace('Order', '&nbsp;&Order');
    const { records, skipped } = await parse(`${withTitle('<b>')}${mended}`);
    expect(records.map(({ id }) => id)).toEqual(['2609.00001', '2609.00004', '2609.00003']);
    expect(records[1]?.metadata?.title).toMatch(/^&Order books/);
    expect(skipped).toHaveLength(1);
  });

  it('is counted if its id cannot be read', async () => {
    const { skipped } = await parse(
      damagedRecord.replace('</identifier>', '').replace('2609.00002', '?'),
    );
    expect(skipped).toEqual([{ id: null, reason: malformed }]);
  });

  it('is read if only the text after it is broken, which counts as another record', async () => {
    const { records, skipped, token } = await parse(`${damagedRecord}</record>`);
    expect(records).toHaveLength(3);
    expect({ skipped, token }).toEqual({
      skipped: [{ id: null, reason: malformed }],
      token: 'next',
    });
  });

  it('may be the only one on a page, but not one of many', async () => {
    const alone = (count: number) =>
      parseRecordPage(
        document(`<ListRecords>${withTitle('<b>').repeat(count)}${TOKEN}</ListRecords>`),
        null,
      );
    expect(await alone(1)).toMatchObject({ records: [], skipped: [{}], token: 'next' });
    await expect(alone(100)).rejects.toThrow(InvalidResponseError);
  });

  it('is an invalid response to GetRecord', async () => {
    const single = document(`<GetRecord>${withTitle('<b>')}</GetRecord>`);
    await expect(parseSingleRecord(single, '2609.00002')).rejects.toThrow(InvalidResponseError);
    const mended = document(`<GetRecord>${withTitle('A&nbsp;B')}</GetRecord>`);
    expect((await parseSingleRecord(mended, '2609.00002'))?.metadata?.title).toBe('A B');
  });
});

describe('the end of a page with a broken record', () => {
  const last = (record: string, rest: string) =>
    parseRecordPage(document(`<ListRecords>${first}${record}${rest}</ListRecords>`), 'asked');
  const unclosed = withTitle('<![CDATA[').replace('</record>', '');

  it('is found after a last record without an end tag', async () => {
    expect(await last(unclosed, TOKEN)).toMatchObject({
      token: 'next',
      skipped: [{ id: '2609.00002' }],
    });
    expect((await last(unclosed, '<resumptionToken/>')).token).toBeNull();
  });

  it('is never guessed: a page that may have lost its token is invalid', async () => {
    await expect(last(unclosed, '')).rejects.toThrow(InvalidResponseError);
    await expect(last(withTitle(`<b>${TOKEN}`), '')).rejects.toThrow(InvalidResponseError);
    await expect(last(withTitle('<b>'), '<resumptionTok')).rejects.toThrow(InvalidResponseError);
    expect(await last(withTitle('<b>'), '')).toMatchObject({ token: null, skipped: [{}] });
  });

  it('is invalid if the token is inside a record, or if there are two', async () => {
    const inside = withTitle('A').replace('</record>', `${TOKEN}</record>`);
    await expect(last(inside, '')).rejects.toThrow(InvalidResponseError);
    await expect(last(withTitle('A'), `${TOKEN}<resumptionToken/>`)).rejects.toThrow(
      InvalidResponseError,
    );
  });

  it('is invalid wherever it is truncated', async () => {
    const whole = pageWith(withTitle('<b>&nbsp;'));
    const end = whole.lastIndexOf('>');
    for (let length = 0; length <= end; length += 7) {
      await expect(parseRecordPage(whole.subarray(0, length), null), `${length}`).rejects.toThrow(
        InvalidResponseError,
      );
    }
  });

  it('is found whatever the record contains', async () => {
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
    const inside = fc.integer({ min: '        <record'.length, max: damagedRecord.length - 9 });
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
      { numRuns: 500 },
    );
  });
});

it('a page with more elements around its records than a page has is refused', async () => {
  const page = document(`${'<error/>'.repeat(60_000)}<ListRecords>${TOKEN}</ListRecords>`);
  await expect(parseRecordPage(page, null)).rejects.toThrow('too many XML elements');
});

it('deep nesting and many faults are read in linear time', async () => {
  // 40,000 took 27 s when every tag walked up the open elements; this would take ten minutes.
  const titles = [
    '<a>',
    '<x:a xmlns:x="y">',
    '<record>',
    '<![CDATA[',
    '<!--',
    '&',
    '&#',
    '</record',
    '<a/>',
  ];
  const begun = performance.now();
  for (const each of titles) {
    try {
      await parse(withTitle(each.repeat(200_000)));
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidResponseError);
    }
  }
  expect(performance.now() - begun).toBeLessThan(20_000);
});

describe('a feed with a broken entry', () => {
  const feedOf = (damage: (xml: string) => string, ids = '2609.00001,2609.00002') => {
    const papers = [makePaper(), { ...damaged, damage }];
    const query = new URLSearchParams({ id_list: ids });
    return Buffer.from(answerQuery(query, papers, NOW).body);
  };

  it('is read without that entry', async () => {
    const body = feedOf((entry) => entry.replace('<title>', '<title><b>'));
    expect((await parseFeed(body, 200)).map(({ id }) => id)).toEqual(['2609.00001']);
  });

  it('repairs the entry if possible', async () => {
    const body = feedOf((entry) => entry.replace(TITLE, 'S&P&nbsp;500&#11;'));
    expect((await parseFeed(body, 200))[1]?.title).toBe('S&P 500');
  });

  it('is invalid if it has no other entry', async () => {
    const body = feedOf((entry) => entry.replace('</entry>', ''), '2609.00002');
    await expect(parseFeed(body, 200)).rejects.toThrow(InvalidResponseError);
  });
});
