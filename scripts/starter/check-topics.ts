import type { StarterPaper } from './papers.ts';

/** Subjects that quants ask about, with the tags of their papers in the taxonomy. */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  'asset pricing and factors': ['asset pricing', 'factor investing'],
  'portfolio choice': ['portfolio choice'],
  'volatility modelling and forecasting': ['volatility forecasting', 'stochastic volatility'],
  'derivatives pricing and hedging': ['option pricing', 'hedging'],
  'market microstructure and execution': ['market microstructure', 'optimal execution'],
  'market making': ['market making'],
  'risk measures and tail risk': ['risk measures', 'tail risk', 'value at risk'],
  'credit and default': ['credit risk'],
  'interest rates and term structure': ['term structure of interest rates'],
  'machine learning for returns': ['machine learning for returns'],
  'large language models': ['large language models'],
  'reinforcement learning': ['reinforcement learning'],
  'crypto and decentralised finance': ['cryptocurrencies', 'decentralised finance'],
  'prediction markets': ['prediction markets'],
  'macro-finance and inflation': ['macro-finance', 'inflation'],
  'monetary policy': ['monetary policy'],
  'ESG and climate': ['sustainable investing', 'climate risk'],
  'systemic risk and networks': ['systemic risk'],
  'behavioural finance': ['behavioural finance'],
  'insurance and pensions': ['insurance', 'pensions and retirement'],
  'energy and commodities': ['energy markets', 'commodities'],
  'foreign exchange': ['foreign exchange'],
  regulation: ['financial regulation'],
  'computational methods': ['computational methods'],
};
const MIN_PAPERS = 4;

/** Subjects with fewer than four papers. */
export function checkSubjects(papers: readonly StarterPaper[]): string[] {
  return Object.entries(SUBJECTS).flatMap(([subject, tags]) => {
    const count = papers.filter((paper) => paper.tags.some((tag) => tags.includes(tag))).length;
    return count < MIN_PAPERS ? [`${subject}: ${count} papers instead of ${MIN_PAPERS}`] : [];
  });
}
