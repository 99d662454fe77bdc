// Numbers and dates as the views write them.

/** @param {string} date YYYY-MM-DD or longer @param {Intl.DateTimeFormatOptions} parts */
function format(date, parts) {
  const time = Date.parse(date);
  if (Number.isNaN(time)) return date;
  return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' }).format(time);
}

/**
 * @param {string} date
 * @returns {string} such as "21 Aug 2026"
 */
export function formatDay(date) {
  return format(date, { day: 'numeric', month: 'short', year: 'numeric' });
}

/**
 * The period that begins on a date.
 * @param {string} date YYYY-MM-DD
 * @param {string} frequency
 * @returns {string} such as "2025", "Q2 2026", "July 2026" or "21 Aug 2026"
 */
export function formatPeriod(date, frequency) {
  const year = date.slice(0, 4);
  if (frequency === 'Annual') return year;
  if (frequency === 'Quarterly') return `Q${Math.ceil(Number(date.slice(5, 7)) / 3)} ${year}`;
  if (frequency === 'Monthly') return format(date, { month: 'long', year: 'numeric' });
  return formatDay(date);
}

/**
 * @param {number} share 0 to 1
 * @returns {string} a percentage with one decimal, which never rounds to a certainty
 */
export function formatShare(share) {
  if (share <= 0 || share >= 1) return share <= 0 ? '0%' : '100%';
  if (share < 0.001) return '<0.1%';
  if (share > 0.999) return '>99.9%';
  return new Intl.NumberFormat('en-US', {
    style: 'percent',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  }).format(share);
}

/**
 * @param {number} dollars
 * @returns {string} such as "$12.3M"
 */
export function formatMoney(dollars) {
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    notation: 'compact',
    maximumFractionDigits: dollars < 1_000 ? 0 : 1,
  }).format(dollars);
}

/**
 * @param {number} credits
 * @returns {string} what a call costs
 */
export function formatPrice(credits) {
  if (credits === 0) return 'free';
  return `${credits} credit${credits === 1 ? '' : 's'}`;
}

/**
 * @param {number} change
 * @param {number} digits decimals
 * @returns {string} with its sign
 */
export function formatChange(change, digits) {
  return new Intl.NumberFormat('en-US', {
    signDisplay: 'exceptZero',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(change);
}
