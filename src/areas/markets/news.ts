import type { ListNews, News } from '../../core/news.ts';
import type { Reader } from '../../core/reader.ts';
import { toDay } from '../../core/time.ts';
import { readHistory } from './prices.ts';
import { readCard } from './queries.ts';

/** Minimum change in odds that counts as news. */
const TEN_POINTS = 0.1;
/** Maximum number of events whose odds are compared, since comparing blocks the server. */
const MOST_EVENTS = 1_000;

/** Events opened and settled, and markets whose odds moved, the largest move first. */
export const listMarketNews: ListNews = (db, since, limit) => {
  const { moves, isCut } = listMoves(db, since.getTime());
  const items = moves.slice(0, limit).map(({ id, text }) => ({ id, text }));
  const among = isCut
    ? `, among the ${MOST_EVENTS.toLocaleString('en-US')} most traded events`
    : '';
  return [
    listEvents(db, 'events opened', OPENED, { since: since.toISOString(), limit }),
    listEvents(db, 'events settled', SETTLED, { since: since.toISOString(), limit }),
    { what: `markets whose odds moved by ten points or more${among}`, total: moves.length, items },
  ];
};

const OPENED = `
  SELECT e.alias AS id, e.title AS text FROM market_event e
  WHERE e.start_time >= @since AND e.status = 'active' ORDER BY e.volume DESC, e.id`;
/** Appends the winning outcomes to each title, except the "No" of labelled markets. */
const SETTLED = `
  SELECT e.alias AS id, e.title || coalesce(': ' || (
    SELECT group_concat(coalesce(m.value ->> 'group_label' || ' ', '') || (m.value ->> '$.settlement.winning_outcome'), ', ')
    FROM json_each(e.card, '$.markets') m
    WHERE m.value ->> '$.settlement.winning_outcome' <> 'No' OR m.value ->> 'group_label' IS NULL), '') AS text
  FROM market_event e
  WHERE e.closed_time >= @since AND e.status = 'closed' AND e.card ->> '$.settlement.status' = 'settled'
  ORDER BY e.volume DESC, e.id`;

function listEvents(
  db: Reader,
  what: string,
  sql: string,
  params: { since: string; limit: number },
): News {
  const total = db.prepare<object, number>(`SELECT count(*) FROM (${sql})`).pluck().get(params);
  const items = db.prepare<object, { id: string; text: string }>(`${sql} LIMIT @limit`).all(params);
  return { what, total: total ?? 0, items };
}

/** Open markets whose odds moved by ten points or more after `since`, in Unix milliseconds. */
function listMoves(db: Reader, since: number) {
  const moved = db
    .prepare<object, { card: string; history: string }>(`
      SELECT e.card, p.history FROM market_event_prices p JOIN market_event e ON e.id = p.id
      WHERE p.moved_at >= @since AND e.sort_rank = 0 ORDER BY e.sort_volume LIMIT ${MOST_EVENTS}`)
    .all({ since });
  const moves = moved
    .flatMap(({ card, history: json }) => {
      const { alias, markets } = readCard(card);
      const history = readHistory(json);
      return markets.flatMap((market) => {
        const prices = history[market.market_card_id];
        if (prices === undefined || prices.since < since || market.status !== 'active') return [];
        const before = prices.past.findLast(({ from }) => from <= since) ?? prices.past[0];
        if (before === undefined) return [];
        const moves = market.outcomes.map(({ label, current_probability: odds }, at) => {
          const old = before.prices[at] ?? odds;
          const text = `${market.market_question} ${label}: ${percent(old)} → ${percent(odds)}`;
          // Round to a hundredth of a point: in binary, 0.6 - 0.5 is slightly less than 0.1.
          return { text, move: Math.round(Math.abs(odds - old) * 1e4) / 1e4 };
        });
        const [largest] = moves.sort((a, b) => b.move - a.move);
        if (largest === undefined || largest.move < TEN_POINTS) return [];
        const seen = before.from > since ? `, since ${toDay(new Date(before.from))}` : '';
        return [{ id: alias, text: largest.text + seen, move: largest.move }];
      });
    })
    .sort((a, b) => b.move - a.move);
  return { moves, isCut: moved.length === MOST_EVENTS };
}

function percent(probability: number): string {
  return `${Math.round(probability * 1_000) / 10} %`;
}
