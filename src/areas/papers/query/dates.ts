import { shiftDay } from '../../../core/time.ts';
import { firstDay, LENGTH, lastDay, normalise, RELATIVE, WHEN } from './days.ts';
import { DOCUMENT_NOUNS } from './words.ts';

/** A span of publication, both ends included, YYYY-MM-DD; null where it is open. */
export interface Span {
  from: string | null;
  to: string | null;
}

/** Against what a text names dates without a year. */
export interface Calendar {
  now: Date;
  /** The day since which this share of the papers was published, YYYY-MM-DD; null for none. */
  sinceShare(share: number): string | null;
}

/** A span that a text names, and where. */
export interface DatedPart extends Span {
  start: number;
  end: number;
  /** In words, for `meta.understood`. */
  label: string;
}

/** arXiv began in 1991: earlier years are subjects. */
const FIRST_YEAR = 1991;

type Named = Span & Pick<DatedPart, 'label'>;

/** The spans that two dates, or one twice, may name. */
const SPANS = {
  since: (one: string): Named => ({ from: firstDay(one), to: null, label: `since ${one}` }),
  after: (one: string): Named => {
    return { from: shiftDay(lastDay(one), 1), to: null, label: `after ${one}` };
  },
  before: (one: string): Named => {
    return { from: null, to: shiftDay(firstDay(one), -1), label: `before ${one}` };
  },
  until: (one: string): Named => ({ from: null, to: lastDay(one), label: `until ${one}` }),
  within: (one: string): Named => ({ from: firstDay(one), to: lastDay(one), label: one }),
  between: (one: string, other: string): Named => {
    return { from: firstDay(one), to: lastDay(other), label: `${one} to ${other}` };
  },
} as const;
/**
 * `marked` forms have "papers" or "published"; after `past` ones, papers on events of that time are
 * younger; in `loose` ones the text may well speak of the subject ("over the last year": of returns).
 */
type Kind = 'marked' | 'plain' | 'past' | 'loose';
const DOCUMENT = `(?:${DOCUMENT_NOUNS}|pre-prints?|results|anything|everything)`;
const PUBLISHED =
  '\\b(?:published|written|released|posted|appeared|appearing|submitted|uploaded|dated|out) ';
const LEAD = `(?:${PUBLISHED}|\\bcoming out |\\b)`;
const PAPERS = `(?<=\\b${DOCUMENT} )`;
const ONE = `(?<first>${WHEN})`;
const TWO = `${ONE} ?(?:-|–|—|to|until|till|through|and) ?(?<second>${WHEN})`;
const PAST = `(?:the )?(?:last|past|previous) (?<first>${LENGTH})`;
const LATER =
  '(?:onwards?|and (?:later|after|newer|onwards?)|or (?:later|newer)|to (?:now|today|date|the present))';
const WITHIN = '(?:\\b(?:in|on|of|from|between|during|within) )?';
const NOT = '(?:not?|none)';
/** Of "papers (2024)", not of "(published in 2024)". */
const CLOSE = '(?:(?<=\\([^\\s()]+)\\))?';
const PATTERNS: readonly (readonly [Kind, keyof typeof SPANS, pattern: string])[] = [
  // The longest first.
  ['marked', 'between', `(?:${PAPERS}|${PUBLISHED})${WITHIN}\\(?${TWO}${CLOSE}`],
  ['past', 'between', `${LEAD}(?:from|between) ${TWO}`],
  [
    'plain',
    'since',
    `(?<!\\b(?:before|until|till|to|than) )${LEAD}(?:since )?${WITHIN}${ONE} ${LATER}`,
  ],
  ['plain', 'since', `${LEAD}(?:since|${NOT} (?:older|earlier) than|as of|starting \\w+) ${ONE}`],
  ['plain', 'after', `${LEAD}(?:after|(?:later|newer|more recent|younger) than) ${ONE}`],
  ['past', 'before', `${LEAD}(?:before|prior to|earlier than|older than) ${ONE}`],
  ['past', 'until', `${LEAD}(?:until|till|up to|${NOT} (?:later|newer|younger) than) ${ONE}`],
  ['marked', 'within', `(?:${PAPERS}|${PUBLISHED})${WITHIN}\\(?${ONE}${CLOSE}`],
  ['marked', 'within', `${WITHIN}\\b${ONE}(?:['’]s)?(?= (?:only|${DOCUMENT})\\b)`],
  ['marked', 'within', `(?<=\\bonly )${WITHIN}${ONE}`],
  ['marked', 'since', `(?:${PAPERS}|${PUBLISHED})(?:in|within|during|over|from|of) ${PAST}`],
  ['loose', 'since', `\\b(?:in|within|from) ${PAST}`],
  ['loose', 'within', `(?<!\\b(?:over|than|to|by) )${WITHIN}\\b(?<first>${RELATIVE})`],
];
const FORMS = PATTERNS.map(([kind, span, pattern]) => ({
  kind,
  read: SPANS[span],
  pattern: new RegExp(pattern, 'giu'),
}));

/** "Recent" is said by habit, and asks for nothing. */
const NEWEST = new RegExp(
  `\\b(?:the )?(?<which>latest|newest|most recent)(?: first\\b|(?= (?:(?!(?:and|for|in|of|on|to|with) )[\\p{L}-]+ ){0,3}(?:${DOCUMENT_NOUNS})\\b| (?:on|about)\\b))`,
  'iu',
);
/** Papers of the shelf that are its newest. */
const NEWEST_SHARE = 0.25;

const CONTINUES = `(?:on|about|by|in|only|regarding|concerning|that|which|using|with|for|please|thanks|and|or|but|discussing|covering|dealing|looking|where|${DOCUMENT_NOUNS})`;
/** What may follow: else the date belongs to a name, as in "since the 2008 crisis". */
const AFTER = new RegExp(
  String.raw`^(?=\s*(?:$|[,.;:?!)\]\uE000-\uE0FF])|\s+${CONTINUES}\b|\s+(?:until|till|before|since|after) (?:\p{L}+ )?(?:19|20)\d\d)`,
  'iu',
);
const IS_MARKED = new RegExp(`\\b(?:${DOCUMENT_NOUNS}|published|written)\\b`, 'iu');
const ASKS_OF_EVENTS =
  /^\W*(?:why|how|what|when|where|which|who|did|do|does|has|have|had|is|are|was|were|can|could|should|will|would)\b/iu;

/** What stands between the halves of "since 2020 and before 2023". */
const JOINT = /^,? (?:(?<joint>and|but|or) )?$/iu;
/** "before 2020 and after" leaves nothing out. */
const OTHER_SIDE =
  /^ (?:and|or) (?:after|before|since|until|later|earlier|newer|older|onwards?)\b/iu;

/** So does "before and after 2020". */
const BOTH_SIDES = /\b(?:after|before|since|until) (?:and|or) $/iu;

/** A span that a text may mean as one of publication. */
interface Candidate extends DatedPart {
  isSure: boolean;
}

/** The span of publication that a question asks for; null where its dates are of the subject. */
export function readDates(text: string, calendar: Calendar): DatedPart | null {
  return readSpan(text, calendar.now) ?? readNewest(text, calendar);
}

function readSpan(text: string, now: Date): DatedPart | null {
  const candidates = FORMS.flatMap((form) => candidatesOf(text, form, now));
  const found =
    pairOf(text, candidates) ??
    candidates.find(
      ({ from, to, end, isSure }) =>
        isSure && ((from !== null && to !== null) || !OTHER_SIDE.test(text.slice(end))),
    );
  if (found === undefined || (found.from ?? '') > (found.to ?? '9999')) return null;
  const { from, to, label, start, end } = found;
  return { from, to, label, start, end };
}

/**
 * A date is one of publication wherever "papers" or "published" stands beside it; else mostly where it
 * ends the question.
 */
function candidatesOf(
  text: string,
  { kind, read, pattern }: (typeof FORMS)[number],
  now: Date,
): Candidate[] {
  const isMarked = kind === 'marked' || IS_MARKED.test(text);
  return [...text.matchAll(pattern)].flatMap(({ 0: whole, index, groups = {} }) => {
    const first = normalise(groups.first ?? '', now);
    const second = groups.second === undefined ? first : normalise(groups.second, now);
    const [lead, end] = [text.slice(0, index), index + whole.length];
    const rest = text.slice(end);
    if (!AFTER.test(rest) || isNegated(lead) || BOTH_SIDES.test(lead)) return [];
    if (Number(first.slice(0, 4)) < FIRST_YEAR || second < first) return [];
    const isAtEnd = /^[\s.?!)]*$/u.test(rest) || /^\W*$/u.test(lead);
    const isSure =
      (isMarked && (kind !== 'loose' || isAtEnd)) ||
      (isAtEnd && /[,;(]\s*$/u.test(lead)) ||
      (!ASKS_OF_EVENTS.test(text) && (isAtEnd || kind === 'plain'));
    return [{ ...read(first, second), start: index, end, isSure }];
  });
}

/** Two open spans side by side as one; its end precedes its beginning where they exclude each other. */
function pairOf(text: string, candidates: readonly Candidate[]): DatedPart | undefined {
  for (const since of candidates.filter(({ from, to }) => from !== null && to === null)) {
    for (const until of candidates.filter(({ from, to }) => from === null && to !== null)) {
      const [first, second] = since.start < until.start ? [since, until] : [until, since];
      const between = JOINT.exec(text.slice(first.end, Math.max(first.end, second.start)));
      if (between === null || !(first.isSure || second.isSure)) continue;
      const isEither = between.groups?.joint?.toLowerCase() === 'or';
      return {
        from: isEither ? '9999' : since.from,
        to: until.to,
        label: `${since.label} and ${until.label}`,
        start: first.start,
        end: second.end,
      };
    }
  }
  return undefined;
}

/** Whether a question denies what follows. */
export function isNegated(before: string): boolean {
  return /\b(?:not|except|excluding|other than|neither|nor)(?: (?:papers?|articles?|work|those|the ones))? ?$/iu.test(
    before,
  );
}

function readNewest(text: string, { sinceShare }: Calendar): DatedPart | null {
  const { 0: words = '', index = 0, groups } = NEWEST.exec(text) ?? {};
  const from = words === '' || isNegated(text.slice(0, index)) ? null : sinceShare(NEWEST_SHARE);
  if (from === null) return null;
  const label = `${groups?.which?.toLowerCase()} (since ${from})`;
  return { from, to: null, label, start: index, end: index + words.length };
}
