import type { StandInPaper } from './arxiv-papers.ts';

const EARLIEST = '2005-09-16';
export interface OaiSettings {
  /** Records per page. */
  pageSize: number;
  /** Number of records at the end of a page that the next page repeats. */
  joinRepeats: number;
  now: () => Date;
}

export function escapeXml(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&#34;')
    .replace(/'/g, '&#39;');
}

/** arXiv's OAI-PMH repository; it keeps the tokens that it issued. */
export class StandInOai {
  readonly #settings: OaiSettings;
  readonly #issued = new Set<string>();

  constructor(settings: OaiSettings) {
    this.#settings = settings;
  }

  /** Invalidates all tokens issued so far. */
  expireTokens(): void {
    this.#issued.clear();
  }

  respond(query: URLSearchParams, papers: readonly StandInPaper[]): string {
    const verb = query.get('verb');
    if (verb === 'GetRecord') return this.#getRecord(query, papers);
    if (verb !== 'ListRecords') return this.error('badVerb');
    const token = query.get('resumptionToken');
    if (token === null) return this.#list(query, papers, 0, false);
    if ([...query.keys()].length !== 2) return this.error('badArgument');
    if (!this.#issued.has(token)) return this.error('badResumptionToken');
    const state = new URLSearchParams(token);
    return this.#list(state, papers, Number(state.get('skip')), true);
  }

  error(code: string): string {
    return this.#document(`<error code='${code}'>Made up for a test.</error>`);
  }

  /** A list that has a resumption token but no records. */
  emptyPage(): string {
    return this.#document(`<ListRecords>${this.#token('verb=ListRecords&skip=0')}</ListRecords>`);
  }

  #getRecord(query: URLSearchParams, papers: readonly StandInPaper[]): string {
    const id = query.get('identifier')?.replace(/^oai:arXiv\.org:/, '');
    if (id === undefined) return this.error('badArgument');
    const prefix = query.get('metadataPrefix');
    if (prefix !== 'arXiv' && prefix !== 'arXivRaw') return this.error('cannotDisseminateFormat');
    const paper = papers.find((each) => each.id === id);
    if (paper === undefined) return this.error('idDoesNotExist');
    return this.#document(`<GetRecord>${renderRecord(paper, prefix)}</GetRecord>`);
  }

  #list(
    query: URLSearchParams,
    papers: readonly StandInPaper[],
    skip: number,
    resumed: boolean,
  ): string {
    const fault = listFault(query);
    if (fault !== null) return this.error(fault);
    const from = query.get('from') ?? EARLIEST;
    const set = query.get('set');
    const all = papers
      .filter(({ datestamp }) => datestamp >= from)
      .filter(
        (paper) => set === null || setsOf(paper).some((spec) => `${spec}:`.startsWith(`${set}:`)),
      )
      .sort((a, b) => a.datestamp.localeCompare(b.datestamp) || a.id.localeCompare(b.id));
    const page = all.slice(skip, skip + this.#settings.pageSize);
    const last = page.at(-1);
    if (last === undefined) return this.error('noRecordsMatch');
    const hasMore = skip + page.length < all.length;
    const format = query.get('metadataPrefix') === 'arXivRaw' ? 'arXivRaw' : 'arXiv';
    const records = page.map((paper) => renderRecord(paper, format)).join('\n');
    if (hasMore)
      return this.#document(`<ListRecords>${records}${this.#next(query, all, last)}</ListRecords>`);
    return this.#document(
      `<ListRecords>${records}${resumed ? '<resumptionToken/>' : ''}</ListRecords>`,
    );
  }

  /** A token that continues from the day of the last record, after the records of that day already sent. */
  #next(query: URLSearchParams, all: readonly StandInPaper[], last: StandInPaper): string {
    const ofDay = all.filter(({ datestamp }) => datestamp === last.datestamp);
    const skip = Math.max(0, ofDay.indexOf(last) + 1 - this.#settings.joinRepeats);
    const state = new URLSearchParams(query);
    state.set('verb', 'ListRecords');
    state.set('from', last.datestamp);
    state.set('skip', String(skip));
    return this.#token(state.toString());
  }

  #token(token: string): string {
    this.#issued.add(token);
    const expires = new Date(this.#settings.now().getTime() + 86_400_000)
      .toISOString()
      .slice(0, 10);
    return `<resumptionToken expirationDate='${expires}T00:00:00Z'>${escapeXml(token)}</resumptionToken>`;
  }

  #document(interior: string): string {
    const date = this.#settings
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
    return `<?xml version="1.0" encoding="UTF-8"?>

<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" 
         xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
         xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">
    <responseDate>${date}</responseDate>
    <request>http://127.0.0.1/oai</request>

    ${interior}
</OAI-PMH>`;
  }
}

function listFault(query: URLSearchParams): string | null {
  const from = query.get('from');
  if (from !== null && !(/^\d{4}-\d{2}-\d{2}$/.test(from) && from >= EARLIEST))
    return 'badArgument';
  const prefix = query.get('metadataPrefix');
  if (prefix === null) return 'badArgument';
  return prefix === 'arXiv' || prefix === 'arXivRaw' ? null : 'cannotDisseminateFormat';
}

/** Sets as group:archive:CATEGORY, as outside physics; an alias is a further set. */
function setsOf({ categories }: Pick<StandInPaper, 'categories'>): string[] {
  const aliases: Readonly<Record<string, string>> = {
    'q-fin.EC': 'econ.GN',
    'econ.GN': 'q-fin.EC',
  };
  const all = categories.flatMap((category) => [category, aliases[category] ?? category]);
  return [...new Set(all)].map((category) => {
    const [archive = '', subject] = category.split('.');
    return [archive, archive, ...(subject === undefined ? [] : [subject])].join(':');
  });
}

/** Formatted like arXiv's own templates, including the white space between elements. */
export function renderRecord(paper: StandInPaper, format: 'arXiv' | 'arXivRaw' = 'arXiv'): string {
  const sets = setsOf(paper).map((spec) => `            <setSpec>${escapeXml(spec)}</setSpec>\n`);
  const status = paper.deleted === true ? ' status="deleted"' : '';
  const metadata =
    paper.deleted === true
      ? ''
      : `            <metadata>\n${format === 'arXiv' ? renderMetadata(paper) : renderRaw(paper)}\n            </metadata>\n`;
  const record = `        <record>
    <header${status}>
        <identifier>oai:arXiv.org:${paper.id}</identifier>
        <datestamp>${paper.datestamp}</datestamp>
${sets.join('')}    </header>
${metadata}        </record>`;
  return paper.damage?.(record) ?? record;
}

function renderMetadata(paper: StandInPaper): string {
  const authors = paper.authors.map(
    ({ keyname, forenames, suffix }) => `                <author>
${optional('keyname', keyname)}${optional('forenames', forenames)}${optional('suffix', suffix)}                </author>\n`,
  );
  const updated = paper.updated === paper.published ? undefined : paper.updated;
  return `    <arXiv xmlns="http://arxiv.org/OAI/arXiv/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://arxiv.org/OAI/arXiv/ https://oaipmh.arxiv.org/OAI/arXiv.xsd">
${optional('id', paper.id)}${optional('created', paper.created ?? paper.published)}${optional('updated', updated)}        <authors>
${authors.join('')}        </authors>
${optional('title', paper.title)}${optional('categories', paper.categories.join(' '))}${renderRest(paper)}    </arXiv>`;
}

function renderRest(paper: StandInPaper): string {
  return `${optional('comments', paper.comment)}${optional('report-no', paper.reportNo)}${optional('journal-ref', paper.journalRef)}${optional('doi', paper.doi)}${optional('license', paper.license)}${optional('abstract', paper.abstract)}`;
}

/** The paper's history: the days of all versions, and the authors on one line. */
function renderRaw(paper: StandInPaper): string {
  const versions = Array.from({ length: paper.version }, (_, at) => {
    const day = new Date(`${at === 0 ? paper.published : paper.updated}T09:10:11Z`);
    return `        <version version="v${at + 1}">
            <date>${day.toUTCString()}</date>
            <size>12kb</size>${at + 1 === paper.version && paper.sourceType !== undefined ? `\n            <source_type>${paper.sourceType}</source_type>` : ''}
        </version>\n`;
  });
  const authors = paper.authors.map(({ forenames, keyname, suffix }) =>
    [forenames, keyname, suffix].filter((part) => part !== undefined).join(' '),
  );
  return `    <arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://arxiv.org/OAI/arXivRaw/ https://oaipmh.arxiv.org/OAI/arXivRaw.xsd">
${optional('id', paper.id)}${optional('submitter', authors[0])}${versions.join('')}${optional('title', paper.title)}${optional('authors', authors.join(', '))}${optional('categories', paper.categories.join(' '))}${renderRest(paper)}    </arXivRaw>`;
}

function optional(name: string, text: string | undefined): string {
  return text === undefined || text === ''
    ? ''
    : `        <${name}>${escapeXml(text)}</${name}>\n        \n`;
}
