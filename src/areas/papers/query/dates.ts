import { DOCUMENT_NOUNS } from './words.ts';

/** A span of publication, both ends included, YYYY-MM-DD; null where it is open. */
export interface Span {
  from: string | null;
  to: string | null;
}

/** A span that a text names, and where. */
export interface DatedPart extends Span {
  start: number;
  end: number;
  /** In words, for `meta.understood`. */
  label: string;
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const WHEN = `(?:(?:the )?(?:year |${MONTH}\\.? )?(?:19|20)\\d\\d(?:-(?:0[1-9]|1[0-2])(?!\\d))?)`;
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
  { isMarked = false, isPast = false } = {},
): Form => ({ pattern: new RegExp(source, 'giu'), isMarked, isPast, read });

const ONE = `(?<first>${WHEN})`;
const TWO = `${ONE} ?(?:-|–|—|to|until|till|through|and) ?(?<second>${WHEN})`;
const LEAD = `(?:${PUBLISHED} |coming out )?`;
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
    { from: dayAfter(lastDay(one)), to: null },
    `after ${one}`,
  ]),
  form(
    `\\b${LEAD}(?:before|prior to|earlier than|older than) ${ONE}`,
    (one) => [{ from: null, to: dayBefore(firstDay(one)) }, `before ${one}`],
    { isPast: true },
  ),
  form(
    `\\b${LEAD}(?:until|till|up to|(?:not?|none) (?:later|newer|younger) than) ${ONE}`,
    (one) => [{ from: null, to: lastDay(one) }, `until ${one}`],
    { isPast: true },
  ),
  form(`\\b${PUBLISHED} (?:(?:in|on|during|within|from) )?${ONE}`, within, { isMarked: true }),
  form(
    `(?<=\\b${DOCUMENT} )(?:(?:from|in|of) ${ONE}|\\(${ONE.replace('first', 'other')}\\))`,
    within,
    {
      isMarked: true,
    },
  ),
  form(`\\b${ONE}(?= ${DOCUMENT}\\b)`, within, { isMarked: true }),
  form(`(?<=\\bonly )(?:(?:from|in|of) )?${ONE}`, within, { isMarked: true }),
  form(`(?:\\b(?:from|in|of) )?\\b${ONE}(?= only\\b)`, within, { isMarked: true }),
];

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
export function readDates(text: string): DatedPart | null {
  const candidates = FORMS.flatMap((one) => candidatesOf(text, one));
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

function candidatesOf(text: string, { pattern, read, ...kind }: Form): Candidate[] {
  const isMarked = kind.isMarked || IS_MARKED.test(text);
  return [...text.matchAll(pattern)].flatMap(({ 0: whole, index, groups = {} }) => {
    const [first, second] = [groups.first ?? groups.other, groups.second].map(normalise);
    const [before, end] = [text.slice(0, index), index + whole.length];
    const after = text.slice(end);
    if (first === undefined || !AFTER.test(after)) return [];
    if (isNegated(before) || BOTH_SIDES.test(before)) return [];
    const years = [first, second ?? first].map((one) => Number(one.slice(0, 4)));
    if (years.some((year) => year < FIRST_YEAR) || (second ?? first) < first) return [];
    const isAtEnd = /^[\s.?!)]*$/u.test(after) || /^\W*$/u.test(before);
    const isSure =
      isMarked ||
      (isAtEnd && /[,;(]\s*$/u.test(before)) ||
      (!ASKS_OF_EVENTS.test(text) && (!kind.isPast || isAtEnd));
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

/** YYYY or YYYY-MM. */
function normalise(when: string | undefined): string | undefined {
  if (when === undefined) return undefined;
  const [year = ''] = /(?:19|20)\d\d(?:-\d\d)?/.exec(when) ?? [];
  const month = MONTHS.findIndex((name) => new RegExp(`\\b${name}`, 'iu').test(when));
  return month < 0 ? year : `${year.slice(0, 4)}-${String(month + 1).padStart(2, '0')}`;
}

function firstDay(when: string): string {
  return when.length === 4 ? `${when}-01-01` : `${when}-01`;
}

function lastDay(when: string): string {
  const [year = 0, month = 12] = when.split('-').map(Number);
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}

function dayAfter(day: string): string {
  return shift(day, 1);
}

function dayBefore(day: string): string {
  return shift(day, -1);
}

function shift(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
