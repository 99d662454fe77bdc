import assetFile from '../../../data/market-assets.json' with { type: 'json' };
import { foldName } from '../../core/text.ts';

/** An asset in `data/market-assets.json`, which explains its fields. */
interface Asset {
  asset: string;
  kind: string;
  names: readonly string[];
  /** Event tags that identify the asset. */
  tags: readonly string[];
  /** Finance tag required if the asset's names are ambiguous, such as `crypto` for DOGE. */
  needs: string | undefined;
}

interface Lists {
  assets: readonly Asset[];
  /** Assets by folded name or tag, which no two assets share. */
  byName: ReadonlyMap<string, string>;
  // Two patterns cover all names; one per asset would be slow on events with a hundred markets.
  anyCase: RegExp;
  asWritten: RegExp;
}

let lists: Lists | undefined;

/** Compiles the lists on first use, to keep start-up fast. */
function readLists(): Lists {
  if (lists !== undefined) return lists;
  const needs = Object.entries(assetFile.needs);
  const assets = Object.entries(assetFile.assets).flatMap(([kind, rows]) =>
    Object.entries<string[]>(rows).map(([asset, all]): Asset => {
      const names = all.filter((name) => !name.startsWith('#'));
      return {
        asset,
        kind,
        names,
        tags: all.map((name) => name.replace('#', '').toLowerCase().replaceAll(' ', '-')),
        needs: needs.find(([, those]) => those.includes(asset))?.[0],
      };
    }),
  );
  const words = assets.flatMap(({ names }) => names);
  const isAnyCase = (word: string) => word === word.toLowerCase();
  lists = {
    assets,
    byName: new Map(
      assets.flatMap(({ asset, names, tags }) =>
        [asset, ...names, ...tags].map((name) => [foldName(name), asset] as const),
      ),
    ),
    anyCase: wholeWords(words.filter(isAnyCase), 'giu'),
    asWritten: wholeWords(
      words.filter((word) => !isAnyCase(word)),
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

/** The asset for a name, such as BTC for "bitcoin", "xbt" or "$BTC"; null if unknown. */
export function resolveAsset(word: string): string | null {
  return readLists().byName.get(foldName(word).replace(/^\$/, '')) ?? null;
}

/** All names of the assets; indexing them lets a search by one name find texts with another. */
export function listAssetNames(assets: readonly string[]): string[] {
  const rows = readLists().assets.filter(({ asset }) => assets.includes(asset));
  return [...new Set(rows.flatMap(({ asset, names }) => [asset, ...names]))];
}

/** Whether a level of the asset can mean only one price; false for OIL, which is Brent or WTI. */
export function isOnePrice(asset: string): boolean {
  const { kinds, without } = assetFile.prices;
  const kind = readLists().assets.find((one) => one.asset === asset)?.kind ?? '';
  return kinds.includes(kind) && !without.includes(asset);
}

/** The distinct assets that the texts or tags name, in file order. Does not check `needs`. */
export function findAssets(texts: readonly string[], tags: readonly string[]): Asset[] {
  const { assets, byName, anyCase, asWritten } = readLists();
  const text = texts.join('\n');
  const words = [...text.matchAll(anyCase), ...text.matchAll(asWritten)].map(([word]) => word);
  const named = new Set(words.map((word) => byName.get(foldName(word))));
  return assets.filter(
    ({ asset, tags: own }) => named.has(asset) || own.some((tag) => tags.includes(tag)),
  );
}
