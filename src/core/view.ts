import type { ReplySize } from './context.ts';
import type { Success } from './envelope.ts';
import type { Operation, View } from './operation.ts';

/** Most characters of a text block: hosts cut from 20,000 on (Copilot CLI, qwen-code). */
const TEXT_LIMIT = 19_500;
/** Characters of a reply that are kept free for credits, notice and cursor. */
const ENVELOPE_CHARACTERS = 1_000;

/** Replies for programs: 90,000 characters of JSON where they may be cut to fit. */
export const WHOLE_REPLY: ReplySize = {
  limit: 90_000 - ENVELOPE_CHARACTERS,
  lengthOf: (data) => JSON.stringify(data).length,
};

/** The size of an operation's replies as text for a model. */
export function textSize(operation: Operation): ReplySize {
  const { pageLength = TEXT_LIMIT } = operation;
  const limit = pageLength - ENVELOPE_CHARACTERS;
  // Without a `meta` of its own: no view takes its data from there.
  const meta = { asOf: '' };
  return {
    limit,
    lengthOf: (data) => {
      const view = operation.view?.({ data, meta }, Number.POSITIVE_INFINITY);
      return JSON.stringify(view === undefined ? data : view.data).length;
    },
  };
}

/**
 * The envelope as MCP serves it twice: whole, and as the text that a model reads, which is what the
 * operation's `view` shows of it. What the text leaves out is told in the notice of both.
 */
export function present(
  operation: Operation,
  { meta: all, data }: Success,
): { text: string; whole: Success } {
  const { creditsUsed, remainingCredits, requestId, ...meta } = all;
  const room = TEXT_LIMIT - JSON.stringify(meta).length - ENVELOPE_CHARACTERS / 2;
  const view: View = operation.view?.({ data, meta }, room) ?? { data };
  const notice = joinNotice(meta.notice, view.told);
  const read = { creditsUsed, remainingCredits, ...meta, ...view.meta, ...notice };
  return {
    text: JSON.stringify({ meta: read, data: view.data }),
    whole: { meta: { ...all, ...notice }, data },
  };
}

/** One more clause at the end of a notice, which keeps its two sentences. */
function joinNotice(notice: string | undefined, told: string | undefined): { notice?: string } {
  if (told === undefined) return notice === undefined ? {} : { notice };
  return { notice: notice === undefined ? told : `${notice.replace(/\.$/, '')}; ${told}` };
}

/** The first items, as many as fit and at least one. */
export function firstFitting<T>(
  items: readonly T[],
  fits: (first: readonly T[]) => boolean,
): readonly T[] {
  let fitting = Math.min(1, items.length);
  let tooMany = items.length + 1;
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (fits(items.slice(0, middle))) fitting = middle;
    else tooMany = middle;
  }
  return items.slice(0, fitting);
}
