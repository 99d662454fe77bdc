import * as z from 'zod';
import { ERROR_CODES } from './errors.ts';
import { spellCommands } from './text.ts';

/*
 * The envelopes of replies and errors. The TypeScript types, the published MCP output schemas and the OpenAPI
 * document all derive from these schemas.
 */

/** The metadata of a handler's reply; `run` adds the credits and the request id. */
const replyMeta = z.object({
  asOf: z
    .string()
    .meta({
      format: 'date-time',
      description: 'When the oldest data was last refreshed; absent if nothing is stored.',
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
      description: 'Cards that pass the filters and contain every query term; 0 for a vague query.',
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
        'Over MCP, a window of more than 500 observations is sampled to keep its shape, with the first, last, lowest and highest.',
    })
    .exactOptional(),
});
export type ReplyMeta = z.output<typeof replyMeta>;
export type Verdict = NonNullable<ReplyMeta['verdict']>;

const requestId = z.string().meta({
  format: 'uuid',
  description: 'Also in the X-Request-Id header and, if the call was charged, in the ledger.',
});
const remainingCredits = z.int().meta({ description: 'Credits left after this call.' });

/**
 * The envelope of a success; `data` is the operation's output. `meta` comes first, because hosts that shorten
 * a reply keep its beginning.
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

/** The envelope of a failure; `meta` is absent if the call failed before its account was known. */
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
    .meta({ description: 'Present if the account is known.' })
    .exactOptional(),
});
export type Failure = z.output<typeof failure>;

/**
 * Builds `meta.notice` from one-sentence parts, the most important first; skips empty ones. The second and later
 * form one sentence, in which the third and later lose their capital: they must not begin with a name.
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

/** Turns a sentence into a clause; acronyms such as FRED keep their capitals. */
function uncapitalised(sentence: string): string {
  return sentence.replace(/^[A-Z](?=[a-z]*[ ,:])/, (letter) => letter.toLowerCase());
}

/** Clamps a score to 0..1 and rounds it to the four decimals that replies have. */
export function roundScore(score: number): number {
  return Math.round(Math.min(1, Math.max(0, score)) * 10_000) / 10_000;
}

/** Drops null fields, since a reply omits unknown values. */
export function withoutNulls<T extends object>(
  fields: T,
): { [Name in keyof T]?: NonNullable<T[Name]> };
export function withoutNulls(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
