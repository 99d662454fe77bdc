import assetFile from '../../../data/market-assets.json' with { type: 'json' };
import { foldName } from '../../core/text.ts';

/** One of the traded things of the file, which explains the fields. */
interface AssetRule {
  asset: string;
  kind: string;
  names: readonly string[];
  exact?: readonly string[];
  slugs?: readonly string[];
  needs?: readonly string[];
}

const rules: readonly AssetRule[] = assetFile.assets;

interface Lists {
  /** Asset by folded name; no name has two meanings. */
  byName: ReadonlyMap<string, string>;
  // One pattern for all names instead of one per asset: events with a hundred markets are long.
  anyCase: RegExp;
  asWritten: RegExp;
}

let lists: Lists | undefined;

/** Compiled on first use, to keep start-up fast. */
function readLists(): Lists {
  lists ??= {
    byName: new Map(
      rules.flatMap(({ asset, names, exact = [], slugs = [] }) =>
        [asset, ...names, ...exact, ...slugs].map((name) => [foldName(name), asset] as const),
      ),
    ),
    anyCase: wholeWords(
      rules.flatMap(({ names }) => names),
      'giu',
    ),
    asWritten: wholeWords(
      rules.flatMap(({ exact = [] }) => exact),
      'gu',
    ),
  };
  return lists;
}

function wholeWords(words: readonly string[], flags: string): RegExp {
  const longestFirst = words
    .toSorted((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${longestFirst.join('|')})(?![\\p{L}\\p{N}])`, flags);
}

/** The asset for a name ("bitcoin", "xbt" and "$BTC" give "BTC"); null for an unknown one. */
export function resolveAsset(word: string): string | null {
  return readLists().byName.get(foldName(word).replace(/^\$/, '')) ?? null;
}

/**
 * The distinct assets named by texts and tags, in list order. `financeTags` decide ambiguous names:
 * "DOGE" is a coin with the tag crypto and a government office otherwise.
 */
export function detectAssets(
  texts: readonly string[],
  tags: readonly string[],
  financeTags: readonly string[],
): string[] {
  return namedRules(texts, tags)
    .filter(({ needs }) => needs?.some((tag) => financeTags.includes(tag)) ?? true)
    .map(({ asset }) => asset);
}

/** All names of the assets, so that a search for one finds texts that use another. */
export function listAssetNames(assets: readonly string[]): string[] {
  const named = rules.filter(({ asset }) => assets.includes(asset));
  return [...new Set(named.flatMap(({ asset, names, exact = [] }) => [asset, ...names, ...exact]))];
}

/** Whether a text or a tag names a listed company. */
export function namesListedCompany(texts: readonly string[], tags: readonly string[]): boolean {
  return namedRules(texts, tags).some(({ kind }) => kind === 'listed');
}

function namedRules(texts: readonly string[], tags: readonly string[]): AssetRule[] {
  const { byName, anyCase, asWritten } = readLists();
  const text = texts.join('\n');
  const words = [...text.matchAll(anyCase), ...text.matchAll(asWritten)].map(([word]) => word);
  const named = new Set(words.map((word) => byName.get(foldName(word))));
  return rules.filter(
    ({ asset, slugs }) => named.has(asset) || slugs?.some((slug) => tags.includes(slug)),
  );
}
