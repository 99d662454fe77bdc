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

/** The label that the source gives each market, or its question where there is none or two share it. */
function namesOf(markets: readonly Market[]): string[] {
  const labels = markets.map(({ group_label }) => group_label);
  return markets.map(({ group_label, market_question }) => {
    const isOwn = labels.indexOf(group_label) === labels.lastIndexOf(group_label);
    return group_label && isOwn ? group_label : market_question;
  });
}
