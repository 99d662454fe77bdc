/** The categories of the catalogue, as in the contract. */
export const CATEGORIES = [
  'Inflation',
  'Rates',
  'Labor',
  'Growth',
  'Housing',
  'Liquidity',
  'Conditions',
  'FX',
  'Credit',
  'Sentiment',
  'Energy',
  'Inflation Expectations',
  'Consumption',
] as const;

/** Native cadences, as in the contract. */
export const FREQUENCIES = ['Daily', 'Weekly', 'Monthly', 'Quarterly', 'Annual'] as const;
