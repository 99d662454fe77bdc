import { escapeXml } from './arxiv-oai.ts';
import type { StandInPaper } from './arxiv-papers.ts';

const ID = /^(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?\/\d{7})(?:v([1-9]\d*))?$/;

export interface FeedAnswer {
  status: number;
  body: string;
}

/** The query API, for lists of ids only. */
export function answerQuery(
  query: URLSearchParams,
  papers: readonly StandInPaper[],
  now: Date,
): FeedAnswer {
  const ids = (query.get('id_list') ?? '').split(',').filter((id) => id !== '');
  const wrong = ids.find((id) => !ID.test(id));
  if (wrong !== undefined) {
    return { status: 400, body: errorFeed(`incorrect_id_format_for_${wrong}`, now) };
  }
  const found = ids.flatMap((id) => {
    const [, bare, version] = ID.exec(id) ?? [];
    const paper = papers.find((each) => each.id === bare && each.deleted !== true);
    if (paper === undefined || Number(version ?? 1) > paper.version) return [];
    return version === undefined ? [paper] : [{ ...paper, version: Number(version) }];
  });
  const start = Number(query.get('start') ?? 0);
  const size = Number(query.get('max_results') ?? 10);
  const shown = found.slice(start, start + size);
  return { status: 200, body: feed({ query, total: found.length, start, size, shown, now }) };
}

/** The same feed without entries, although it claims `total` of them. */
export function emptyFeed(query: URLSearchParams, total: number, now: Date): string {
  return feed({ query, total, start: 0, size: 10, shown: [], now });
}

export function errorFeed(slug: string, now: Date): string {
  const link = escapeXml(`https://arxiv.org/api/errors#${slug}`);
  return wrap(
    'arXiv Search Results',
    now,
    [1, 1, 0],
    `  <entry>
    <id>${link}</id>
    <title>Error</title>
    <updated>${seconds(now)}</updated>
    <link href="${link}" rel="alternate" type="text/html"/>
    <summary>${escapeXml(slug.replace(/_/g, ' '))}</summary>
    <author>
      <name>arXiv api core</name>
    </author>
  </entry>\n`,
  );
}

interface Feed {
  query: URLSearchParams;
  total: number;
  start: number;
  size: number;
  shown: readonly StandInPaper[];
  now: Date;
}

function feed({ query, total, start, size, shown, now }: Feed): string {
  const ids = query.get('id_list') ?? '';
  const title = `arXiv Query: search_query=&id_list=${ids}&start=${start}&max_results=${size}`;
  return wrap(title, now, [size, total, start], shown.map(renderEntry).join(''));
}

function wrap(
  title: string,
  now: Date,
  counts: readonly [number, number, number],
  entries: string,
) {
  const [size, total, start] = counts;
  return `<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/made-up</id>
  <title>${escapeXml(title)}</title>
  <updated>${seconds(now)}</updated>
  <opensearch:itemsPerPage>${size}</opensearch:itemsPerPage>
  <opensearch:totalResults>${total}</opensearch:totalResults>
  <opensearch:startIndex>${start}</opensearch:startIndex>
${entries}</feed>
`;
}

function renderEntry(paper: StandInPaper): string {
  const named = `${paper.id}v${paper.version}`;
  const pdf =
    paper.pdf === null
      ? ''
      : `    <link href="https://arxiv.org/pdf/${named}" rel="related" type="application/pdf" title="pdf"/>\n`;
  const categories = [...paper.categories]
    .sort()
    .map(
      (term) =>
        `    <category term="${escapeXml(term)}" scheme="http://arxiv.org/schemas/atom"/>\n`,
    );
  const authors = paper.authors.map(({ keyname, forenames, suffix }) => {
    const name = [forenames, keyname, suffix].filter((part) => part !== undefined).join(' ');
    return `    <author>\n      <name>${escapeXml(name)}</name>\n    </author>\n`;
  });
  const entry = `  <entry>
    <id>http://arxiv.org/abs/${named}</id>
    <title>${escapeXml(paper.title)}</title>
    <updated>${paper.updated}T09:10:11Z</updated>
    <link href="https://arxiv.org/abs/${named}" rel="alternate" type="text/html"/>
${pdf}    <summary>${escapeXml(paper.abstract)}</summary>
${categories.join('')}    <published>${paper.published}T09:10:11Z</published>
${optional('comment', paper.comment)}    <arxiv:primary_category term="${escapeXml(paper.categories[0] ?? '')}"/>
${optional('journal_ref', paper.journalRef)}${optional('doi', paper.doi)}${authors.join('')}  </entry>
`;
  return paper.damage?.(entry) ?? entry;
}

function optional(name: string, text: string | undefined): string {
  return text === undefined ? '' : `    <arxiv:${name}>${escapeXml(text)}</arxiv:${name}>\n`;
}

function seconds(now: Date): string {
  return now.toISOString().replace(/\.\d+Z$/, 'Z');
}
