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
type AssetRule = z.output<typeof assetRule>;
const assetLists = z.strictObject({ about: z.string(), assets: z.array(assetRule) });

interface Lists {
  rules: readonly AssetRule[];
  /** Asset by folded name; no name has two meanings. */
  byName: ReadonlyMap<string, string>;
  // One pattern for all names instead of one per asset: events with a hundred markets are long.
  anyCase: RegExp;
  asWritten: RegExp;
}

let lists: Lists | undefined;

/** Compiled on first use, to keep start-up fast. */
function readLists(): Lists {
  if (lists === undefined) {
    const rules = assetLists.parse(assetFile).assets;
    const names = rules.flatMap((rule) =>
      [rule.asset, ...rule.names, ...rule.exact, ...rule.slugs].map(
        (name) => [foldName(name), rule.asset] as const,
      ),
    );
    lists = {
      rules,
      byName: new Map(names),
      anyCase: wholeWords(rules, 'names', 'giu'),
      asWritten: wholeWords(rules, 'exact', 'gu'),
    };
  }
  return lists;
}

function wholeWords(rules: readonly AssetRule[], field: 'names' | 'exact', flags: string): RegExp {
  const longestFirst = rules
    .flatMap((rule) => rule[field])
    .sort((a, b) => b.length - a.length)
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
    .filter(({ needs }) => needs.length === 0 || needs.some((tag) => financeTags.includes(tag)))
    .map(({ asset }) => asset);
}

/** All names of the assets, so that a search for one finds texts that use another. */
export function listAssetNames(assets: readonly string[]): string[] {
  const rules = readLists().rules.filter(({ asset }) => assets.includes(asset));
  return [...new Set(rules.flatMap(({ asset, names, exact }) => [asset, ...names, ...exact]))];
}

/** Whether a text or a tag names a listed company. */
export function namesListedCompany(texts: readonly string[], tags: readonly string[]): boolean {
  return namedRules(texts, tags).some(({ kind }) => kind === 'listed');
}

function namedRules(texts: readonly string[], tags: readonly string[]): AssetRule[] {
  const { rules, byName, anyCase, asWritten } = readLists();
  const text = texts.join('\n');
  const words = [...text.matchAll(anyCase), ...text.matchAll(asWritten)].map(([word]) => word);
  const named = new Set(words.map((word) => byName.get(foldName(word))));
  return rules.filter(
    ({ asset, slugs }) => named.has(asset) || slugs.some((slug) => tags.includes(slug)),
  );
}
