import { expectWords, type OptionValues } from './command-line-options.ts';
import { UsageError } from './config.ts';
import { AREAS, type Area } from './core/operation.ts';

export type KeysCommand =
  | { name: 'keys create'; account: string; credits: number; scopes: Area[]; json: boolean }
  | { name: 'keys list'; usage: boolean; json: boolean }
  | { name: 'keys grant'; account: string; credits: number; json: boolean }
  | { name: 'keys revoke'; account: string; json: boolean };

/** It stands in log lines and messages, so it is short and plain. */
const ACCOUNT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** What a new key may spend, unless it is told otherwise. */
const FIRST_CREDITS = '10000';

/** Reads the words after `keys`; throws a UsageError that says what is allowed. */
export function readKeys(words: readonly string[], values: OptionValues): KeysCommand {
  const { json } = values;
  const [action, ...rest] = words;
  switch (action) {
    case 'create': {
      const usage = 'keys create NAME [--credits N] [--scopes papers,macro,markets]';
      const account = expectWords(usage, rest, 1, 1)[0] ?? '';
      if (!ACCOUNT.test(account)) {
        throw new UsageError(
          'NAME is made of letters, digits, ".", "_" and "-", at most 64 of them.',
        );
      }
      const credits = readCredits('--credits', values.credits ?? FIRST_CREDITS, 0);
      return { name: 'keys create', account, credits, scopes: readScopes(values.scopes), json };
    }
    case 'list':
      expectWords('keys list [--usage]', rest, 0, 0);
      return { name: 'keys list', usage: values.usage === true, json };
    case 'grant': {
      const [account = '', credits = ''] = expectWords('keys grant NAME N', rest, 2, 2);
      return { name: 'keys grant', account, credits: readCredits('N', credits, 1), json };
    }
    case 'revoke': {
      const account = expectWords('keys revoke NAME', rest, 1, 1)[0] ?? '';
      return { name: 'keys revoke', account, json };
    }
    default:
      throw new UsageError('Usage: quantshelf keys create | list | grant | revoke. See --help.');
  }
}

function readCredits(name: string, value: string, least: 0 | 1): number {
  if (/^\d{1,15}$/.test(value) && Number(value) >= least) return Number(value);
  throw new UsageError(
    least === 1
      ? 'Usage: quantshelf keys grant NAME N, where N is a whole number above 0.'
      : `${name} takes a whole number of credits.`,
  );
}

function readScopes(value: string | undefined): Area[] {
  if (value === undefined) return [...AREAS];
  const names = value.split(',').map((name) => name.trim());
  const known = AREAS.filter((area) => names.includes(area));
  if (known.length === 0 || names.some((name) => !AREAS.some((area) => area === name))) {
    throw new UsageError(`--scopes takes areas with commas between: ${AREAS.join(',')}.`);
  }
  return known;
}
