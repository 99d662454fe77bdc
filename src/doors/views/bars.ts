import type { Market, Settlement } from './answer.ts';

// The outcomes of an event in the order in which they are drawn.

export interface Bar {
  label: string;
  question: string;
  /** 0 to 1. */
  probability: number;
  /** Changes in percentage points. */
  inDay: number | undefined;
  inWeek: number | undefined;
  /** One value a day, oldest first. */
  past: readonly { date: string; odds: number }[];
  /** Volume of the market, in the unit of the event. */
  volume: number;
  /** The "yes" of a yes-or-no question. */
  isYes: boolean;
  isWinner: boolean;
  isClosed: boolean;
  settlement: Settlement | undefined;
}

/**
 * One bar for each outcome; a yes-or-no market is one outcome, its yes. Outcomes that came true come first,
 * then open ones, then the other settled ones. Strikes, counts and dates keep the order of the reply, which
 * the store has sorted; all else is sorted by probability.
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
  // A question may have a year.
  const numbered = bars.filter(({ label, question }) => /\d/.test(label.replace(question, '')));
  const areSteps = numbered.length * 2 > bars.length;
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

/** The source's label for each market; without one of its own, the question. */
function namesOf(markets: readonly Market[]): string[] {
  const labels = markets.map(({ group_label }) => group_label);
  return markets.map(({ group_label, market_question }) => {
    const isOwn = labels.indexOf(group_label) === labels.lastIndexOf(group_label);
    return group_label && isOwn ? group_label : market_question;
  });
}
