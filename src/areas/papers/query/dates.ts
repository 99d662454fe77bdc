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

const DOCUMENT = `(?:${DOCUMENT_NOUNS}|pre-prints?|results|anything|everything)`;
const PUBLISHED =
  '(?:published|written|released|posted|appeared|appearing|submitted|uploaded|dated|out)';
/** arXiv began in 1991: earlier years are subjects. */
const FIRST_YEAR = 1991;

interface Form {
  pattern: RegExp;
  /** The words "papers" or "published" stand beside it; without them it may speak of the subject. */
  isMarked: boolean;
  /** Papers on events of that time are younger, so only a date that ends a question is one of publication. */
  isPast: boolean;
  /** Likewise, whatever else the text says. */
  isLoose: boolean;
  read(first: string, second: string): [Span, label: string];
}

const since = (from: string): [Span, string] => [
  { from: firstDay(from), to: null },
  `since ${from}`,
];
const between = (first: string, second: string): [Span, string] => [
  { from: firstDay(first), to: lastDay(second) },
  `${first} to ${second}`,
];
const within = (one: string): [Span, string] => [{ from: firstDay(one), to: lastDay(one) }, one];

const form = (
  source: string,
  read: Form['read'],
  { isMarked = false, isPast = false, isLoose = false } = {},
): Form => ({ pattern: new RegExp(source, 'giu'), isMarked, isPast, isLoose, read });

const ONE = `(?<first>${WHEN})`;
const TWO = `${ONE} ?(?:-|–|—|to|until|till|through|and) ?(?<second>${WHEN})`;
const LEAD = `(?:${PUBLISHED} |coming out )?`;
const PAST = `(?:the )?(?:last|past|previous) (?<first>${LENGTH})`;
/** The longest forms first. */
const FORMS: readonly Form[] = [
  form(`(?<=\\b${DOCUMENT} )(?:${PUBLISHED} )?(?:from |between |in |of )?\\(?${TWO}\\)?`, between, {
    isMarked: true,
  }),
  form(`\\b${PUBLISHED} (?:from |between |in |during )?${TWO}`, between, { isMarked: true }),
  form(`\\b${LEAD}(?:from|between) ${TWO}`, between, { isPast: true }),
  form(
    `(?<!\\b(?:before|until|till|to|than) )\\b${LEAD}(?:(?:from|in|of|since) )?${ONE} (?:onwards?|and (?:later|after|newer|onwards?)|or (?:later|newer)|to (?:now|today|date|the present))`,
    since,
  ),
  form(
    `\\b${LEAD}(?:since|(?:not?|none) (?:older|earlier) than|as of|starting (?:in|from|with)) ${ONE}`,
    since,
  ),
  form(`\\b${LEAD}(?:after|later than|newer than|more recent than|younger than) ${ONE}`, (one) => [
    { from: shiftDay(lastDay(one), 1), to: null },
    `after ${one}`,
  ]),
  form(
    `\\b${LEAD}(?:before|prior to|earlier than|older than) ${ONE}`,
    (one) => [{ from: null, to: shiftDay(firstDay(one), -1) }, `before ${one}`],
    { isPast: true },
  ),
  form(
    `\\b${LEAD}(?:until|till|up to|(?:not?|none) (?:later|newer|younger) than) ${ONE}`,
    (one) => [{ from: null, to: lastDay(one) }, `until ${one}`],
    { isPast: true },
  ),
  form(`\\b${PUBLISHED} (?:(?:in|on|during|within|from) )?${ONE}`, within, { isMarked: true }),
  form(
    `(?<=\\b${DOCUMENT} )(?:(?:from|in|of) ${ONE}|\\(${ONE.replace('first', 'other')}\\)|(?<relative>${RELATIVE}))`,
    within,
    {
      isMarked: true,
    },
  ),
  form(`\\b${ONE}(?:['’]s)?(?= ${DOCUMENT}\\b)`, within, { isMarked: true }),
  form(`(?<=\\bonly )(?:(?:from|in|of) )?${ONE}`, within, { isMarked: true }),
  form(`(?:\\b(?:from|in|of) )?\\b${ONE}(?= only\\b)`, within, { isMarked: true }),
  form(
    `(?:(?<=\\b${DOCUMENT} )|\\b${PUBLISHED} )(?:in|within|during|over|from|of) ${PAST}`,
    since,
    {
      isMarked: true,
    },
  ),
  // "Over" would be that of returns.
  form(`\\b(?:in|within|from) ${PAST}`, since, { isLoose: true }),
  form(`(?<!\\b(?:over|than|to|by) )(?:\\b(?:from|in|of) )?\\b(?<first>${RELATIVE})`, within, {
    isLoose: true,
  }),
];

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
  const candidates = FORMS.flatMap((one) => candidatesOf(text, one, now));
  const pair = pairOf(text, candidates);
  const found =
    pair ??
    candidates.find(
      ({ from, to, end, isSure }) =>
        isSure && ((from !== null && to !== null) || !OTHER_SIDE.test(text.slice(end))),
    );
  if (found === undefined || (found.from ?? '') > (found.to ?? '9999')) return null;
  const { from, to, label, start, end } = found;
  return { from, to, label, start, end };
}

function candidatesOf(text: string, { pattern, read, ...kind }: Form, now: Date): Candidate[] {
  const isMarked = kind.isMarked || IS_MARKED.test(text);
  return [...text.matchAll(pattern)].flatMap(({ 0: whole, index, groups = {} }) => {
    const [first, second] = [groups.first ?? groups.other ?? groups.relative, groups.second].map(
      (when) => when && normalise(when, now),
    );
    const [before, end] = [text.slice(0, index), index + whole.length];
    const after = text.slice(end);
    if (first === undefined || !AFTER.test(after)) return [];
    if (isNegated(before) || BOTH_SIDES.test(before)) return [];
    const years = [first, second ?? first].map((one) => Number(one.slice(0, 4)));
    if (years.some((year) => year < FIRST_YEAR) || (second ?? first) < first) return [];
    const isAtEnd = /^[\s.?!)]*$/u.test(after) || /^\W*$/u.test(before);
    const isSure =
      (isMarked && (!kind.isLoose || isAtEnd)) ||
      (isAtEnd && /[,;(]\s*$/u.test(before)) ||
      (!ASKS_OF_EVENTS.test(text) && (isAtEnd || !(kind.isPast || kind.isLoose)));
    const [span, label] = read(first, second ?? first);
    return [{ ...span, label, start: index, end, isSure }];
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
