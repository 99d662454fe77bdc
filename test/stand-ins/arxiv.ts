import { gzipSync } from 'node:zlib';
import { type OaiSettings, StandInOai } from './arxiv-oai.ts';
import { makeHtmlPage, makePdf } from './arxiv-pages.ts';
import type { StandInPaper } from './arxiv-papers.ts';
import { redirect, type StandInResponse } from './faults.ts';
import { startUpstream, type Upstream } from './upstream.ts';

export interface StandInOptions extends Partial<OaiSettings> {
  records: readonly StandInPaper[];
  /** Whether to compress for clients that accept it, as arXiv does. */
  gzip?: boolean;
}

/** All arXiv services on one local port. */
export interface StandIn extends Upstream {
  bases: { oaiUrl: string; webUrl: string; ar5ivUrl: string };
  /** The addresses as environment variables, for a child process. */
  env: Readonly<Record<string, string>>;
  /** Content of all responses; tests may change it at any time. */
  records: StandInPaper[];
  /** Changes one paper; throws if the id is unknown. */
  change(id: string, more: Partial<StandInPaper>): void;
  expireTokens(): void;
}

export async function startArxiv(options: StandInOptions): Promise<StandIn> {
  const { pageSize = 50, joinRepeats = 1, now = () => new Date() } = options;
  const oai = new StandInOai({ pageSize, joinRepeats, now });
  const records = [...options.records];
  const upstream = await startUpstream(({ path, headers }, fault) => {
    const { pathname, searchParams } = new URL(path, 'http://127.0.0.1');
    const respond = () => {
      if (fault.kind === 'bad-token') return xml(oai.error('badResumptionToken'));
      if (fault.kind === 'empty-page') return xml(oai.emptyPage());
      if (pathname === '/oai') return xml(oai.respond(searchParams, records));
      return webResponse(pathname, records);
    };
    const response = respond();
    const takesGzip = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
    if (options.gzip !== true || !takesGzip) return response;
    const packed = { ...response.headers, 'content-encoding': 'gzip' };
    return { ...response, body: gzipSync(response.body), headers: packed };
  });
  const { url } = upstream;
  const bases = { oaiUrl: `${url}/oai`, webUrl: url, ar5ivUrl: `${url}/ar5iv` };
  return Object.assign(upstream, {
    bases,
    env: {
      QUANTSHELF_ARXIV_OAI_URL: bases.oaiUrl,
      QUANTSHELF_ARXIV_WEB_URL: bases.webUrl,
      QUANTSHELF_AR5IV_URL: bases.ar5ivUrl,
    },
    records,
    change(id: string, more: Partial<StandInPaper>) {
      const paper = records.find((each) => each.id === id);
      if (paper === undefined) throw new Error(`the stand-in has no paper ${id}`);
      Object.assign(paper, more);
    },
    expireTokens: () => oai.expireTokens(),
  });
}

/** Sends HTML pages and PDF files. Withdrawn and unknown papers have none. */
function webResponse(path: string, papers: readonly StandInPaper[]): StandInResponse {
  const [, ar5iv, kind, id, version] =
    /^(\/ar5iv)?\/(html|pdf)\/(.+?)(?:v(\d+))?$/.exec(path) ?? [];
  const paper = papers.find((each) => each.id === id && each.deleted !== true);
  if (ar5iv !== undefined) {
    if (id === undefined || !/^\d{4}\.\d{4,5}$|\/\d{7}$/.test(id)) return absent();
    const page =
      paper === undefined || paper.ar5iv === null ? null : (paper.ar5iv ?? pageOf(paper));
    return page === null ? redirect(`https://arxiv.org/abs/${id}`) : html(page);
  }
  if (paper === undefined || Number(version ?? 1) > paper.version) return absent();
  if (kind === 'html') return paper.html === null ? absent() : html(paper.html ?? pageOf(paper));
  if (paper.pdf === null) return absent();
  return {
    status: 200,
    type: 'application/pdf',
    body: paper.pdf ?? makePdf([paper.title, ...pageLines]),
  };
}

const pageLines = [
  '1 Introduction',
  'These lines stand for a paper.',
  '2 Conclusion',
  'Little was said.',
];

function pageOf({ title, abstract, authors }: StandInPaper): string {
  return makeHtmlPage({
    title,
    abstract: abstract.replace(/\s+/g, ' ').trim(),
    authors: authors.map(({ forenames, keyname }) => [forenames, keyname].join(' ').trim()),
    sections: [
      { title: 'Introduction', text: `What follows is about ${title}.` },
      {
        title: 'Results',
        text: 'Wider spreads cost more.',
        formula: String.raw`y = \alpha + \beta x`,
      },
    ],
    references: ['A. Nobody. A book that was never written. 1999.'],
  });
}

function xml(body: string): StandInResponse {
  return { status: 200, type: 'text/xml; charset=utf-8', body: Buffer.from(body) };
}

function html(body: string, status = 200): StandInResponse {
  return { status, type: 'text/html; charset=utf-8', body: Buffer.from(body) };
}

function absent(): StandInResponse {
  return html('<!DOCTYPE html><html><body><h1>Nothing of that name</h1></body></html>', 404);
}
