import { HOW_TO_READ, type Prompt } from '../../core/resource.ts';
import { completeIndicator, completeTopic, resolveSeries } from './find.ts';
import { listSeries } from './queries.ts';
import { asOfUri, expectPastDay } from './resources.ts';

const macroBriefing: Prompt = {
  name: 'macro_briefing',
  title: 'Macro briefing',
  description:
    'Writes a briefing on the U.S. economy, or on one part of it, with the date, the vintage and the source of every figure.',
  area: 'macro',
  arguments: {
    topic: {
      description:
        'A category such as Inflation, an indicator or a few words; the whole economy if omitted.',
      isRequired: false,
      max: 200,
      complete: completeTopic,
    },
  },
  write: ({
    topic,
  }) => `Write a short macro briefing on ${topic === undefined ? 'the U.S. economy' : `this topic: ${JSON.stringify(topic)}`}

Use QuantShelf:
1. Choose the indicators with macro_indicator_search (free): without q it lists the catalogue, or one category of it, with the newest period of each. Read each one that you need with macro_indicator_history (1 credit; limit 13 covers a year of a monthly series).
2. Give every figure with its unit, its period (date) and the day of its publication (realtime_start; unless "exact" is true, write "about": it is an estimate, and the value may be a later revision). Compare like with like: the same frequency, the same seasonal adjustment.
3. Say which figures were revised: see "revised" and first_value; quantshelf://indicator/{alias} has the known vintages of the last 24 observations.
4. "stale": true means that newer figures are due but not stored here; "ended": true means that the series has stopped. Say so beside the figure, and do not call it current.
5. Show the attribution of every series that you use.

${HOW_TO_READ}`,
};

const thenAndNow: Prompt = {
  name: 'macro_then_and_now',
  title: 'Then and now',
  description:
    'Compares what was known about a U.S. macro indicator on a past day with what is known now.',
  area: 'macro',
  arguments: {
    indicator: {
      description: 'Alias or FRED id of the indicator, such as us.nonfarm_payrolls.',
      isRequired: true,
      max: 100,
      complete: completeIndicator,
    },
    date: {
      description: 'Day to compare with today, YYYY-MM-DD; not in the future.',
      isRequired: true,
      max: 100,
    },
  },
  write({ indicator: name = '', date = '' }, { db, now }) {
    expectPastDay(date, now());
    const { indicator } = resolveSeries(listSeries(db), 'indicator', name);
    return `Compare what was known about ${indicator} on ${date} with what is known now.

1. Read the resource ${asOfUri(indicator, date)}: the values known that day, each with the first day on which it was certainly current.
2. Read the same periods with macro_indicator_history (1 credit): the values as they are now.
3. Show the last periods known that day side by side: then, now and the difference. After them, show the periods published later.
4. Say what a reader would have concluded that day, and what the revisions changed.
5. If meta.notice says that nothing is stored for that day, or that something may be missing or revised, say so, and do not substitute today's values. "exact": false means that the value may have been published earlier.
6. Show the attribution.

${HOW_TO_READ}`;
  },
};

export const macroPrompts: readonly Prompt[] = [macroBriefing, thenAndNow];
