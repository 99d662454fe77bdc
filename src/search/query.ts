import { foldCase } from '../core/text.ts';
import { isStopWord } from './tokenise.ts';

/*
 * Everything read from a question beyond its words:
 *
 *   author:cont  -cat:q-fin.TR    fields of the area, which filter
 *   -crypto  -"deep learning"     words and phrases that no match may contain
 *   not about pensions            the same in prose, for papers
 *
 * A long question is cut to the pieces closest in meaning to cards on the shelf. Everything else is the subject.
 */

interface Query {
  /** The subject to rank for; '' if the question has only fields. */
  subject: string;
  fields: readonly Field[];
  without: readonly string[];
}

export interface Field {
  name: string;
  /** '' if none was given. */
  value: string;
  /** Written with a minus: matches are excluded. */
  isExcluded: boolean;
}

const VALUE = '(?:"[^"]+"|[^\\s",;()]+)';
const WITHOUT = new RegExp(`(?<=^|\\s)-(?=["\\p{L}])(${VALUE})`, 'gu');
const TITLE_WORDS = 3;
/** A question with at least this many words is long. */
const LONG = 24;
/** Maximum number of pieces of a question; the rest is dropped. */
const MAX_PIECES = 16;
/** Where a long question is split: ends of sentences, colons, dashes and quotes. */
const BREAK = /(?<=[.?!])\s+|[:;]\s+|\s+[-–—]+\s+|—|["“”«»\n]+/u;
/** Maximum gap between a piece's mean cosine with its nearest cards and that of the best piece. */
const WITHIN = 0.2;

/** Where an excluded subject ends: at a relative pronoun, a preposition or punctuation. */
const END =
  '(?=\\s*(?:[.,;:!?()\\n]|$|\\b(?:that|which|who|whose|whom|where|when|but|about|after|against|among|as|at|before|between|by|during|for|from|in|into|of|on|over|since|through|to|under|until|using|via|with|within|without)\\b))';
/** Other negations belong to a claim, and so to the subject. */
const EXCLUSION = new RegExp(
  `[\\s,(]*\\b(?:(?:but |and )?not about|excluding) ([^.,;:!?()\\n]{2,80}?)${END}`,
  'giu',
);

/** Splits "not about X" off a question. */
export function splitExclusion(question: string): { text: string; excluded: string[] } {
  const excluded: string[] = [];
  const text = question
    .replace(EXCLUSION, (whole: string, subject: string) => {
      // "Excluding papers by Lillo" excludes no word.
      if (!hasSubject(subject)) return whole;
      excluded.push(subject.trim());
      return ' ';
    })
    .replace(/ {2,}/gu, ' ')
    .trim();
  return excluded.length > 0 && hasSubject(text)
    ? { text, excluded }
    : { text: question, excluded: [] };
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

/** The pieces of a long question; none for a shorter one. */
export function piecesOf(text: string): string[] {
  if (text.trim().split(/\s+/u).length < LONG) return [];
  const pieces = text.split(BREAK).map((piece) => piece.trim());
  return pieces.filter(hasSubject).slice(0, MAX_PIECES);
}

/** The pieces about as close in meaning to cards on the shelf as the best one, by mean cosine. */
export function nearPieces(pieces: readonly string[], cosines: readonly number[]): string[] {
  const best = Math.max(...cosines);
  return pieces.filter((_, at) => (cosines[at] ?? 0) >= best - WITHIN);
}

/**
 * Whether a text equals a title except for capitals, accents and punctuation. False for fewer than three words,
 * which may be a subject instead.
 */
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
