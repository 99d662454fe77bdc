// Calls to the server that this page came from. The key is held here, in memory, and nowhere else.

let key = '';
/** @type {(credits: number) => void} */
let tellBalance = () => {};

/**
 * @typedef {object} Answer
 * @property {number} status 0 if there was no answer
 * @property {string} text the body, or why there is none
 * @property {any} json the body; undefined if it is not JSON
 * @property {number} ms until it was complete
 */

/** @param {string} text */
export function setKey(text) {
  key = text.trim();
}

/** @param {(credits: number) => void} listener called with the credits left, after every call that tells them */
export function onBalance(listener) {
  tellBalance = listener;
}

/**
 * @param {string} method
 * @param {string} address path and query
 * @param {object} [body] sent as JSON
 * @returns {Promise<Answer>}
 */
export async function ask(method, address, body) {
  const begun = performance.now();
  /** @type {Record<string, string>} */
  const headers = {};
  if (key !== '') headers.Authorization = `Bearer ${key}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  try {
    const response = await fetch(address, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    });
    const text = await response.text();
    const json = parse(text);
    const left = json?.meta?.remainingCredits;
    if (typeof left === 'number') tellBalance(left);
    return { status: response.status, text, json, ms: performance.now() - begun };
  } catch {
    const text = /[^\x21-\x7e]/.test(key)
      ? 'This is not a key: after "qs_", a key has letters and digits only.'
      : 'The server did not answer. Is it still running?';
    return { status: 0, text, json: undefined, ms: performance.now() - begun };
  }
}

/**
 * What went wrong, in words for the user; an empty string if nothing did.
 * @param {Answer} answer
 * @returns {string}
 */
export function faultOf({ status, json, text }) {
  if (status >= 200 && status < 300) return '';
  return json?.error?.message ?? (text === '' ? `The server answered ${status}.` : text);
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
