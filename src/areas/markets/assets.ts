import * as z from 'zod';
import assetFile from '../../../data/market-assets.json' with { type: 'json' };
import { foldName } from '../../core/text.ts';

const assetRule = z.strictObject({
  asset: z.string(),
  kind: z.enum(['crypto', 'institution', 'rate', 'index', 'commodity', 'currency', 'listed']),
  names: z.array(z.string()),
  exact: z.array(z.string()).default([]),
  slugs: z.array(z.string()).default([]),
  needs: z.array(z.string()).default([]),
});
const assetLists = z.strictObject({ about: z.string(), assets: z.array(assetRule) });

interface Lists {
  rules: readonly z.output<typeof assetRule>[];
  /** Asset by folded name; no name has two meanings. */
  byName: ReadonlyMap<string, string>;
  // One pattern for all names instead of one per asset: events with a hundred markets are long.
  anyCase: RegExp;
  asWritten: RegExp;
}

let lists: Lists | undefined;

/** Compiled on first use, to keep start-up fast. */
function readLists(): Lists {
  lists ??= compileLists(assetLists.parse(assetFile).assets);
  return lists;
}

function compileLists(rules: Lists['rules']): Lists {
  return {
    rules,
    byName: new Map(
      rules.flatMap(({ asset, names, exact, slugs }) =>
        [asset, ...names, ...exact, ...slugs].map((name) => [foldName(name), asset] as const),
      ),
    ),
    anyCase: wholeWords(
      rules.flatMap((rule) => rule.names),
      'giu',
    ),
    asWritten: wholeWords(
      rules.flatMap((rule) => rule.exact),
      'gu',
    ),
  };
}

function wholeWords(words: readonly string[], flags: string): RegExp {
  const longestFirst = words
    .toSorted((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${longestFirst.join('|')})(?![\\p{L}\\p{N}])`, flags);
}

/** The asset for a name ("bitcoin", "xbt" and "$BTC" give "BTC"); null for an unknown one. */
export function resolveAsset(word: string): string | null {
  const { byName } = readLists();
  const folded = foldName(word);
  return byName.get(folded) ?? byName.get(folded.replace(/^\$/, '')) ?? null;
}

/**
 * The distinct assets named by texts and tags, in list order. `tagSlugs` are the source's tags,
 * `tagWords` our finance tags; the latter decide ambiguous names: "DOGE" is a coin with the tag
 * crypto and a government office otherwise.
 */
export function detectAssets(
  texts: readonly string[],
  tagSlugs: readonly string[],
  tagWords: readonly string[],
): string[] {
  const named = namedAssets(texts, tagSlugs);
  return readLists()
    .rules.filter(({ asset }) => named.has(asset))
    .filter(({ needs }) => needs.length === 0 || needs.some((word) => tagWords.includes(word)))
    .map(({ asset }) => asset);
}

/** All names of the given assets, so that a search for one finds texts that use another. */
export function listAssetNames(assets: readonly string[]): string[] {
  const meant = readLists().rules.filter(({ asset }) => assets.includes(asset));
  return [...new Set(meant.flatMap(({ asset, names, exact }) => [asset, ...names, ...exact]))];
}

/** Whether a text or a tag names a listed company. */
export function namesListedCompany(texts: readonly string[], tagSlugs: readonly string[]): boolean {
  const named = namedAssets(texts, tagSlugs);
  return readLists().rules.some(({ asset, kind }) => kind === 'listed' && named.has(asset));
}

function namedAssets(texts: readonly string[], tagSlugs: readonly string[]): Set<string> {
  const { rules, byName, anyCase, asWritten } = readLists();
  const text = texts.join('\n');
  const words = [...text.matchAll(anyCase), ...text.matchAll(asWritten)].map(([word]) => word);
  const byTag = rules.filter(({ slugs }) => slugs.some((slug) => tagSlugs.includes(slug)));
  return new Set([
    ...words.flatMap((word) => byName.get(foldName(word)) ?? []),
    ...byTag.map(({ asset }) => asset),
  ]);
}
