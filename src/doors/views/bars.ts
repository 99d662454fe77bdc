import type { Market } from './tool-reply.ts';

// An event's outcomes in drawing order.

export type Bar = ReturnType<typeof barOf>;

/**
 * One bar for each outcome, except the No of a yes-or-no market. Winning outcomes come first, then open ones,
 * then other closed ones. If most labels contain a digit, each group keeps the reply's order, which is the
 * store's; otherwise it is sorted by probability.
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

/** The probability is from 0 to 1; changes are in percentage points. */
function barOf(market: Market, outcome: Market['outcomes'][number], label: string) {
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
 * The venue's label for each market or, if it is missing (as in a list) or not unique, the question without
 * the words that all questions share at the start or end.
 */
function namesOf(markets: readonly Market[]): string[] {
  const labels = markets.map(({ group_label }) => group_label);
  const questions = markets.map(({ market_question }) => market_question.split(' '));
  const begin = sharedWords(questions);
  const end = sharedWords(questions.map((words) => words.slice(begin).reverse()));
  return markets.map(({ group_label, market_question }, index) => {
    const isOwn = labels.indexOf(group_label) === labels.lastIndexOf(group_label);
    if (group_label && isOwn) return group_label;
    const rest = questions[index]?.slice(begin, end === 0 ? undefined : -end).join(' ');
    return rest?.replace(/[?,]$/, '') || market_question;
  });
}

/** Number of initial words that all questions share; 0 if these are the whole first question. */
function sharedWords([first = [], ...others]: readonly (readonly string[])[]): number {
  const at = first.findIndex((word, place) => others.some((words) => words[place] !== word));
  return Math.max(0, at);
}
