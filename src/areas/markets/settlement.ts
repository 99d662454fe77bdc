import { withoutNulls } from '../../core/envelope.ts';
import type { Settlement, StoredEvent, StoredMarket } from './sources/event-card.ts';

/** Derives an event's settlement from its markets; if any lacks one, from the event's status. */
export function settleEvent({
  status,
  markets,
  mutually_exclusive,
}: Pick<StoredEvent, 'status' | 'markets' | 'mutually_exclusive'>): Settlement {
  const all = markets.flatMap(({ settlement }) => settlement ?? []);
  const [only] = all;
  if (only !== undefined && markets.length === 1) return only;
  if (all.length < markets.length || only === undefined) {
    return { status: status === 'closed' ? 'ended' : 'open' };
  }
  const has = (state: Settlement['status']) => all.some((each) => each.status === state);
  if (has('disputed')) return { status: 'disputed' };
  if (has('ended')) return { status: 'ended' };
  const times = all.flatMap(({ at }) => at ?? []).sort();
  return {
    status: has('settled') ? 'settled' : 'void',
    ...withoutNulls({
      winning_outcome: mutually_exclusive ? winnerOf(markets) : null,
      at: times.at(-1) ?? null,
    }),
  };
}

/** The label of the market that came true; null unless exactly one did. */
function winnerOf(markets: readonly StoredMarket[]): string | null {
  const [winner, ...others] = markets.filter(({ settlement }) => settlement?.value === 1);
  if (winner === undefined || others.length > 0) return null;
  return winner.group_label ?? winner.market_question;
}
