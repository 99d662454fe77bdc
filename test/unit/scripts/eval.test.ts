import { describe, expect, it } from 'vitest';
import { MODES, type Reply, renderTable } from '../../../scripts/eval/measures.ts';
import { type Question, readQuestions } from '../../../scripts/eval/questions.ts';
import { readRecords } from '../../../scripts/eval/records.ts';
import { describeShared } from '../../shared.ts';

const all = readQuestions();
const UNANSWERABLE = /near misses|opposites|absent|another field|by name|short subjects/;

describe('the judged questions', () => {
  it('are unique within their set', () => {
    const texts = all
      .filter(({ shelf }) => shelf !== 'scifact')
      .map(({ set, query }) => `${set}: ${query}`);
    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([]);
  });

  it('have answers of grade 1 or 2, except in the sets of unanswerable questions', () => {
    for (const { set, query, grades } of all) {
      expect(grades.size === 0, `${set}: ${query}`).toBe(UNANSWERABLE.test(set));
      const others = [...grades.values()].filter((grade) => ![1, 2].includes(grade));
      expect(others, query).toEqual([]);
    }
  });
});

describeShared(
  'the answers to the judged questions',
  'data/papers/qfin-2025-2026-2000.json',
  () => {
    it('refer only to cards that a sync stores', () => {
      for (const shelf of ['papers', 'events'] as const) {
        const { papers, events } = readRecords(shelf) ?? {};
        const ids = new Set([...(papers ?? []), ...(events ?? [])].map(({ id }) => id));
        const questions = all.filter((one) => one.shelf === shelf);
        expect(questions.length).toBeGreaterThan(500);
        const answers = questions.flatMap(({ grades }) => [...grades.keys()]);
        expect(answers.filter((id) => !ids.has(id))).toEqual([]);
      }
    });
  },
);

describe("an evaluation's table", () => {
  const question: Question = {
    set: 'a set',
    shelf: 'starter',
    tool: 'paper_search',
    isWithdrawn: true,
    half: 'test',
    query: 'a question',
    grades: new Map(Object.entries({ best: 2, other: 1 })),
  };
  const cells = (...replies: readonly [Reply, Reply?][]) => {
    const measurements = replies.flatMap(([reply, withdrawn]) =>
      MODES.map((mode) => {
        return { question, mode, reply, ...(withdrawn === undefined ? {} : { withdrawn }) };
      }),
    );
    return renderTable(measurements)
      .at(2)
      ?.trim()
      .split(/\s{2,}|(?<=set)\s+/);
  };

  it('gives full scores to the ideal order, but not to a worse one', () => {
    const ideal = cells([{ ids: ['best', 'other', 'wrong'], verdict: 'weak' }]);
    expect(ideal?.slice(2, 5)).toEqual(['1.000', '1.000', '1.000']);
    const second = cells([{ ids: ['wrong', 'best', 'other'], verdict: 'weak' }]);
    // nDCG: (3 / log2 3 + 1 / log2 4) / (3 / log2 2 + 1 / log2 3)
    expect(second?.slice(2, 5)).toEqual(['0.659', '0.000', '1.000']);
  });

  it('gives the share of `strong` verdicts, and the share of these with the answers on the shelf', () => {
    const strong: Reply = { ids: ['best'], verdict: 'strong' };
    const weak: Reply = { ids: ['wrong'], verdict: 'weak' };
    const row = cells([strong, strong], [strong, weak], [weak, weak]);
    expect(row?.slice(5, 7)).toEqual(['0.667', '0.667']);
  });
});
