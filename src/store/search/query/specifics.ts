import { plainStems } from '../lexical/tokenise.ts';
import { ASSETS } from './assets.ts';
import { ECONOMIES } from './details.ts';

/**
 * What narrows a question about papers: a place, coin, commodity or game. "CBDC adoption in Nigeria" is
 * near to any paper on CBDC, which does not answer it. Each line has names of the same; most places
 * stand in `ECONOMIES`, and the United States go without saying.
 */
const FURTHER = [
  ...ASSETS,
  'kenya kenyan nairobi',
  'ghana ghanaian',
  'ethiopia ethiopian',
  'uganda ugandan',
  'tanzania tanzanian',
  'rwanda rwandan',
  'senegal senegalese',
  'morocco moroccan casablanca',
  'tunisia tunisian',
  'algeria algerian',
  'zambia zambian',
  'zimbabwe zimbabwean',
  'botswana',
  'namibia namibian',
  'mauritius',
  'johannesburg jse',
  'bangladesh bangladeshi dhaka',
  'nepal nepalese',
  'lanka lankan',
  'mongolia mongolian',
  'kazakhstan kazakh',
  'uzbekistan uzbek',
  'korea korean kospi',
  'tokyo nikkei topix japan japanese',
  'shanghai shenzhen china chinese csi',
  'hong hang hkex',
  'istanbul bist turkey turkish turkiye borsa',
  'qatar qatari',
  'kuwait kuwaiti',
  'bahrain bahraini',
  'oman omani',
  'dubai emirates emirati uae',
  'lebanon lebanese',
  'iraq iraqi',
  'greece greek athens',
  'portugal portuguese lisbon',
  'ireland irish dublin',
  'iceland icelandic reykjavik',
  'netherlands dutch amsterdam',
  'belgium belgian brussels',
  'luxembourg',
  'austria austrian vienna',
  'finland finnish helsinki',
  // Before those of which it is made, as the last line with a word counts.
  'baltic estonia latvia lithuania',
  'estonia estonian',
  'latvia latvian',
  'lithuania lithuanian',
  'romania romanian',
  'bulgaria bulgarian',
  'croatia croatian',
  'serbia serbian',
  'slovenia slovenian',
  'slovakia slovak',
  'bosnia bosnian',
  'albania albanian',
  'georgian',
  'armenia armenian',
  'cyprus cypriot',
  'malta maltese',
  'warsaw poland polish',
  'oslo norway norwegian',
  'caribbean jamaica jamaican trinidad barbados',
  'cuba cuban',
  'bolivia bolivian',
  'ecuador ecuadorian',
  'venezuela venezuelan',
  'uruguay uruguayan',
  'paraguay',
  'panama panamanian',
  'guatemala honduras salvador nicaragua',
  'california californian',
  'texas texan ercot',
  'monero xmr',
  'zcash',
  'tezos',
  'algorand',
  'lithium',
  'nickel',
  'zinc',
  'aluminium aluminum',
  'rhodium',
  'uranium',
  'lumber timber',
  'coffee arabica robusta',
  'cocoa',
  'sugar',
  'cotton',
  'wheat',
  'corn maize',
  'soybean soy',
  'rice',
  'cattle beef',
  'pig hog pork',
  'salmon fish',
  'wine vineyard',
  'hydrogen',
  'horse greyhound racing racetrack',
  'tennis',
  'soccer football',
  'poker',
  'sukuk islamic shariah sharia',
  'microfinance microcredit microlending',
  'quantum qubit',
];
const LINES = new Map(FURTHER.flatMap((line) => line.split(' ').map((name) => [name, line])));
/** Names of options, auctions and methods after places. */
const NAMED_AFTER =
  /\b(?:european|asian|russian|israeli|swiss|canadian|chinese)(?:[- ]style)? (?:[\p{L}-]+ ){0,2}(?:options?|calls?|puts?|swaptions?|exercise|claims?|payoffs?|warrants?|derivatives?|baskets?|vanillas?|contracts?)\b|\b(?:dutch (?:auctions?|books?|disease)|chinese (?:restaurant|walls?|remainder)|indian buffet|hungarian (?:algorithm|method)|japanese candle\w*|mexican hat|swiss roll|polish (?:spaces?|notation)|gold standard|rand (?:index|score|corporation)|sgd|horse race between|quantum field|ripple effects?|(?:outside(?: of)?|ex|non)[- ](?:the )?\p{L}+)\b/giu;

/** The specifics of a question; each is a set of stems, of which a paper should contain one. */
export function specificsOf(question: string): ReadonlySet<string>[] {
  const plain = question.replace(NAMED_AFTER, ' ');
  const stems = new Set(plainStems(plain));
  const words = plain.toLowerCase().match(/\p{L}+/gu) ?? [];
  const known = ECONOMIES.filter((names) => [...names].some((stem) => stems.has(stem)));
  const further = words
    .flatMap((word) => LINES.get(word) ?? LINES.get(word.replace(/s$/u, '')) ?? [])
    .map((line) => new Set(plainStems(line)));
  return joined([...known, ...further]);
}

/** Groups that share a name as one: a paper about the Nikkei is about Japan. */
function joined(groups: readonly ReadonlySet<string>[]): Set<string>[] {
  const result: Set<string>[] = [];
  for (const group of groups) {
    const same = result.find((other) => [...group].some((stem) => other.has(stem)));
    if (same === undefined) result.push(new Set(group));
    else for (const stem of group) same.add(stem);
  }
  return result;
}
