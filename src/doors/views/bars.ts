// The outcomes of an event, one each, as they are drawn.

export interface Market {
  market_question: string;
  outcomes: readonly {
    label: string;
    current_probability: number;
    day_ago_probability?: number;
  }[];
  status: string;
  volume: number;
  group_label?: string;
  winning_outcome?: string;
}

export interface Bar {
  label: string;
  /** What the market asks. */
  question: string;
  /** 0 to 1. */
  probability: number;
  /** In a day, in percentage points. */
  change: number | undefined;
  /** Of its market, in US dollars. */
  volume: number;
  isWinner: boolean;
  isClosed: boolean;
}

/**
 * One bar for each outcome: those that are still open before those that are settled, and among each the
 * likeliest first. Where several markets ask yes or no, as those of one event mostly do, each of them is
 * an outcome: that it comes true.
 */
export function barsOf(markets: readonly Market[]): Bar[] {
  const names = namesOf(markets);
  const bars = markets.flatMap((market, index) => {
    const name = names[index] ?? market.market_question;
    const yes = markets.length === 1 ? undefined : yesOf(market);
    if (yes !== undefined) return [barOf(market, yes, name)];
    return market.outcomes.map((outcome) =>
      barOf(market, outcome, markets.length === 1 ? outcome.label : `${name}: ${outcome.label}`),
    );
  });
  return bars.sort(
    (a, b) => Number(a.isClosed) - Number(b.isClosed) || b.probability - a.probability,
  );
}

function yesOf({ outcomes }: Market) {
  if (outcomes.length !== 2) return undefined;
  return outcomes.find(({ label }) => label.toLowerCase() === 'yes');
}

function barOf(market: Market, outcome: Market['outcomes'][number], label: string): Bar {
  const { current_probability: probability, day_ago_probability: before } = outcome;
  return {
    label,
    question: market.market_question,
    probability,
    change: before === undefined ? undefined : (probability - before) * 100,
    volume: market.volume,
    isWinner: market.winning_outcome === outcome.label,
    isClosed: market.status === 'closed',
  };
}

/** Letters up to which the rest of a question is a name. */
const SHORT = 24;

/**
 * What sets each market apart: its question without the words that all questions begin and end with.
 * Where that is long, the label that the source gives it, which may say less ("$70,000" for a dip as
 * for a rise).
 */
export function namesOf(markets: readonly Market[]): string[] {
  const questions = markets.map(({ market_question }) => market_question.split(' '));
  const start = sharedStart(questions);
  const end = sharedStart(questions.map((words) => words.toReversed()));
  return markets.map(({ group_label, market_question }, index) => {
    const words = questions[index] ?? [];
    const rest = words.slice(start, words.length - end).join(' ');
    // Two questions of which one holds the other leave nothing of it.
    const name = rest === '' ? market_question : rest.charAt(0).toUpperCase() + rest.slice(1);
    return name.length > SHORT && group_label ? group_label : name;
  });
}

/** How many words all begin with; none where there is only one list. */
function sharedStart(lists: readonly (readonly string[])[]): number {
  const [first = [], ...others] = lists;
  if (others.length === 0) return 0;
  const differs = first.findIndex((word, at) => others.some((words) => words[at] !== word));
  return differs < 0 ? first.length : differs;
}
