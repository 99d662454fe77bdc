import { countOf } from '../page/format.js';

// Numbers that only the views write.

/**
 * @param {number} credits
 * @returns {string} what a call costs
 */
export function formatPrice(credits) {
  return credits === 0 ? 'free' : countOf(credits, 'credit');
}

/**
 * @param {number} change
 * @param {number} digits decimals at most
 * @returns {string} with its sign
 */
export function formatChange(change, digits) {
  return new Intl.NumberFormat('en-US', {
    signDisplay: 'exceptZero',
    maximumFractionDigits: digits,
  }).format(change);
}
