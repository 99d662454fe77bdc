import { HOW_TO_READ, type Prompt } from '../../core/resource.ts';

const marketExpectations: Prompt = {
  name: 'market_expectations',
  title: 'What the market expects',
  description:
    'Reports what prediction markets expect: the odds, their dates, the volume and liquidity behind them, and their limitations.',
  area: 'markets',
  arguments: {
    question: {
      description: 'What you want to know, in plain words.',
      isRequired: true,
      max: 500,
    },
  },
  write: ({
    question = '',
  }) => `Report what prediction markets expect, for this question: ${JSON.stringify(question)}

Use QuantShelf:
1. Call prediction_market_event_search with the question (2 credits). meta.verdict rates how well the best event fits. Even if it is "strong", compare title, dates and outcomes of the events with the question. With "none", search once more in other words. If no event asks it, say that no market on this shelf does, and do not present a neighbouring question as the answer.
2. Read the events that fit with prediction_market_event_read (free): all their markets, rules, end dates, winners, and the odds of a day and a week ago where the reply has them.
3. Give the odds as percentages with the day on which they were seen (synced_at; meta.asOf for a whole reply). If coverage_status is "stale", the odds are old or a bundled snapshot: say so before the number. Odds are an expectation only while the settlement is "open": "settled" names the outcome, "ended" and "disputed" have none yet, and "void" has none.
4. Say when each event is resolved (end_time) and what decides it (description, resolution_source). Where mutually_exclusive is true, the odds of all markets should add up to 100 % at most: say so if they add up to much more.
5. State volume and liquidity: odds with little money behind them say little. Odds are prices, neither your forecast nor advice.
6. Give the url of each event.

${HOW_TO_READ}`,
};

export const marketPrompts: readonly Prompt[] = [marketExpectations];
