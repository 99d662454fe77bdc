import { HOW_TO_READ, type Prompt, QUOTED_TEXTS } from '../../core/prompt.ts';
import { foldName } from '../../core/text.ts';
import { completeTopic, searchCatalogue } from './catalogue.ts';
import { listSeries, type SeriesRow } from './queries.ts';

/** Indicators that a briefing begins with. */
const MAX_NAMED = 12;

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
  write: (
    { topic },
    { db },
  ) => `Write a short macro briefing on ${topic === undefined ? 'the U.S. economy' : `this topic: ${JSON.stringify(topic)}`}

${describeCatalogue(listSeries(db), topic)}

Use QuantShelf:
1. Read each indicator that you need with macro_indicator_history (1 credit; limit 13 covers a year of a monthly series). macro_indicator_search (free) finds others.
2. Give every figure with its unit, its period (date) and the day of its publication (realtime_start; an estimate unless "exact"). Compare like with like: the same frequency, the same seasonal adjustment.
3. Say which figures were revised: see "revised" and first_value; quantshelf://indicator/{alias} has the known vintages of the last 24 observations.
4. "stale": true means that a refresh failed and older figures are shown; "ended" that the series has stopped. Say so beside the figure, and do not call it current.
5. Show the attribution of every series that you use.

${HOW_TO_READ}`,
};

export const macroPrompts: readonly Prompt[] = [macroBriefing];

function describeCatalogue(catalogue: readonly SeriesRow[], topic: string | undefined): string {
  const found = topic === undefined ? headlines(catalogue) : about(catalogue, topic);
  if (found.length === 0) return 'No indicator in the catalogue has this name or category.';
  return [
    `${QUOTED_TEXTS} Indicators to begin with:`,
    ...found.slice(0, MAX_NAMED).map(describeSeries),
  ].join('\n');
}

/** The first of each category that holds figures. */
function headlines(catalogue: readonly SeriesRow[]): SeriesRow[] {
  const held = catalogue.filter(({ observationEnd }) => observationEnd !== null);
  return held.filter(
    (series, index) => held.findIndex(({ category }) => category === series.category) === index,
  );
}

function about(catalogue: readonly SeriesRow[], topic: string): SeriesRow[] {
  const ofCategory = catalogue.filter(({ category }) => foldName(category) === foldName(topic));
  return ofCategory.length > 0 ? ofCategory : searchCatalogue(catalogue, topic).rows;
}

function describeSeries({ indicator, title, frequency, units, observationEnd }: SeriesRow): string {
  const newest =
    observationEnd === null ? 'no figures on the shelf' : `newest period ${observationEnd}`;
  return `- ${indicator}: ${JSON.stringify(title)} (${frequency}, ${JSON.stringify(units)}), ${newest}`;
}
