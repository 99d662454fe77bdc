import * as z from 'zod';
import { ERROR_CODES } from './errors.ts';
import { spellCommands } from './text.ts';

/*
 * Every reply is `{data, meta}` or `{error, meta}`. The TypeScript types, the published MCP output
 * schemas and the OpenAPI document all come from the schemas below.
 */

/** Metadata a handler returns with its reply; `run` adds the credits and the request id. */
const replyMeta = z.object({
  asOf: z
    .string()
    .meta({
      format: 'date-time',
      description: 'When last refreshed; absent if nothing is stored.',
    })
    .exactOptional(),
  notice: z
    .string()
    .meta({ description: 'At most two sentences, the most important first.' })
    .exactOptional(),
  verdict: z
    .enum(['strong', 'weak', 'none'])
    .meta({ description: 'How well the best answer fits the query.' })
    .exactOptional(),
  holding: z
    .int()
    .min(0)
    .meta({
      description: 'Exact number of cards within the filters that contain every term of the query.',
    })
    .exactOptional(),
  understood: z
    .array(z.string())
    .meta({ description: 'How the query was read: ids, exclusions, corrected words, years.' })
    .exactOptional(),
  thinned: z
    .object({
      shown: z.int().meta({ description: 'Observations in `data`.' }),
      of: z.int().meta({ description: 'Observations in the window.' }),
    })
    .meta({
      description:
        'Over MCP, if a window has more than 500 observations: a sample that keeps its shape, with the first, last, lowest and highest.',
    })
    .exactOptional(),
});
export type ReplyMeta = z.output<typeof replyMeta>;
export type Verdict = NonNullable<ReplyMeta['verdict']>;

const requestId = z.string().meta({
  format: 'uuid',
  description: 'Also in the X-Request-Id header and in the ledger.',
});
const remainingCredits = z.int().meta({ description: 'Credits left after this call.' });

/**
 * The envelope of a success; `data` is the output of the operation. `meta` comes first, because hosts
 * that shorten a reply keep its beginning.
 */
export const success = z.object({
  meta: z.object({
    creditsUsed: z.int().min(0).meta({ description: 'Credits that this call cost.' }),
    remainingCredits,
    requestId,
    ...replyMeta.shape,
  }),
  data: z.unknown(),
});
export type Success = z.output<typeof success>;

/** The envelope of a failure; `meta` is present once the account is known. */
export const failure = z.object({
  error: z.object({
    code: z.enum(ERROR_CODES).meta({ description: 'Kind of error.' }),
    message: z.string().meta({ description: 'What is wrong and how to fix the call.' }),
    param: z.string().meta({ description: 'The faulty argument, if any.' }).exactOptional(),
    requestId,
  }),
  meta: z
    .object({
      creditsUsed: z.literal(0).meta({ description: 'A failed call costs nothing.' }),
      remainingCredits,
    })
    .meta({ description: 'Present once the key is known.' })
    .exactOptional(),
});
export type Failure = z.output<typeof failure>;

/**
 * `meta.notice` from its parts, the most important first: at most two sentences, the first part alone
 * and the others joined. A part is one sentence; empty ones are left out.
 */
export function noticeOf(parts: readonly string[]): { notice?: string } {
  const [first, ...others] = parts
    .filter((part) => part !== '')
    .map((part) => spellCommands(part).replace(/\.$/, ''));
  if (first === undefined) return {};
  if (others.length === 0) return { notice: `${first}.` };
  const [second = '', ...rest] = others;
  return { notice: `${first}. ${[second, ...rest.map(uncapitalised)].join('; ')}.` };
}

/** Turns a sentence into a clause; names such as FRED keep their capitals. */
function uncapitalised(sentence: string): string {
  return sentence.replace(/^[A-Z](?=[a-z]*[ ,:])/, (letter) => letter.toLowerCase());
}

/** A score in 0..1, rounded to four decimals as served. */
export function roundScore(score: number): number {
  return Math.round(Math.min(1, Math.max(0, score)) * 10_000) / 10_000;
}

/** The fields that are not null; a reply omits unknown values. */
export function withoutNulls<T extends object>(
  fields: T,
): { [Name in keyof T]?: NonNullable<T[Name]> };
export function withoutNulls(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
