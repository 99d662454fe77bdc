// Numbers, dates and names of series as an analyst writes them.

// Made once: a formatter takes longer to make than to use, and a table has thousands of cells.
const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });
const DAY = dates({ day: 'numeric', month: 'short', year: 'numeric' });
const MONTH = dates({ month: 'long', year: 'numeric' });

/**
 * @param {number} value
 * @param {number} [digits] decimals; as many as the value has, at most 6, without it
 */
export function formatValue(value, digits) {
  // A tick at zero may come out as a negative zero.
  const plain = value === 0 ? 0 : value;
  if (digits === undefined) return NUMBER.format(plain);
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return plain.toLocaleString('en-US', decimals);
}

/** @param {string} date YYYY-MM-DD, YYYY-MM, or a full ISO time, of which the day in UTC is shown */
export function formatDate(date) {
  return inWords(date, date.length === 'YYYY-MM'.length ? MONTH : DAY);
}

/**
 * The period that an observation stands for: "June 2026", "Q2 2026", "2026", or a day where the
 * series is daily or weekly.
 * @param {string} date YYYY-MM-DD, the start of the period
 * @param {string} frequency
 */
export function formatPeriod(date, frequency) {
  switch (frequency) {
    case 'Monthly':
      return inWords(date, MONTH);
    case 'Quarterly':
      return `Q${Math.ceil(Number(date.slice(5, 7)) / 3)} ${date.slice(0, 4)}`;
    case 'Annual':
      return date.slice(0, 4);
    default:
      return formatDate(date);
  }
}

/**
 * When an event ends, ended or was closed; null where nothing is known of it.
 * @param {{status: string, end_time?: string, closed_time?: string}} event
 */
export function describeEnd({ status, end_time, closed_time = end_time }) {
  if (status === 'closed') {
    return closed_time === undefined ? null : `Closed ${formatDate(closed_time)}`;
  }
  if (end_time === undefined) return null;
  return `${Date.parse(end_time) < Date.now() ? 'Ended' : 'Ends'} ${formatDate(end_time)}`;
}

/** @param {number} dollars */
export function formatDollars(dollars) {
  const short = /** @type {const} */ ({ notation: 'compact', maximumSignificantDigits: 3 });
  return `$${new Intl.NumberFormat('en-US', short).format(dollars)}`;
}

/** @param {number} fraction 0 to 1; the ends are kept for what is certain */
export function formatChance(fraction) {
  if (fraction > 0 && fraction < 0.001) return '<0.1%';
  if (fraction < 1 && fraction > 0.999) return '>99.9%';
  return `${new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 }).format(fraction * 100)}%`;
}

/**
 * @param {number} count
 * @param {string} noun that takes an s
 */
export function countOf(count, noun) {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * A name that can be told from its neighbours by its beginning: what follows the maturity is the
 * same in every yield, so the maturity comes first.
 * @param {string} title
 */
export function nameOf(title) {
  const found =
    /^(.*) at (\d+-(?:Year|Month)) Constant Maturity(?:, Quoted on an Investment Basis)?(, Inflation-Indexed)?$/.exec(
      title,
    );
  if (found === null) return title;
  const [, what, maturity, isReal] = found;
  return `${maturity} ${isReal === undefined ? '' : 'Inflation-Indexed '}${what}`;
}

/**
 * @param {string} date
 * @param {Intl.DateTimeFormat} formatter
 */
function inWords(date, formatter) {
  const time = Date.parse(date);
  return Number.isNaN(time) ? date : formatter.format(time);
}

/** @param {Intl.DateTimeFormatOptions} parts */
function dates(parts) {
  return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' });
}
