import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type OaiSettings, StandInOai } from './arxiv-oai.ts';
import { makeHtmlPage, makePdf } from './arxiv-pages.ts';
import type { StandInPaper } from './arxiv-papers.ts';
import {
  type Answer,
  deliver,
  type Fault,
  FaultQueue,
  faultAnswer,
  type Matcher,
} from './faults.ts';
import { end, listen } from './listen.ts';

export interface StandInOptions extends Partial<OaiSettings> {
  records: readonly StandInPaper[];
  /** Compress for clients that accept it, as arXiv does. */
  gzip?: boolean;
}

export interface LoggedRequest {
  /** With its query, as received. */
  path: string;
  userAgent: string | undefined;
  /** Milliseconds of the wall clock. */
  startedAt: number;
  /** Undefined while it is being answered. */
  endedAt: number | undefined;
}

/** All arXiv services on one local port. */
export interface StandIn {
  bases: { oaiUrl: string; webUrl: string; ar5ivUrl: string };
  /** The same as environment variables, for a child process. */
  env: Readonly<Record<string, string>>;
  /** The source of all responses; may be changed at any time. */
  records: StandInPaper[];
  requests: LoggedRequest[];
  /** Largest number of requests in flight at once. */
  readonly maxInFlight: number;
  /** Each matching request takes the next fault; queues added earlier come first. */
  fault(matcher: Matcher, faults: readonly Fault[]): void;
  /** Number of faults not used yet. */
  readonly faultsLeft: number;
  /** Changes one paper; throws if there is none with this id. */
  change(id: string, more: Partial<StandInPaper>): void;
  expireTokens(): void;
  close(): Promise<void>;
}

export async function startArxiv(options: StandInOptions): Promise<StandIn> {
  const { pageSize = 50, joinRepeats = 1, now = () => new Date() } = options;
  const oai = new StandInOai({ pageSize, joinRepeats, now });
  const faults = new FaultQueue();
  const requests: LoggedRequest[] = [];
  const records = [...options.records];
  let inFlight = 0;
  let maxInFlight = 0;

  function log(request: IncomingMessage, response: ServerResponse): string {
    const entry: LoggedRequest = {
      path: request.url ?? '',
      userAgent: request.headers['user-agent'],
      startedAt: Date.now(),
      endedAt: undefined,
    };
    requests.push(entry);
    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    const end = () => {
      if (entry.endedAt !== undefined) return;
      entry.endedAt = Date.now();
      inFlight -= 1;
    };
    // A client may send its next request before the response is closed.
    response.on('finish', end);
    response.on('close', end);
    return entry.path;
  }

  const server = createServer((request, response) => {
    const path = log(request, response);
    const fault = faults.take(path);
    const respond = async () => {
      if (fault.kind === 'held') await fault.until;
      const answer = answerTo(new URL(path, 'http://127.0.0.1'), standIn.records, {
        oai,
        fault,
      });
      const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
      deliver(response, options.gzip === true && takesGzip ? compress(answer) : answer, fault);
    };
    respond().catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  const url = await listen(server);

  const standIn: StandIn = {
    bases: { oaiUrl: `${url}/oai`, webUrl: url, ar5ivUrl: `${url}/ar5iv` },
    env: {
      QUANTSHELF_ARXIV_OAI_URL: `${url}/oai`,
      QUANTSHELF_ARXIV_WEB_URL: url,
      QUANTSHELF_AR5IV_URL: `${url}/ar5iv`,
    },
    records,
    requests,
    get maxInFlight() {
      return maxInFlight;
    },
    get faultsLeft() {
      return faults.count();
    },
    fault: (matcher, queue) => faults.add(matcher, queue),
    change(id, more) {
      const paper = standIn.records.find((each) => each.id === id);
      if (paper === undefined) throw new Error(`the stand-in has no paper ${id}`);
      Object.assign(paper, more);
    },
    expireTokens: () => oai.expireTokens(),
    close: () => end(server),
  };
  return standIn;
}

interface Behind {
  oai: StandInOai;
  fault: Fault;
}

function answerTo(url: URL, papers: readonly StandInPaper[], { oai, fault }: Behind): Answer {
  const answer = faultAnswer(fault, 'text/plain');
  if (answer !== null) return answer;
  switch (fault.kind) {
    case 'bad-token':
      return xml(oai.error('badResumptionToken'));
    case 'redirect':
      return redirect(fault.location, fault.status);
    case 'empty-page':
      return xml(oai.emptyPage());
    default:
  }
  if (url.pathname === '/oai') return xml(oai.answer(url.searchParams, papers));
  return webAnswer(url.pathname, papers);
}

/** HTML pages and PDF files; withdrawn and unknown papers have none. */
function webAnswer(path: string, papers: readonly StandInPaper[]): Answer {
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

function xml(body: string): Answer {
  return { status: 200, type: 'text/xml; charset=utf-8', body: Buffer.from(body) };
}

function html(body: string, status = 200): Answer {
  return { status, type: 'text/html; charset=utf-8', body: Buffer.from(body) };
}

function absent(): Answer {
  return html('<!DOCTYPE html><html><body><h1>Nothing of that name</h1></body></html>', 404);
}

function redirect(location: string, status = 307): Answer {
  return { ...html('', status), headers: { location } };
}

function compress(answer: Answer): Answer {
  const headers = { ...answer.headers, 'content-encoding': 'gzip' };
  return { ...answer, body: gzipSync(answer.body), headers };
}
