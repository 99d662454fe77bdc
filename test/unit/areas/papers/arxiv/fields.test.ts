import { describe, expect, it } from 'vitest';
import { joinParagraphs } from '../../../../../src/areas/papers/arxiv/oai.ts';

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
