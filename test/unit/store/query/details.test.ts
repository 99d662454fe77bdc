import { describe, expect, it } from 'vitest';
import nameFile from '../../../../data/search-names.json' with { type: 'json' };
import opposites from '../../../../data/search-opposites.json' with { type: 'json' };
import { ask } from '../../../../src/store/search/ask.ts';
import { createSearchIndex, indexText } from '../../../../src/store/search/index.ts';
import { Synonyms } from '../../../../src/store/search/lexical/synonyms.ts';
import { detailsOf, namedIn, oppositesOf } from '../../../../src/store/search/query/details.ts';
import { Names } from '../../../../src/store/search/query/names.ts';
import { search } from '../../../../src/store/search/search.ts';
import { Database } from '../../../../src/store/sqlite.ts';

const { economies, assets, subjects, acts } = nameFile;
const others = [...assets, ...subjects, ...acts];
const NAMES = new Names({ economies, others, pairs: opposites.pairs });
const INDEX = { name: 'card', columns: { title: 1 }, names: NAMES };

function read(question: string): string[] {
  const details = [...detailsOf(question), ...namedIn(question, NAMES)];
  return details.map((one) => [...one][0] ?? '');
}

describe('the details of a question', () => {
  it.each([
    ['Will the Bank of England cut rates in March 2026?', ['march', '2026', 'uk']],
    ['will the bank of england cut rates in march 2026?', ['march', '2026', 'uk']],
    ['S&P above 4,000 by May', ['mai', '4000']],
    ['Bitcoin at $100,000 or 1,250,000', ['100000', '1250000', 'bitcoin']],
    ['10-year yield, US not Japan', ['10y']],
    ['what happens after June for Bitcoin', ['june', 'bitcoin']],
    ['chair of the Fed after Marcus Powell', []],
    ['the Fed and not the ECB or Canada', []],
    ['not in Japan but in Canada', ['canada']],
    ['a cut in June rather than in July', ['june']],
    ['does the Bank of England not cut in May', ['uk', 'mai']],
    ['a hike at the May meeting, or in mid-May', ['mai']],
    ['Fed rate hike in Dec 2025', ['decemb', '2025']],
    ['Fed rate hike in December 2025', ['decemb', '2025']],
    ['RBNZ cuts in 2025', ['2025', 'zealand']],
    ['US 10-year yield', ['10y']],
    ['yield of the 30Y bond', ['30y']],
    ['Will Microsoft buy Bitcoin before July?', ['june', 'bitcoin', 'microsoft']],
    ['Will Microsoft buy Bitcoin before July 4?', ['june', '4', 'bitcoin', 'microsoft']],
    ['solana all time high', ['solana']],
    ['Will the Fed hold or not in March 2026', ['march', '2026']],
    ['whether or not Japan will raise rates in March', ['march', 'japan']],
    ['the market cap of Uniswap after its launch', ['uniswap']],
    ['Which Company Has the Best Model', []],
    ['how many companies may step down', []],
    ['do earnings of JPMorgan beat', ['jpmorgan']],
    ['recall that rents and wages rise', []],
    ['Kraken goes bankrupt', ['kraken', 'bankrupt']],
    ['is Kraken taken over, not bankrupt', ['kraken']],
    ['will nike beat', ['nike']],
    ['GBP/USD parity in 2027', ['2027', 'uk']],
    ['hang on, will rates fall', []],
    ['growth in Q4', ['q4']],
    ['growth in the second quarter', ['q2']],
    ['the second largest company', ['second']],
    ['second best model', ['second']],
    ['the second term of the president', []],
    ['who will replace Jerome Powell', []],
    ['who runs it after Powell', []],
  ])('"%s"', (question, details) => {
    expect(read(question).toSorted()).toEqual(details.toSorted());
  });

  it('count against a card that has another month, economy or number', async () => {
    const db = new Database(':memory:');
    createSearchIndex(db, INDEX);
    const titles = ['Bank of Japan rate decision in March', 'Bank of England rate decision in May'];
    for (const [at, title] of titles.entries()) indexText(db, INDEX, at + 1, { title });
    const ask = (text: string) => search(db, INDEX, { text, vector: null, limit: 2 });
    const missing = async (text: string) => (await ask(text)).evidence?.missingDetails;
    expect(await missing('rate decision in Britain in May')).toBe(0);
    expect(await missing('rate decision in Japan in May')).toBe(1);
    expect(await missing('rate decision in Japan in June 2027')).toBe(2);
    expect((await ask('british rate decision')).matches.map(({ id }) => id)).toEqual([2, 1]);
  });

  it('are not met by another month than that of the title', async () => {
    const db = new Database(':memory:');
    const index = { ...INDEX, columns: { title: 2, body: 1 } };
    createSearchIndex(db, index);
    indexText(db, index, 1, { title: 'Inflation in December?', body: 'out in January' });
    const missing = async (text: string) =>
      (await search(db, index, { text, vector: null, limit: 1 })).evidence?.missingDetails;
    expect(await missing('inflation in dec')).toBe(0);
    expect(await missing('inflation in January')).toBe(1);
    // "By June 30" is "before July", as the card says elsewhere.
    indexText(db, index, 1, { title: 'Inflation by June 30?', body: 'before July' });
    expect(await missing('inflation before July')).toBe(0);
  });

  it('are met by a deadline in other words', async () => {
    const db = new Database(':memory:');
    createSearchIndex(db, INDEX);
    const titles = ['Ether record by June 30?', 'Gold record in 2025?', 'Yen low before 2026?'];
    for (const [at, title] of titles.entries()) indexText(db, INDEX, at + 1, { title });
    const missing = async (text: string) =>
      (await search(db, INDEX, { text, vector: null, limit: 1 })).evidence?.missingDetails;
    expect(await missing('ether record before July')).toBe(0);
    expect(await missing('ether record before August')).toBe(1);
    expect(await missing('gold record before 2026')).toBe(0);
    expect(await missing('gold record before 2027')).toBe(1);
    expect(await missing('yen low in 2026')).toBe(0);
  });

  it('are not met by the month before which it should be', async () => {
    const db = new Database(':memory:');
    createSearchIndex(db, INDEX);
    const titles = ['Ether fund by July 31?', 'Yen record before July?'];
    for (const [at, title] of titles.entries()) indexText(db, INDEX, at + 1, { title });
    const missing = async (text: string) =>
      (await search(db, INDEX, { text, vector: null, limit: 1 })).evidence?.missingDetails;
    expect(await missing('ether fund before July')).toBe(1);
    expect(await missing('ether fund before July 31')).toBe(0);
    expect(await missing('yen record before July')).toBe(0);
  });

  it('count an act or quarter that only the description mentions as missing', async () => {
    const db = new Database(':memory:');
    const index = { name: 'card', columns: { title: 2, labels: 1, rules: 0.5 }, names: NAMES };
    createSearchIndex(db, index);
    const rules = 'Not if Kraken is acquired before its shares trade, nor in the third quarter.';
    indexText(db, index, 1, { title: 'Kraken IPO in 2027?', labels: 'Layoffs', rules });
    const missing = async (text: string) =>
      (await search(db, index, { text, vector: null, limit: 1 })).evidence?.missingDetails;
    expect(await missing('Kraken IPO in 2027')).toBe(0);
    expect(await missing('Kraken layoffs in 2027')).toBe(0);
    expect(await missing('Kraken acquired in 2027')).toBe(1);
    expect(await missing('Kraken takeover in Q3 2027')).toBe(2);
  });

  it('are met by an act under another name', async () => {
    const db = new Database(':memory:');
    const synonyms = new Synonyms(['out, removed < ousted']);
    const index = { ...INDEX, synonyms };
    createSearchIndex(db, index);
    const titles = ['Powell out in 2027?', 'Kraken IPO in 2027?'];
    for (const [at, title] of titles.entries()) indexText(db, index, at + 1, { title });
    const missing = async (text: string) =>
      (await search(db, index, { text, vector: null, limit: 1 })).evidence?.missingDetails;
    expect(await missing('Trump removes Powell in 2027')).toBe(0);
    expect(await missing('Powell ousted in 2027')).toBe(0);
    expect(await missing('Kraken removed in 2027')).toBe(1);
  });

  it('count against a title of a month where the question names a year only', async () => {
    const db = new Database(':memory:');
    createSearchIndex(db, INDEX);
    indexText(db, INDEX, 1, { title: 'Approved by July 31, 2025' });
    const missing = async (text: string) =>
      (await search(db, INDEX, { text, vector: null, limit: 1 })).evidence?.missingDetails;
    expect(await missing('approved in 2025')).toBe(1);
    expect(await missing('approved by July 2025')).toBe(0);
    expect(await missing('approved')).toBe(0);
  });

  it('count against a title of another economy where the question names none', async () => {
    const db = new Database(':memory:');
    createSearchIndex(db, INDEX);
    const titles = ['Recession in Germany', 'Recession'];
    for (const [at, title] of titles.entries()) indexText(db, INDEX, at + 1, { title });
    const rank = async (text: string) => {
      const { matches } = await search(db, INDEX, { text, vector: null, limit: 2 });
      return matches.map(({ id, missingDetails }) => [id, missingDetails]);
    };
    expect((await rank('recession')).toSorted()).toEqual([
      [1, 1],
      [2, 0],
    ]);
    expect(await rank('german recession')).toEqual([
      [1, 0],
      [2, 1],
    ]);
  });

  it('count not against the economy that a name leads to', async () => {
    const db = new Database(':memory:');
    const index = { ...INDEX, synonyms: new Synonyms(['germany, german < bundestag']) };
    createSearchIndex(db, index);
    indexText(db, index, 1, { title: 'Recession in Germany' });
    const missing = async (text: string) => {
      const { matches } = await search(db, index, { text, vector: null, limit: 1 });
      return matches[0]?.missingDetails;
    };
    expect(await missing('recession, parliament')).toBe(1);
    expect(await missing('recession, Bundestag')).toBe(0);
  });

  it.each([
    ['us recession', 2],
    ['recession in the us', 2],
    ['will us recession come', 2],
    ['recession, tell us', 1],
  ])('read "us" as the country where no pronoun can stand: %s', async (text, first) => {
    const db = new Database(':memory:');
    createSearchIndex(db, INDEX);
    for (const [at, title] of ['Recession', 'Recession in the US'].entries()) {
      indexText(db, INDEX, at + 1, { title });
    }
    const { matches } = await search(db, INDEX, { text, vector: null, limit: 1 });
    expect(matches[0]?.id).toBe(first);
  });

  it('want the year of a title that names one, whatever else the card says', async () => {
    const db = new Database(':memory:');
    const index = { ...INDEX, columns: { title: 2, body: 1 } };
    createSearchIndex(db, index);
    indexText(db, index, 1, { title: 'Recession in 2025?', body: 'Resolves in January 2026' });
    indexText(db, index, 2, { title: 'Default soon?', body: 'Resolves in January 2026' });
    const missing = async (text: string) =>
      (await search(db, index, { text, vector: null, limit: 1 })).evidence?.missingDetails;
    expect(await missing('recession in 2025')).toBe(0);
    expect(await missing('recession in 2026')).toBe(1);
    expect(await missing('default in 2026')).toBe(0);
    indexText(db, index, 3, {
      title: 'What price will ether hit in 2026?',
      body: '2,000 or 3,000',
    });
    expect(await missing('ether price of $2,000 in 2026')).toBe(0);
  });

  it('include dates relative to today', async () => {
    const db = new Database(':memory:');
    createSearchIndex(db, INDEX);
    indexText(db, INDEX, 1, { title: 'Recession in 2025?' });
    const missing = async (year: number) => {
      const context = {
        db,
        now: () => new Date(Date.UTC(year, 5, 1)),
        isWord: async () => true,
        embedQuery: async () => ({ unavailable: '' }),
      };
      const asked = await ask(context, INDEX, { text: 'recession this year', limit: 1 });
      return asked.evidence?.missingDetails;
    };
    expect(await missing(2025)).toBe(0);
    expect(await missing(2026)).toBe(1);
  });

  it('do not matter to prose, which spells them in other ways, but for places and the like', async () => {
    const db = new Database(':memory:');
    createSearchIndex(db, INDEX);
    indexText(db, INDEX, 1, { title: 'Rate decisions of central banks' });
    const prose = { ...INDEX, isProse: true };
    const missing = async (text: string) =>
      (await search(db, prose, { text, vector: null, limit: 1 })).evidence?.missingDetails;
    expect(await missing('rate decisions in March 2025')).toBe(0);
    expect(await missing('rate decisions in Japan')).toBe(1);
  });
});

describe('the opposite side', () => {
  const sideOf = async (title: string, text: string, labels = '') => {
    const db = new Database(':memory:');
    const index = { name: 'card', columns: { title: 2, labels: 1, rules: 0.5 }, names: NAMES };
    createSearchIndex(db, index);
    indexText(db, index, 1, {
      title,
      labels,
      rules: 'raised or cut, above or below, passes or fails',
    });
    const { evidence } = await search(db, index, { text, vector: null, limit: 1 });
    return evidence?.missingDetails;
  };

  it.each([
    ['OPEC+ cuts output in 2027?', 'does OPEC+ raise output in 2027'],
    ['Gas price above $5?', 'gas price below 5'],
    ['Gas price below $5?', 'GAS PRICE OVER 5'],
    ['Will Boeing beat earnings?', 'Boeing misses earnings'],
    ['Wealth tax passes?', 'wealth tax fails'],
    ['Solana ETF approved?', 'Solana ETF rejected'],
    ['Tesla sells Bitcoin?', 'will Tesla buy Bitcoin'],
    ['Copper all time high?', 'copper all time low'],
    ['Klarna IPO in 2025?', 'Klarna IPO after 2025'],
    ['Deal before August?', 'deal after August'],
    ['Powell out as Fed Chair?', 'Powell becomes Fed Chair'],
  ])('"%s" does not answer "%s"', async (title, text) => {
    expect(await sideOf(title, text)).toBeGreaterThan(0);
  });

  it.each([
    ['Fed decision in December?', 'will the Fed hike in December'],
    ['OPEC+ cuts output?', 'does OPEC+ reduce output'],
    ['OPEC+ cuts output?', 'does OPEC+ raise or cut output'],
    ['OPEC+ cuts output?', 'OPEC+ output cut, not raised'],
    ['What price will copper hit?', 'copper falls'],
    ['Powell out?', 'who comes after Powell'],
  ])('"%s" has the side of "%s"', async (title, text) => {
    expect(await sideOf(title, text)).toBe(0);
  });

  it('may stand in the outcomes', async () => {
    expect(await sideOf('OPEC+ raises output?', 'OPEC+ output cut', 'Raise\nCut')).toBe(0);
  });

  it('is none where a question takes both', () => {
    expect(oppositesOf('do rates rise or fall', NAMES)).toEqual([]);
    expect(oppositesOf('do rates rise', NAMES)).toHaveLength(1);
  });
});
