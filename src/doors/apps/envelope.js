import { fieldsOf } from './bridge.js';

/**
 * @typedef {object} Meta
 * @property {string} [asOf]
 * @property {string} [notice]
 * @property {string} [verdict]
 * @property {number} [creditsUsed]
 * @property {number} [remainingCredits]
 *
 * @typedef {{kind: 'answer', data: any, meta: Meta} | {kind: 'failure', message: string}} Answer
 */

/**
 * What a tool answered: the envelope stands in `structuredContent` and, for hosts that pass on the
 * text alone, in the text.
 * @param {import('./bridge.js').Fields} result
 * @returns {Answer}
 */
export function readResult(result) {
  const envelope = fieldsOf(result.structuredContent ?? parse(textOf(result)));
  const { data, meta } = envelope;
  const { message } = fieldsOf(envelope.error);
  if (typeof message === 'string') return { kind: 'failure', message };
  if (typeof data === 'object' && data !== null) {
    return { kind: 'answer', data, meta: fieldsOf(meta) };
  }
  // A host that refuses a call words it by itself.
  const words = result.isError === true ? textOf(result) : '';
  return { kind: 'failure', message: words || 'The host passed on no figures that can be drawn.' };
}

/** @param {import('./bridge.js').Fields} result */
function textOf({ content }) {
  const [first] = Array.isArray(content) ? content : [];
  const { text } = fieldsOf(first);
  return typeof text === 'string' ? text : '';
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
