import {
  type Indicator,
  isCatalogue,
  isEvent,
  isHistory,
  isListing,
  isPaper,
  isPaperList,
} from './answer.ts';
import { actions, make, noteOf } from './dom.ts';
import { drawEvent, drawListing } from './event-view.ts';
import { countOf, formatPeriod } from './format.ts';
import { drawHistory } from './history-view.ts';
import { drawPaper, drawPapers } from './paper-view.ts';
import type { Drawing, Shown, Stage } from './stage.ts';

/** Draws the answer of any tool. Throws where it has none of the known forms. */
export function drawAnswer(shown: Shown, stage: Stage): Drawing {
  const { data } = shown;
  if (isHistory(data)) return drawHistory(data, shown, stage);
  if (isListing(data)) return drawListing(data, shown, stage);
  if (isEvent(data)) return drawEvent(data, shown, stage);
  if (isPaper(data)) return drawPaper(data, shown, stage);
  if (isCatalogue(data)) return drawCatalogue(data, shown, stage);
  if (isPaperList(data)) return drawPapers(data, shown, stage);
  throw new Error('an answer of an unknown form');
}

const HISTORY = 'macro_indicator_history';

function drawCatalogue(indicators: readonly Indicator[], { meta }: Shown, stage: Stage): Drawing {
  const count = countOf(indicators.length, 'indicator');
  const cards = indicators.map((each) =>
    make(
      'article',
      {},
      stage.subheading(each.title),
      make(
        'p',
        { class: 'facts' },
        make('code', {}, each.indicator),
        ` · ${describeIndicator(each)}`,
      ),
      ...actions(
        each.observation_end === undefined
          ? []
          : stage.button('Draw', HISTORY, { indicator: each.indicator }, true),
      ),
    ),
  );
  return {
    parts: [
      stage.heading(count),
      ...cards,
      ...actions(stage.back()),
      ...stage.more(...noteOf(meta)),
    ],
    summary: `The user sees ${count} in the view.`,
  };
}

/** Frequency, unit and newest period of an indicator. */
function describeIndicator({ frequency, units, observation_end }: Indicator): string {
  const newest =
    observation_end === undefined
      ? 'no figures yet'
      : `to ${formatPeriod(observation_end, frequency)}`;
  return `${frequency} · ${units} · ${newest}`;
}
