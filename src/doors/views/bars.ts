import type { Market, Settlement } from './answer.ts';

// The outcomes of an event in the order in which they are drawn.

export interface Bar {
  label: string;
  /** What the market asks. */
  question: string;
  /** 0 to 1. */
  probability: number;
  /** Changes in percentage points. */
  inDay: number | undefined;
  inWeek: number | undefined;
  /** One value a day, oldest first. */
  past: readonly { date: string; odds: number }[];
  /** Of its market, in the unit of its event. */
  volume: number;
  /** Whether it is the yes of a yes-or-no question. */
  isYes: boolean;
  isWinner: boolean;
  isClosed: boolean;
  settlement: Settlement | undefined;
}

/**
 * One bar for each outcome; a market that asks yes or no is one outcome: that it comes true. Those that
 * came true first, then those that are open before those that are settled; among each, strikes, counts
 * and dates in the order of the reply, which is theirs, all else the likeliest first.
 */
export function barsOf(markets: readonly Market[]): Bar[] {
  const names = namesOf(markets);
  const bars = markets.flatMap((market, index) => {
    const name = names[index] ?? market.market_question;
    const yes = yesOf(market);
    if (yes !== undefined) return [barOf(market, yes, markets.length === 1 ? yes.label : name)];
    return market.outcomes.map((outcome) =>
      barOf(market, outcome, markets.length === 1 ? outcome.label : `${name}: ${outcome.label}`),
    );
  });
  const areSteps = bars.filter(({ label }) => /\d/.test(label)).length * 2 > bars.length;
  return bars.sort(
    (a, b) =>
      Number(b.isWinner) - Number(a.isWinner) ||
      Number(a.isClosed) - Number(b.isClosed) ||
      (areSteps ? 0 : b.probability - a.probability),
  );
}

function yesOf({ outcomes }: Market) {
  if (outcomes.length !== 2) return undefined;
  return outcomes.find(({ label }) => label.toLowerCase() === 'yes');
}

function barOf(market: Market, outcome: Market['outcomes'][number], label: string): Bar {
  const { current_probability: probability, day_ago_probability, week_ago_probability } = outcome;
  const changeFrom = (before: number | undefined) =>
    before === undefined ? undefined : (probability - before) * 100;
  return {
    label,
    question: market.market_question,
    probability,
    inDay: changeFrom(day_ago_probability),
    inWeek: changeFrom(week_ago_probability),
    past: market.outcomes[0] === outcome ? (market.history ?? []) : [],
    volume: market.volume,
    isYes: yesOf(market) === outcome,
    isWinner: market.settlement?.winning_outcome === outcome.label,
    isClosed: market.status === 'closed',
    settlement: market.settlement,
  };
}

/**
 * The label that the source gives each market; where there is none or two share it, its question without
 * the words that all of them begin or end with.
 */
function namesOf(markets: readonly Market[]): string[] {
  const labels = markets.map(({ group_label }) => group_label);
  const questions = markets.map(({ market_question }) => market_question.split(' '));
  const shared = (side: readonly (readonly string[])[]) => {
    const [first = []] = side;
    const at = first.findIndex((word, place) => side.some((words) => words[place] !== word));
    return at < 0 ? 0 : at;
  };
  const begin = shared(questions);
  const end = shared(questions.map((words) => words.slice(begin).reverse()));
  return markets.map(({ group_label, market_question }, index) => {
    const isOwn = labels.indexOf(group_label) === labels.lastIndexOf(group_label);
    if (group_label && isOwn) return group_label;
    const words = questions[index] ?? [];
    const rest = words
      .slice(begin, words.length - end)
      .join(' ')
      .replace(/[?,]$/, '');
    return markets.length === 1 || rest === '' ? market_question : rest;
  });
}
