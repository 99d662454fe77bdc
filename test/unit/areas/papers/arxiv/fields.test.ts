import { describe, expect, it } from 'vitest';
import {
  dayOf,
  joinParagraphs,
  keepCategories,
  webUrlOf,
} from '../../../../../src/areas/papers/arxiv/records.ts';

describe('abstracts', () => {
  it.each([
    ['  Lines of one\nparagraph   are\njoined.\n', 'Lines of one paragraph are joined.'],
    [
      'It ends.\n  Another begins.\n  And one more.',
      'It ends.\n\nAnother begins.\n\nAnd one more.',
    ],
    ['It ends here:\r\n  (i) first;\r\n  (ii) last.', 'It ends here:\n\n(i) first;\n\n(ii) last.'],
    ['Every line\n  is indented\n  by its author.', 'Every line is indented by its author.'],
    ['A gap without a stop\n\nparts them too', 'A gap without a stop\n\nparts them too'],
    [
      'We find $x > 5$.\n  Then "all is well."\n  So be it',
      'We find $x > 5$.\n\nThen "all is well."\n\nSo be it',
    ],
    [' \n\u200b \n', ''],
    ['hidden\u202e text\u0007 and\ttabs', 'hidden text and tabs'],
  ])('%j', (sent, shown) => {
    expect(joinParagraphs(sent)).toBe(shown);
  });
});

describe('simple fields', () => {
  it.each([
    ['2024-02-29', '2024-02-29'],
    [' 2026-05-11T23:51:23Z\n', '2026-05-11'],
    ['2023-02-29', null],
    ['2026-13-01', null],
    ['2026-02-30', null],
    ['2026-1-1', null],
    ['2026-01-01 12:00', null],
    ['yesterday', null],
    ['', null],
  ])('reads the day of %j', (text, day) => {
    expect(dayOf(text)).toBe(day);
  });

  it('keeps arXiv categories, each once and in order', () => {
    const sent = [
      'q-fin.PM',
      '91G10',
      'cs.LG',
      'q-fin.PM',
      'G.3; I.2.6',
      'physics.soc-ph',
      'hep-th',
      '',
    ];
    expect(keepCategories(sent)).toEqual(['q-fin.PM', 'cs.LG', 'physics.soc-ph', 'hep-th']);
  });

  it('accepts only web URLs as licences', () => {
    expect(webUrlOf(' http://arxiv.org/licenses/assumed-1991-2003/ ')).toBe(
      'http://arxiv.org/licenses/assumed-1991-2003/',
    );
    for (const wrong of ['', 'CC BY', 'javascript:alert(1)', 'http://']) {
      expect(webUrlOf(wrong)).toBeNull();
    }
  });
});
