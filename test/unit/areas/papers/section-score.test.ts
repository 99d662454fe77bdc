import { describe, expect, it } from 'vitest';
import { type SectionText, sectionScorer } from '../../../../src/areas/papers/section-score.ts';

/** A section without a word of the questions, unless it is given one. */
function section(type: string, cosines: readonly number[], content = 'text'): SectionText {
  return { type, content, cosines };
}

/** Which of the sections answers best. */
function best(question: string, sections: readonly SectionText[]): number {
  const scores = sectionScorer(question)(sections);
  return scores.indexOf(Math.max(...scores));
}

describe('the score of a section', () => {
  it.each(['abstract', 'introduction', 'conclusion'])(
    'puts a section on the subject before the %s that mentions it about as closely',
    (general) => {
      const about = (cosine: number) => [section('methods', [cosine]), section(general, [0.63])];
      expect(best('hedging', about(0.6))).toBe(0);
      expect(best('hedging', about(0.4))).toBe(1);
    },
  );

  it('grants a long section no advantage for its many passages', () => {
    const long = section('appendix', [0.62, ...Array.from({ length: 49 }, () => 0.2)]);
    expect(best('hedging', [long, section('results', [0.6])])).toBe(1);
    expect(best('hedging', [long, section('results', [0.3])])).toBe(0);
  });

  it('counts the best passage, wherever it stands', () => {
    const [first, last] = sectionScorer('hedging')([
      section('results', [0.1, 0.7]),
      section('results', [0.7, 0.1]),
    ]);
    expect(first).toBe(last);
  });

  it('prefers the section with the words of the question where passages are as close', () => {
    const sections = [
      section('methods', [0.52], 'Tasks are described here, and how the model is trained.'),
      section('appendix', [0.5], 'The tasks: CoLA asks for acceptability, RTE for entailment.'),
    ];
    expect(best('description of the tasks CoLA and RTE', sections)).toBe(1);
    expect(best('what happens afterwards', sections)).toBe(0);
  });

  it('weighs a word by how few sections of the paper have it', () => {
    const sections = [
      section('other', [0.5], 'the model and the model'),
      section('other', [0.5], 'the model and the lattice'),
      section('other', [0.5], 'the model and the results'),
    ];
    expect(best('lattice of the model', sections)).toBe(1);
  });

  it.each([
    ['annotators', 'An annotator negated it.'],
    ['studies of frequency', 'We study frequencies.'],
    ['STS-B', 'Scores on STS-B.'],
    ['C++ code', 'Written in C.'],
    ['trading', 'Traders trade.'],
    ['probability of ruin', 'It is probable; probabilities follow.'],
    ['Levy processes', 'Driven by Lévy noise.'],
    ['Lévy processes', 'Driven by Levy noise.'],
    ['alpha', 'Estimates of α.'],
    ['a quantile of 0.5', 'At 0.5 it holds.'],
    ['investor behavior', 'The behaviour of dealers.'],
    ['tax', 'Taxes matter.'],
    ['crises', 'Many a crisis; many crises.'],
  ])('finds "%s" in "%s"', (question, content) => {
    const sections = [section('other', [0.5], 'Nothing.'), section('other', [0.5], content)];
    expect(best(question, sections)).toBe(1);
  });

  it('prefers a section full of a word to one that has it by the way', () => {
    const sections = [
      section('other', [0.5], 'The price of wheat, and of other goods that are sold there.'),
      section('other', [0.5], 'Pricing follows. Pricing of options, and the pricing of bonds.'),
    ];
    expect(best('pricing', sections)).toBe(1);
  });

  it.each([
    ['C++', 'Chosen carefully.'],
    ['rate', 'Ratios differ.    '],
    ['plan', 'Airplanes fly.'],
  ])('does not find "%s" in "%s"', (question, content) => {
    const [without, withOther] = sectionScorer(question)([
      section('other', [0.5], 'Nothing there.   '),
      section('other', [0.5], content),
    ]);
    expect(withOther).toBe(without);
  });

  it('counts words at the beginning of a section as long as a book only', () => {
    const filler = 'Nothing there. '.repeat(2_000);
    const scoreOf = (content: string) =>
      sectionScorer('lattice')([section('other', [0.5], content), section('other', [0.5])])[0] ?? 0;
    expect(scoreOf(`${filler} lattice`)).toBe(scoreOf(filler));
    expect(scoreOf(`lattice ${filler}`)).toBeGreaterThan(scoreOf(filler));
  });

  it('scores by passages alone where a question has no words to look for', () => {
    const sections = [section('other', [0.5], '?'), section('other', [0.6], '')];
    expect(best('???', sections)).toBe(1);
  });
});
