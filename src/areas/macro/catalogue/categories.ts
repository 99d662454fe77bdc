/** The categories of the catalogue, as callers name them. */
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

/** How often a series has an observation. */
export const FREQUENCIES = ['Daily', 'Weekly', 'Monthly', 'Quarterly', 'Annual'] as const;
