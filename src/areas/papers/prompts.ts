import type { StoredShelf } from '../../core/context.ts';
import { type Completer, HOW_TO_READ, type Prompt, QUOTED_TEXTS } from '../../core/resource.ts';
import { paperUri } from './arxiv/ids.ts';
import { readPaperId, requirePaper } from './find.ts';
import { cardIdOfText } from './own-hidden.ts';
import { getPaperById, listSectionsWithPhrase, listTags, type PaperRow } from './queries.ts';
import { servedBy, toReading } from './reading.ts';
import { completePaper } from './resources.ts';

const VERDICT =
  'meta.verdict rates how well the best card matches the query, and meta.holding counts the papers that contain all its terms. If the verdict is "weak", read before you claim anything; if it is "none", search once more in other words before you say that this shelf has nothing on it. Do not claim more than the papers support.';

/** Tags that contain the typed text. */
const completeTopic: Completer = (typed, { db }) =>
  listTags(db)
    .map(({ tag }) => tag)
    .filter((tag) => tag.includes(typed.trim().toLowerCase()));

const topicArgument = (description: string): Prompt['arguments'] => ({
  topic: { description, isRequired: true, max: 500, complete: completeTopic },
});

const literatureReview: Prompt = {
  name: 'literature_review',
  title: 'Literature review',
  description:
    'Reviews what the papers on the shelf say about a topic, citing a section for every statement.',
  area: 'papers',
  arguments: topicArgument('What the review is about, in plain words.'),
  write: ({ topic = '' }) => `Write a literature review on this topic: ${JSON.stringify(topic)}

Use QuantShelf:
1. Call paper_search with the topic, then two or three times in other words (topK 10). ${VERDICT}
2. Choose the relevant papers. meta.matches names the sections that match best; availableSections lists the others. Read them by key with paper_read, which is free; do not ask for "all".
3. Organise the review by question, not by paper. Say where papers agree, where they contradict one another, and what none of them answers.
4. Cite every statement as (first author, year, arXiv id, section_key), from sections that you have read. If meta.notice says that a digest or notes are by QuantShelf, attribute them to QuantShelf. If only the abstract is available, say so.
5. End with a list of the papers; the resource quantshelf://paper/{arXiv id}/bibtex is the BibTeX entry of each, which paper_read returns as well.

${HOW_TO_READ}`,
};

const checkClaim: Prompt = {
  name: 'check_claim',
  title: 'Check a claim against the shelf',
  description:
    'Looks up a quotation word for word in the stored sections, and asks the assistant to judge the claim by the evidence in the papers.',
  area: 'papers',
  arguments: {
    claim: {
      description: 'The quotation or claim, at most 1,000 characters.',
      isRequired: true,
      max: 1_000,
    },
    paper: {
      description: 'arXiv id or paperCardId of the paper that the claim is attributed to.',
      isRequired: false,
      max: 200,
      complete: completePaper,
    },
  },
  write({ claim: first = '', paper: second }, shelf) {
    // A host that splits a command at spaces passes the first word as the claim, the second as the paper.
    const isWord = second !== undefined && !/\s/u.test(first + second) && !isPaperId(second);
    const claim = isWord ? `${first} ${second}` : first;
    const within =
      second === undefined || isWord ? undefined : requirePaper(shelf, second, 'paper');
    return `Check this claim: ${JSON.stringify(claim)}

${lookUp(shelf, claim, within)}

Use QuantShelf:
1. If the claim appears word for word, read that section with paper_read (free) and say whether the context supports the claim.
2. A similar passage is not a quotation: show the difference, and do not correct the claim silently.
3. If it was not found, call paper_search with the claim in your own words. ${VERDICT} Read the sections that meta.matches names, and look for evidence both for and against the claim.
4. Answer with one of: quoted exactly, quoted inexactly, supported, contradicted, not found on this shelf. "Not found" does not prove the claim false.
5. Cite the paper and section_key of each passage, and quote no more than you need.

${HOW_TO_READ}`;
  },
};

const compareWithMine: Prompt = {
  name: 'compare_with_my_papers',
  title: 'Compare with my own papers',
  description:
    "Compares the user's own papers on a topic with the others on the shelf, citing a section for every statement.",
  area: 'papers',
  arguments: topicArgument('The topic of the comparison, in plain words.'),
  write: ({
    topic = '',
  }) => `Compare my own papers with the others on the shelf on this topic: ${JSON.stringify(topic)}

Use QuantShelf:
1. Call paper_search twice (topK 10): once with the topic and source:own, which selects the files that I added with \`quantshelf add\`, and once with the topic and -source:own. ${VERDICT}
2. If the first search finds nothing related, say so and stop: either none of my papers here covers the topic, or this connection does not serve them.
3. Read the sections that meta.matches names with paper_read, which is free; do not ask for "all".
4. Compare what both sides claim, and from which data and by which method: where my papers agree with the others, where they contradict them, and which questions each side answers that the other leaves open.
5. Cite every statement as (first author, year, sourcePaperId, section_key), from sections that you have read, and mark my papers as mine. An own paper without authors or a date is cited by its title.

${HOW_TO_READ}`,
};

/** Whether a text looks like the id of a paper: an arXiv id, a card id, or an id with a prefix. */
function isPaperId(text: string): boolean {
  return readPaperId(text).arxivId !== null || /^[0-9a-f-]{32,}$|^\w+:/i.test(text.trim());
}

export const paperPrompts: readonly Prompt[] = [literatureReview, checkClaim, compareWithMine];

/** Minimum number of words in a quotation; a shorter one occurs in many texts by chance. */
const MIN_WORDS = 3;
const MAX_QUOTATIONS = 5;
/** Number of sections to look up: more than are listed, because some may not be served. */
const MAX_SECTIONS = 50;

/**
 * Writes the prompt's list of sections that contain a quotation, in one paper if given. Ignores case,
 * accents and punctuation, and leaves out sections that callers may not read.
 */
function lookUp(shelf: StoredShelf, quotation: string, within: PaperRow | undefined): string {
  const words = quotation.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  if (words.length < MIN_WORDS) return 'The claim is too short to be looked up word for word.';
  const lines = listSectionsWithPhrase(shelf.db, words, within?.textId, MAX_SECTIONS)
    .flatMap(({ textId, section_key, section_type }) => {
      const paper = toReading(shelf.db, getPaperById(shelf.db, cardIdOfText(textId)));
      if (paper?.withdrawn !== 0 || paper.textId !== textId) return [];
      if (!servedBy(paper, shelf)({ section_type })) return [];
      // A text fetched for a starter card is by the paper's authors.
      const isOurs = paper.origin === 'starter' && paper.textFormat === null;
      const whose = isOurs ? ', written by QuantShelf and not by the authors' : '';
      const uri = paperUri(paper.sourceId, section_key);
      return [`- ${uri}: ${JSON.stringify(paper.title)}, section_key ${section_key}${whose}`];
    })
    .slice(0, MAX_QUOTATIONS);
  const where =
    within === undefined ? 'in the stored sections' : `in the stored text of ${within.sourceId}`;
  const parts = [
    lines.length === 0
      ? `The claim does not appear word for word ${where}.`
      : [`${QUOTED_TEXTS} The claim appears word for word ${where}:`, ...lines].join('\n'),
    within?.textFormat === null
      ? 'The full text of this paper is not on the shelf: paper_read fetches it.'
      : '',
    within === undefined
      ? "For papers without a stored full text, only the abstract was searched (for starter papers, QuantShelf's digest and notes)."
      : '',
    shelf.policy === 'licensed'
      ? 'Full texts whose licence does not clearly permit sharing were not searched.'
      : '',
  ];
  return parts.filter((part) => part !== '').join('\n');
}
