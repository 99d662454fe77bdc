import { expect, it } from 'vitest';
import { readQuestions } from '../../scripts/eval/questions.ts';
import { makeStarterShelf, searchByModel } from '../unit/areas/papers/shelf.ts';
import { describeWithModel } from './model.ts';

/* How well the shipped shelf answers a few hundred judged questions. */

describeWithModel('on the starter shelf, judged questions', (embedder) => {
  const db = makeStarterShelf();

  const all = readQuestions();
  const judgeAll = async (name: string) => {
    const questions = all.filter(({ set }) => set === name);
    expect(questions.length).toBeGreaterThan(80);
    const verdicts: unknown[] = [];
    let found = 0;
    for (const { query, grades } of questions) {
      const { cards, meta } = await searchByModel(db, embedder, query);
      verdicts.push(meta.verdict);
      if (cards.some((card) => grades.has(card.sourcePaperId.replace(/^arxiv:/, '')))) found += 1;
    }
    const shareOf = (verdict: string) =>
      verdicts.filter((each) => each === verdict).length / verdicts.length;
    return { strong: shareOf('strong'), none: shareOf('none'), found: found / questions.length };
  };

  it('from another field mostly get the verdict "none", and rarely "strong"', async () => {
    const { strong, none } = await judgeAll('papers: another field');
    expect(strong).toBeLessThan(0.02);
    expect(none).toBeGreaterThan(0.5);
  });

  it('without an answer rarely get the verdict "strong"', async () => {
    expect((await judgeAll('starter-papers: absent')).strong).toBeLessThan(0.1);
  });

  it('with an answer have it among the first three papers at least nine times in ten, and rarely get "none"', async () => {
    const { found, none } = await judgeAll('starter-papers: answered');
    expect(found).toBeGreaterThanOrEqual(0.9);
    expect(none).toBeLessThan(0.05);
  });
});
