import { describe, expect, it } from 'vitest';
import { readConstraints } from '../../../../src/areas/papers/query/constraints.ts';
import { spellFields } from '../../../../src/areas/papers/query/fields.ts';
import { readIdentifiers } from '../../../../src/areas/papers/query/identifiers.ts';
import { translate } from '../../../../src/store/search/query/dictionary.ts';
import { splitExclusion } from '../../../../src/store/search/query/exclusion.ts';
import { gistOf } from '../../../../src/store/search/query/gist.ts';
import { foreignLanguageOf } from '../../../../src/store/search/query/language.ts';
import { withoutRelativeDates } from '../../../../src/store/search/query/relative-dates.ts';
import { withoutSyntax } from '../../../../src/store/search/query/syntax.ts';

/** The longest question. */
const LENGTH = 2_000;
const CALENDAR = { now: new Date('2026-11-21T12:00:00Z'), sinceShare: () => '2026-02-01' };

/** Every step that reads a question, each as what it leaves of the text. */
const STEPS: Readonly<Record<string, (text: string) => string>> = {
  gist: (text) => gistOf(text, true),
  'gist of events': (text) => gistOf(text, false),
  exclusion: (text) => splitExclusion(text, true).text,
  syntax: withoutSyntax,
  language: (text) => foreignLanguageOf(text) ?? '',
  dictionary: (text) => translate(text, 'German', () => false) ?? '',
  'relative dates': withoutRelativeDates,
  constraints: (text) => readConstraints(text, () => false, CALENDAR)?.rest ?? text,
  'constraints on a shelf that has everyone': (text) =>
    readConstraints(text, () => true, CALENDAR)?.rest ?? text,
  fields: spellFields,
  identifiers: (text) => readIdentifiers(text).rest,
};

/** What the patterns repeat; read in more than one way, each more would double the time. */
const REPEATED = [
  ...['a', ' ', '; ', ', ', '- ', '(', '"', '0.', 'U.S. ', 'é\u0301', '🙂', '中', '\n', '１'],
  ...['all the ', 'papers ', 'papers on ', 'could you find ', 'please just ', 'I hope ', 'so, '],
  ...['very very ', 'if you could ', 'tell whether ', 'know how ', 'the following: ', 'query: '],
  ...['my a b user ', 'for a, we need ', 'quick one: ', 'with a, will ', 'odds of ', 'thanks '],
  ...[
    'not about a, ',
    'no a and ',
    'rather than a ',
    'without use of ',
    'and or nor ',
    'no papers ',
    'that do not use a ',
    'never any of the ',
    'crypto is out of scope, ',
    'with a b excluded ',
    'neither a ',
    'non-crypto ',
  ],
  ...['Li ', 'Li, ', 'Li-', 'J. ', 'Li and ', "Li's ", 'by Li ', 'by a ', 'author:a ', 'et al. '],
  ...['in 2024 ', '2024-01 to ', 'since last year ', 'published in ', 'the last ', 'only in '],
  ...[
    'q-fin.PR ',
    'arxiv: ',
    '2401.00001v',
    '10.1234/a).',
    'doi:',
    'NOT (',
    ' -"a"',
    '{"query":"\\',
  ],
];

describe('a question as long as can be', () => {
  it.each(Object.entries(STEPS))('is read to its end: %s', (_, step) => {
    for (const part of REPEATED) {
      const text = part.repeat(LENGTH / part.length);
      for (const question of [text, `${text}!`, `find me ${text} x`, `not about ${text}`]) {
        expect(step(question).length, part).toBeLessThanOrEqual(3 * question.length);
      }
    }
  });
});
