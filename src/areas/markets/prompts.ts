import { HOW_TO_READ, type Prompt } from '../../core/prompt.ts';
import { completeQuestion } from './query/complete.ts';

const marketExpectations: Prompt = {
  name: 'market_expectations',
  title: 'What the market expects',
  description:
    'Tells what prediction markets expect of a question, with odds, dates, money behind them and their limits.',
  area: 'markets',
  arguments: {
    question: {
      description: 'What you want to know, in plain words.',
      isRequired: true,
      max: 500,
      complete: completeQuestion,
    },
  },
  write: ({
    question = '',
  }) => `Tell what prediction markets expect of this question: ${JSON.stringify(question)}

Use QuantShelf:
1. Call prediction_market_event_search with the question (2 credits). meta.verdict says how well the best event fits: with "weak" or "none", say that no market asks this, and do not present a neighbouring question as the answer.
2. Read the events that fit with prediction_market_event_read (free): all their markets, rules, end dates, winners, and the odds of a day ago where they are held.
3. Give the odds as percentages with the day on which they were seen (synced_at; meta.asOf for a whole reply). coverage_status "stale" means that they are old, or a bundled snapshot: say so before the number. An event that has closed or ended is no expectation any more.
4. Say when each event is resolved (end_time) and what decides it (description, resolution_source). Where mutually_exclusive is true, the odds of all markets should add up to about 100 %, or to less: tell if they do not.
5. Name volume and liquidity: odds with little money behind them say little. Odds are prices, not forecasts of yours, and no advice.
6. Give the url of each event.

${HOW_TO_READ}`,
};

export const marketPrompts: readonly Prompt[] = [marketExpectations];
