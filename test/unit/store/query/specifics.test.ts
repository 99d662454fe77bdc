import { describe, expect, it } from 'vitest';
import nameFile from '../../../../data/search-names.json' with { type: 'json' };
import { createSearchIndex, indexText } from '../../../../src/store/search/index.ts';
import { Names } from '../../../../src/store/search/query/names.ts';
import { specificsOf } from '../../../../src/store/search/query/specifics.ts';
import { search } from '../../../../src/store/search/search.ts';
import { judge } from '../../../../src/store/search/verdict.ts';
import { Database } from '../../../../src/store/sqlite.ts';

const { economies, assets, places } = nameFile;
const NAMES = new Names({ economies, others: [...assets, ...places] });

describe('the specifics of a question about papers', () => {
  it.each([
    ['CBDC adoption in Nigeria', 'nigerian'],
    ['cbdc adoption in nigeria', 'nigeria'],
    ['Heston calibration with quantum computers', 'quantum'],
    ['Kelly betting in horse racing', 'horse'],
    ['withdrawal rate for German retirees', 'germany'],
    ['volatility of Monero', 'monero'],
    ['order books of Istanbul', 'turkish'],
  ])('of "%s" are met by "%s"', (question, word) => {
    const [first, ...others] = specificsOf(question, NAMES);
    expect(others).toEqual([]);
    expect([...(first ?? [])].some((stem) => word.startsWith(stem.replace(/i$/, '')))).toBe(true);
  });

  it('are one where two of its names stand together', () => {
    expect(specificsOf('Nikkei futures in Japan', NAMES)).toHaveLength(1);
    expect(specificsOf('bonds of Kenya and Ghana', NAMES)).toHaveLength(2);
  });

  it.each([
    'European options under rough volatility',
    'pricing European and American options',
    'Asian call with stochastic rates',
    'Dutch auctions of Treasury bills',
    'martingales in Polish spaces',
    'SGD for deep hedging',
    'US equity premium',
    'equity premium outside Japan',
    'ripple effects of defaults',
  ])('are none in "%s"', (question) => {
    expect(specificsOf(question, NAMES)).toEqual([]);
  });

  it('keep a first match that lacks one from a strong verdict, in any case of letters', async () => {
    const db = new Database(':memory:');
    const index = { name: 'card', columns: { title: 1 }, isProse: true, names: NAMES };
    createSearchIndex(db, index);
    const held =
      'adoption of digital central bank money by households and shops, their trust in banknotes and payment by phone in Sweden';
    const titles = [held];
    for (let id = 2; id < 60; id += 1) titles.push(`Volatility model ${id} of options and swaps`);
    for (const [at, title] of titles.entries()) indexText(db, index, at + 1, { title });
    const ask = async (text: string) => {
      const { evidence } = await search(db, index, { text, vector: null, limit: 10 });
      if (evidence === null) throw new Error('no match');
      return evidence;
    };
    expect(judge(await ask(held))).toBe('strong');
    const missed = held.replace('Sweden', 'Nigeria');
    for (const text of [missed, missed.toLowerCase(), missed.toUpperCase()]) {
      expect((await ask(text)).missingDetails, text).toBe(1);
      expect(judge(await ask(text))).toBe('weak');
    }
  });
});
