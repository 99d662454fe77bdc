import { expect, it } from 'vitest';
import { splitSentences } from '../../../src/areas/papers/sentences.ts';

it.each<[string, string[]]>([
  ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
  ['As Smith et al. (2019) show, it works.', ['As Smith et al. (2019) show, it works.']],
  ['Assets, e.g. bonds, fall. Then they rise.', ['Assets, e.g. bonds, fall.', 'Then they rise.']],
  ['See Fig. 2 and Eq. (3) for it. Done.', ['See Fig. 2 and Eq. (3) for it.', 'Done.']],
  ['It fell in the U.S. market by 0.5 percent.', ['It fell in the U.S. market by 0.5 percent.']],
  ['We look at the U.S. We find little.', ['We look at the U.S.', 'We find little.']],
  ['By J. Doe and A. B. Roe, a proof.', ['By J. Doe and A. B. Roe, a proof.']],
  ['Let $x. Y$ be. So it is.', ['Let $x. Y$ be.', 'So it is.']],
  ['It cost $5. We paid.', ['It cost $5.', 'We paid.']],
  ['No full stop at the end', ['No full stop at the end']],
  ['One line\nbroken. Next\nline.', ['One line broken.', 'Next line.']],
  ['First paragraph\n\nSecond one.', ['First paragraph', 'Second one.']],
  ['', []],
  [' … ', []],
])('%j', (text, sentences) => {
  expect(splitSentences(text)).toEqual(sentences);
});
