import { actions, make } from './dom.ts';
import { drawEvent, drawListing } from './event-view.ts';
import { formatPeriod } from './format.ts';
import { drawHistories, HISTORY } from './history-view.ts';
import { drawPaper, drawPapers } from './paper-view.ts';
import type { Drawing, Shown, Stage } from './stage.ts';
import type { Indicator } from './tool-reply.ts';

/** Draws any tool's reply. Throws for an object of unknown shape. */
export function drawReply(shown: Shown, stage: Stage): Drawing {
  const { data, args } = shown;
  if ('observations' in data) return drawHistories([data], shown, stage);
  if ('events' in data) return drawListing(data, shown, stage);
  if ('markets' in data) return drawEvent(data, shown, stage);
  if ('sections' in data) return drawPaper(data, shown, stage);
  const histories = data.filter((each) => 'observations' in each);
  if (histories.length > 0) return drawHistories(histories, shown, stage);
  const papers = data.filter((each) => 'paperCardId' in each);
  if (papers.length > 0 || 'query' in args) return drawPapers(papers, shown, stage);
  const indicators = data.filter((each) => 'indicator' in each);
  return drawCatalogue(indicators, shown, stage);
}

function drawCatalogue(indicators: readonly Indicator[], { meta, args }: Shown, stage: Stage) {
  const cards = indicators.map(({ title, indicator, frequency, units, observation_end: end }) => {
    const newest = end === undefined ? 'no figures yet' : `to ${formatPeriod(end, frequency)}`;
    const words = ` · ${frequency} · ${units} · ${newest}`;
    return {
      title,
      facts: make('p', { class: 'facts' }, make('code', {}, indicator), words),
      parts: actions(end !== undefined && stage.button('Draw', HISTORY, { indicator }, true)),
    };
  });
  return stage.list({
    name: 'Indicators',
    about: args.q,
    noun: 'indicator',
    meta,
    cards,
    credit: 'QuantShelf catalogue ·',
  });
}
