// The outcomes of an event, one each, as they are drawn.

/**
 * @typedef {object} Outcome as the prediction-market tools return it
 * @property {string} label
 * @property {number} current_probability
 * @property {number} [day_ago_probability]
 *
 * @typedef {object} Market
 * @property {string} market_question
 * @property {Outcome[]} outcomes
 * @property {string} status
 * @property {number} volume
 * @property {string} [group_label]
 * @property {string} [winning_outcome]
 *
 * @typedef {object} Bar
 * @property {string} label
 * @property {string} question what the market asks
 * @property {number} probability 0 to 1
 * @property {number | undefined} change in a day, in percentage points
 * @property {number} volume of its market, in US dollars
 * @property {boolean} isWinner
 * @property {boolean} isClosed
 */

/**
 * One bar for each outcome, the likeliest first. Where several markets ask yes or no, as those of one
 * event mostly do, each of them is an outcome: that it comes true.
 * @param {readonly Market[]} markets
 * @returns {Bar[]}
 */
export function barsOf(markets) {
  const names = namesOf(markets);
  const bars = markets.flatMap((market, index) => {
    const name = names[index] ?? market.market_question;
    const yes = markets.length === 1 ? undefined : yesOf(market);
    if (yes !== undefined) return [barOf(market, yes, name)];
    return market.outcomes.map((outcome) =>
      barOf(market, outcome, markets.length === 1 ? outcome.label : `${name}: ${outcome.label}`),
    );
  });
  return bars.sort((a, b) => b.probability - a.probability);
}

/** @param {Market} market */
function yesOf({ outcomes }) {
  if (outcomes.length !== 2) return undefined;
  return outcomes.find(({ label }) => label.toLowerCase() === 'yes');
}

/**
 * @param {Market} market
 * @param {Outcome} outcome
 * @param {string} label
 * @returns {Bar}
 */
function barOf(market, outcome, label) {
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
 * @param {readonly Market[]} markets
 * @returns {string[]}
 */
export function namesOf(markets) {
  const questions = markets.map(({ market_question }) => market_question.split(' '));
  const [start, end] = [
    sharedStart(questions),
    sharedStart(questions.map((words) => words.toReversed())),
  ];
  return markets.map(({ group_label, market_question }, index) => {
    const words = questions[index] ?? [];
    const rest = words.slice(start, words.length - end).join(' ');
    // Two questions of which one holds the other leave nothing of it.
    const name = rest === '' ? market_question : rest.charAt(0).toUpperCase() + rest.slice(1);
    return name.length > SHORT && group_label ? group_label : name;
  });
}

/**
 * @param {readonly (readonly string[])[]} lists
 * @returns {number} how many words all begin with; none where there is only one list
 */
function sharedStart(lists) {
  const [first = [], ...others] = lists;
  if (others.length === 0) return 0;
  const differs = first.findIndex((word, at) => others.some((words) => words[at] !== word));
  return differs < 0 ? first.length : differs;
}
