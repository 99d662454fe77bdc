import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  joinParagraphs,
  parseRecordPage,
  parseSingleRecord,
  TokenExpired,
} from '../../../../../src/areas/papers/arxiv/oai.ts';
import {
  InvalidResponseError,
  RejectedRequestError,
} from '../../../../../src/upstream/failures.ts';
import { describeShared } from '../../../../shared.ts';
import { renderRecord } from '../../../../stand-ins/arxiv-oai.ts';
import { makePaper, makePapers } from '../../../../stand-ins/arxiv-papers.ts';

const OPEN = `<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-06-01T04:30:00Z</responseDate>`;

const response = (interior: string) => Buffer.from(`${OPEN}${interior}</OAI-PMH>`);
const page = (interior: string) => response(`<ListRecords>${interior}</ListRecords>`);
const parsePage = (interior: string) => parseRecordPage(page(interior));

it('an arXiv record yields its fields as plain text, without repeated categories', () => {
  const paper = makePaper({
    title: 'Prices\n  & "spreads" in \u200bT+1',
    authors: [
      { keyname: 'Sørensen', forenames: 'Bo <B.>' },
      { keyname: 'King', forenames: 'Martin L.', suffix: 'Jr' },
      { keyname: 'The Market Group' },
    ],
    categories: ['q-fin.PR', '91G20', 'q-fin.CP', 'q-fin.PR'],
    comment: '12 pages,\n 3 figures',
    reportNo: 'WP-7',
    journalRef: 'J. Made Up 3 (2026) 1-9',
    doi: '10.1000/one 10.1000/two',
    published: '2026-05-02',
    updated: '2026-05-20',
  });
  expect(parsePage(renderRecord(paper))).toEqual({
    token: null,
    skipped: [],
    responseDate: '2026-06-01',
    records: [
      {
        id: '2609.00001',
        datestamp: '2026-05-01',
        metadata: {
          title: 'Prices & "spreads" in T+1',
          authors: ['Bo <B.> Sørensen', 'Martin L. King, Jr', 'The Market Group'],
          abstract:
            'We look at order books after a tick size change in sample 1. Costs fall by $x_{0} < 5\\%$ where traders & dealers meet twice a day.\n\nA second paragraph says what limits the result.',
          categories: ['q-fin.PR', 'q-fin.CP'],
          created: '2026-05-02',
          updated: '2026-05-20',
          comment: '12 pages, 3 figures',
          journalRef: 'J. Made Up 3 (2026) 1-9',
          doi: '10.1000/one 10.1000/two',
          licenseUrl: 'http://creativecommons.org/licenses/by/4.0/',
          versions: [],
        },
      },
    ],
  });
});

const BARE = `<record><header><identifier>oai:arXiv.org:q-fin/0601001</identifier><datestamp>2008-01-02</datestamp></header>
  <metadata><arXiv xmlns="http://arxiv.org/OAI/arXiv/"><title>Bare</title></arXiv></metadata></record>`;
const NOTHING = { abstract: '', authors: [], categories: [], created: null, licenseUrl: null };
const TITLED = { title: 'Bare', comment: null, ...NOTHING };
const DELETED = renderRecord(makePaper({ deleted: true }));
const TITLE = 'A title of ours';
const damaged = renderRecord(makePaper({ id: '2609.00002', title: TITLE }));
const withTitle = (xml: string) => damaged.replace(TITLE, () => xml);

it.each([
  ['lacks everything but its title', BARE, { id: 'q-fin/0601001', metadata: TITLED }],
  ['is deleted', DELETED, { id: '2609.00001', datestamp: '2026-05-01', metadata: null }],
  ['contains CDATA', withTitle('<![CDATA[A < B]]> &amp; C'), { metadata: { title: 'A < B & C' } }],
])('an arXiv record is read even if it %s', (_, record, read) => {
  expect(parsePage(record).records).toMatchObject([read]);
});

it('a record without an id, a date or a title is reported, and the others are kept', () => {
  const good = makePaper({ id: '2609.00002' });
  const broken = [{ id: 'nonsense' }, { datestamp: '2026-02-30' }, { title: '' }];
  const sent = [...broken.map((more) => makePaper(more)), good].map((paper) => renderRecord(paper));
  const { records, skipped } = parsePage(`<record/>${sent.join('')}`);
  expect(records.map(({ id }) => id)).toEqual(['2609.00002']);
  expect(skipped).toEqual([
    { id: null, reason: 'no arXiv id' },
    { id: null, reason: 'no arXiv id' },
    { id: '2609.00001', reason: 'no date' },
    { id: '2609.00001', reason: 'no title' },
  ]);
});

it.each([
  ['  Lines of one\nparagraph   are\njoined.\n', 'Lines of one paragraph are joined.'],
  ['It ends here:\r\n  (i) first;\r\n  (ii) last.', 'It ends here:\n\n(i) first;\n\n(ii) last.'],
  ['A gap without a stop\n\nparts them too', 'A gap without a stop\n\nparts them too'],
  [
    'We find $x > 5$.\n  Then "all is well."\n  So be it',
    'We find $x > 5$.\n\nThen "all is well."\n\nSo be it',
  ],
  [' \n\u200b \n', ''],
  ['hidden\u202e text\u0007 and\ttabs', 'hidden text and tabs'],
])('the abstract %j becomes %j', (sent, shown) => {
  expect(joinParagraphs(sent)).toBe(shown);
});

const record = renderRecord(makePaper());
const withToken = `${record}<resumptionToken expirationDate='2026-06-02T00:00:00Z'>
  verb=ListRecords&amp;set=q-fin%3Aq-fin&amp;skip=4</resumptionToken>`;

it('a page of records has a token unless it is the last', () => {
  expect(parsePage(withToken).token).toBe('verb=ListRecords&set=q-fin%3Aq-fin&skip=4');
  expect(parsePage(`${record}<resumptionToken/>`).token).toBeNull();
  expect(parsePage(record).token).toBeNull();
  expect(parsePage('<resumptionToken/>')).toMatchObject({ records: [], token: null });
});

it('an error response counts as an empty page if no records match, but not if the token has expired', () => {
  const nothing = parseRecordPage(response("<error code='noRecordsMatch'>x</error>"));
  expect(nothing).toMatchObject({ records: [], token: null, responseDate: '2026-06-01' });
  const spent = response("<error code='badResumptionToken'/>");
  expect(() => parseRecordPage(spent)).toThrow(TokenExpired);
});

it.each([
  ['badArgument', 'badArgument'],
  ['made up', 'other'],
])('a refusal by arXiv with the code "%s" is reported as "%s", without its text', (code, name) => {
  const refused = response(`<error code='${code}'>Words of arXiv</error>`);
  const message = `arXiv rejected the request for records (${name}).`;
  expect(() => parseRecordPage(refused)).toThrow(new RejectedRequestError(message));
});

it.each([
  ['no content', ''],
  ['only HTML', '<!DOCTYPE html><html><head><title>Busy</title></head><body></body></html>'],
  ['its own entity', `<!DOCTYPE OAI-PMH [<!ENTITY x "y">]>${page('&x;').toString().slice(39)}`],
  ['no date', '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords/></OAI-PMH>'],
  ['neither a record nor a token', page('')],
  ['a token but no record', page('<resumptionToken>next</resumptionToken>')],
])('a page of records with %s is invalid', (_, body) => {
  expect(() => parseRecordPage(Buffer.from(body))).toThrow(InvalidResponseError);
});

it('a page of records is invalid wherever it is truncated', () => {
  const whole = page(withToken);
  const taken: number[] = [];
  for (let length = 0; length < whole.length; length += 1) {
    try {
      parseRecordPage(whole.subarray(0, length));
      taken.push(length);
    } catch (error) {
      // One matcher for all lengths: there are more than a thousand.
      if (!(error instanceof InvalidResponseError)) throw error;
    }
  }
  expect(taken).toEqual([]);
});

const TOKEN = '<resumptionToken>next</resumptionToken>';
const [first, , third] = makePapers(3).map((paper) => renderRecord(paper));
const between = (record: string) => page(`${first}\n${record}\n${third}${TOKEN}`);
const parse = (record: string) => parseRecordPage(between(record));
const nested = (depth: number) => withTitle('<i>'.repeat(depth) + '</i>'.repeat(depth));

it.each([
  ['an unclosed tag', withTitle('<b>bold')],
  ['unclosed CDATA', withTitle('<![CDATA[x')],
  ['a document type', withTitle('<!DOCTYPE x [')],
  ['tags nested 40,000 deep', nested(40_000)],
  ['a missing end tag', damaged.replace('</record>', '')],
  ['an HTML entity', withTitle('Risk&nbsp;')],
  ['a bare ampersand', withTitle('S&P 500')],
  ['3,000,000 characters', withTitle('x'.repeat(3_000_000))],
])('a record with %s is skipped, and the others are kept', (_, record) => {
  const { records, skipped, token } = parse(record);
  expect(records.map(({ id }) => id)).toEqual(['2609.00001', '2609.00003']);
  expect(skipped).toEqual([{ id: '2609.00002', reason: 'malformed XML' }]);
  expect(token).toBe('next');
});

it('a record is read despite bytes that are not UTF-8, or tags nested 3,000 deep', () => {
  const [before = '', after = ''] = between(withTitle('up-down')).toString().split('-down');
  const body = Buffer.concat([Buffer.from(before), Buffer.of(0xc3, 0x28), Buffer.from(after)]);
  expect(parseRecordPage(body).records[1]?.metadata?.title).toBe('up\ufffd(');
  const deep = nested(3_000).replace('</i>', 'deep</i>');
  expect(parse(deep).records[1]?.metadata?.title).toBe('deep');
});

it('a damaged record whose id cannot be read is reported without an id', () => {
  const anonymous = damaged.replace('</identifier>', '').replace('2609.00002', '?');
  expect(parse(anonymous).skipped).toEqual([{ id: null, reason: 'malformed XML' }]);
});

it('a page of only damaged records is read if it has one, but invalid if it has 100', () => {
  const alone = (count: number) => parsePage(withTitle('<b>').repeat(count) + TOKEN);
  expect(alone(1)).toMatchObject({ records: [], skipped: [{}], token: 'next' });
  expect(() => alone(100)).toThrow(InvalidResponseError);
});

it.each([
  ['after an open record', withTitle('<![CDATA[').replace('</record>', '') + TOKEN],
  ['inside a damaged title', withTitle(`<b>${TOKEN}`)],
  ['inside a record', withTitle('A').replace('</record>', `${TOKEN}</record>`)],
  ['truncated', `${withTitle('<b>')}<resumptionTok`],
])('a page of records is invalid if its token is %s', (_, end) => {
  expect(() => parsePage(`${first}${end}`)).toThrow(InvalidResponseError);
});

it('the token and the other records of a page are read, whatever a damaged record contains', () => {
  const fragment = fc.oneof(
    fc.constantFrom(
      ...'< > & " <b> </b> </title> </metadata> <header> <![CDATA[ ]]> <!-- --> <?x ?>'.split(' '),
      ...['<!DOCTYPE x [', '&#0;', '&nbsp;', '<x:y>', '\u0000'],
    ),
    fc.string({ maxLength: 5 }),
  );
  const inside = fc.integer({ min: '        <record>'.length, max: damaged.length - 9 });
  const fragments = fc.array(fragment, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fragments, inside, (parts, at) => {
      const record = damaged.slice(0, at) + parts.join('') + damaged.slice(at);
      const { records, skipped, token } = parse(record);
      const ids = records.map(({ id }) => id);
      expect(token).toBe('next');
      expect(ids).toEqual(expect.arrayContaining(['2609.00001', '2609.00003']));
      expect(ids.length + skipped.length).toBeGreaterThanOrEqual(3);
    }),
    { numRuns: 200 },
  );
});

it('a record in the raw format has its versions and most other fields, but no authors', () => {
  const facts = { comment: '9 pages', doi: '10.1000/one', journalRef: 'J. Made Up 1' };
  const dates = { published: '2026-05-01', updated: '2026-05-20' };
  const paper = makePaper({ version: 3, ...dates, ...facts });
  const body = response(`<GetRecord>${renderRecord(paper, 'arXivRaw')}</GetRecord>`);
  expect(parseSingleRecord(body, paper.id)?.metadata).toMatchObject({
    versions: [
      { version: 1, day: '2026-05-01' },
      { version: 2, day: '2026-05-20' },
      { version: 3, day: '2026-05-20' },
    ],
    ...facts,
    authors: [],
    licenseUrl: paper.license,
    categories: ['q-fin.TR', 'stat.ML'],
  });
});

it('a response for a single record must contain that record, or report that it does not exist', () => {
  const single = response(`<GetRecord>${renderRecord(makePaper())}</GetRecord>`);
  expect(parseSingleRecord(single, '2609.00001')?.id).toBe('2609.00001');
  expect(() => parseSingleRecord(single, '2609.00002')).toThrow(
    new InvalidResponseError('arXiv sent no usable record for 2609.00002.'),
  );
  expect(parseSingleRecord(response("<error code='idDoesNotExist'/>"), '2609.00002')).toBeNull();
  const rejected = response("<error code='badVerb'/>");
  expect(() => parseSingleRecord(rejected, '2609.00001')).toThrow(RejectedRequestError);
});

describeShared('an arXiv response recorded in 2018', 'data/papers/oai/recorded-2018', (folder) => {
  it('is read despite affiliations, with both paragraphs of the abstract', () => {
    const file = join(folder, 'oaipmh-getrecord---should-get-a-record.json');
    const [{ response }] = JSON.parse(readFileSync(file, 'utf8'));
    const record = parseSingleRecord(Buffer.from(response), '1412.8544');
    expect(record).toMatchObject({ datestamp: '2015-01-03', metadata: expect.anything() });
    expect(record?.metadata).toMatchObject({
      authors: ['Sander Uijlen', 'Bas Westerbaan'],
      categories: ['cs.DM'],
      created: '2014-12-29',
      updated: null,
      doi: '10.4204/EPTCS.172.11',
    });
    expect(record?.metadata?.abstract.split('\n\n')).toHaveLength(2);
  });
});
