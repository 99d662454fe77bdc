import { foldCase } from '../core/text.ts';
import { isStopWord } from './tokenise.ts';

/*
 * Query syntax beyond plain words:
 *
 *   author:cont  -cat:q-fin.TR    filters by a field of the area
 *   -crypto  -"deep learning"     words and phrases that no match may contain
 *   not about pensions            the same in prose, for papers
 *
 * The rest is the subject. A long one is cut to the pieces closest in meaning to cards on the shelf.
 */

interface Query {
  /** The subject to rank by; '' if the question has only fields and excluded words. */
  subject: string;
  fields: readonly Field[];
  without: readonly string[];
}

export interface Field {
  name: string;
  /** '' if missing. */
  value: string;
  /** Whether a minus precedes the field, to exclude matches. */
  isExcluded: boolean;
}

const VALUE = '(?:"[^"]+"|[^\\s",;()]+)';
/** An unclosed quote runs to the end of the question. */
const WITHOUT = new RegExp(`(?<=^|\\s)-(?=["\\p{L}])(${VALUE}|"[^"]+$)`, 'gu');
/** Minimum number of words in a title; fewer may be a subject instead. */
const TITLE_WORDS = 3;
/** A question with at least this many words is long. */
const LONG = 24;
/** Maximum number of pieces in a question; further ones are dropped. */
const MAX_PIECES = 16;
/** Where a long question is split: sentence ends, colons, semicolons, dashes, quotes, line breaks. */
const BREAK = /(?<=[.?!])\s+|[:;]\s+|\s+[-–—]+\s+|—|["“”«»\n]+/u;
/** How far the mean cosine of a piece with its nearest cards may be below that of the best piece. */
const WITHIN = 0.2;

/** What ends an excluded subject: punctuation, the end of a line, or a word such as "in" or "that". */
const END =
  '(?=\\s*(?:[.,;:!?()\\n]|$|\\b(?:that|which|who|whose|whom|where|when|but|about|after|against|among|as|at|before|between|by|during|for|from|in|into|of|on|over|since|through|to|under|until|using|via|with|within|without)\\b))';
/** An exclusion in prose. Other negations, such as "does not", belong to the subject. */
const EXCLUSION = new RegExp(
  `[\\s,(]*\\b(?:(?:but |and )?not about|excluding) ([^.,;:!?()\\n]{2,80}?)${END}`,
  'giu',
);

/** Splits "not about X" and "excluding X" off a question. */
export function splitExclusion(question: string): { text: string; excluded: string[] } {
  const excluded: string[] = [];
  const text = question
    .replace(EXCLUSION, (whole: string, subject: string) => {
      // In "excluding papers by Lillo", "papers" is not a subject.
      if (!hasSubject(subject)) return whole;
      excluded.push(subject.trim());
      return ' ';
    })
    .replace(/ {2,}/gu, ' ')
    .trim();
  return { text: excluded.length > 0 ? text : question, excluded };
}

/** Extracts fields and excluded words from a question. `names` are the area's fields. */
export function readQuery(question: string, names: readonly string[]): Query {
  const fields: Field[] = [];
  const without: string[] = [];
  const textOf = (value: string) => value.replaceAll('"', '').replace(/[.?!]+$/u, '');
  const named = new RegExp(
    `(?<=^|[\\s(])(-?)(${names.join('|')}):\\s*(${VALUE}(?:,${VALUE})*)?`,
    'giu',
  );
  const rest =
    names.length === 0
      ? question
      : question.replace(named, (_, minus: string, field: string, list = '') => {
          const isExcluded = minus !== '';
          // "author:bouchaud,lillo" is two fields.
          for (const value of list.match(new RegExp(VALUE, 'gu')) ?? ['']) {
            fields.push({ name: field.toLowerCase(), value: textOf(value), isExcluded });
          }
          return ' ';
        });
  const subject = rest.replace(WITHOUT, (_, value: string) => {
    without.push(textOf(value));
    return ' ';
  });
  const isWhole = fields.length + without.length === 0;
  return { subject: isWhole ? question : subject.replace(/\s+/gu, ' ').trim(), fields, without };
}

/** Whether a text has a word with a meaning of its own; "US" in capitals is one. */
export function hasSubject(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.some((word) => word === 'US' || !isStopWord(word));
}

/** The pieces of a long question that contain a subject; none for a short question. */
export function piecesOf(text: string): string[] {
  if (text.trim().split(/\s+/u).length < LONG) return [];
  const pieces = text.split(BREAK).map((piece) => piece.trim());
  return pieces.filter(hasSubject).slice(0, MAX_PIECES);
}

/** The pieces whose mean cosine is at most `WITHIN` below the best. */
export function nearPieces(pieces: readonly string[], cosines: readonly number[]): string[] {
  const best = Math.max(...cosines);
  return pieces.filter((_, at) => (cosines[at] ?? 0) >= best - WITHIN);
}

/** Whether a text equals a title of at least three words, ignoring case, accents and punctuation. */
export function isSameTitle(text: string, title: string): boolean {
  const words = wordsOf(text);
  return words.length >= TITLE_WORDS && words.join(' ') === wordsOf(title).join(' ');
}

function wordsOf(text: string): string[] {
  return foldCase(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** An excluded word or phrase in query syntax. */
export function writeExclusion(text: string): string {
  return text.includes(' ') ? `-"${text}"` : `-${text}`;
}
