import { expect, it } from 'vitest';
import { splitSentences } from '../../../../src/areas/papers/sentences.ts';

it.each<[string, string[] | number]>([
  ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
  ['As Smith et al. (2019) show, it works.', ['As Smith et al. (2019) show, it works.']],
  ['Assets, e.g. bonds, fall. Then they rise.', ['Assets, e.g. bonds, fall.', 'Then they rise.']],
  ['See Fig. 2 and Eq. (3) for it. Done.', ['See Fig. 2 and Eq. (3) for it.', 'Done.']],
  ['It fell in the U.S. market by 0.5 percent.', ['It fell in the U.S. market by 0.5 percent.']],
  ['We look at the U.S. We find little.', ['We look at the U.S.', 'We find little.']],
  ['By J. Doe and A. B. Roe, a proof.', ['By J. Doe and A. B. Roe, a proof.']],
  ['Let $x. Y$ be. So it is.', ['Let $x. Y$ be.', 'So it is.']],
  ['It cost $5. We paid.', ['It cost $5.', 'We paid.']],
  ['At time $0$ it is $1/N$. Later not.', ['At time $0$ it is $1/N$.', 'Later not.']],
  ['It follows $$x = 1.$$ So be it.', ['It follows $$x = 1.$$', 'So be it.']],
  ['Filed under Form 8-K. Drawing on it, we count.', 2],
  ['The score is of tier A. We use it.', ['The score is of tier A.', 'We use it.']],
  ['It acts vs. Bonds, cf. Table No. 5 of Jan. 2020.', 1],
  ['Can it last? No. It cannot.', ['Can it last?', 'No.', 'It cannot.']],
  ['Smith et al. Their bound is new.', 1],
  ['It is due to Smith et al. We extend it.', ['It is due to Smith et al.', 'We extend it.']],
  [
    'We find: (1) prices fall. (2) Volumes rise.',
    ['We find: (1) prices fall.', '(2) Volumes rise.'],
  ],
  ['We do three things: 1. Sort. 2. Count.', 2],
  ['If P != NP then it is hard.', 1],
  ['An 8.5% fall (2.1 s.d.) was seen.', 1],
  ['No full stop at the end', ['No full stop at the end']],
  ['One line\nbroken. Next\nline.', ['One line broken.', 'Next line.']],
  ['First paragraph\n\nSecond one.', ['First paragraph', 'Second one.']],
  ['', []],
  [' … ', []],
])('%j', (text, sentences) => {
  const split = splitSentences(text);
  expect(typeof sentences === 'number' ? split.length : split).toEqual(sentences);
  expect(split.join('').replace(/\s/g, '')).toBe(/\w/.test(text) ? text.replace(/\s/g, '') : '');
});
