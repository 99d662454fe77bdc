import { getPaperById, type PaperRow } from '../../src/areas/papers/queries.ts';
import type { Collection, Judged } from './collections.ts';
import type { Grades } from './measures.ts';

/**
 * The judged questions with an author, a date or a category beside the subject. What was judged
 * relevant and does not fit is no longer relevant. `%` stands for the question, `@` for the rest.
 */
const WRAPPINGS = {
  author: {
    train: ['papers by @ on %', '%, by @', 'What has been written by @ about %?', '% (author: @)'],
    test: ['I need the work of @ on %', '% by @', '%, papers written by @', "@'s papers on %"],
  },
  date: {
    train: ['% since @', 'papers published since @ on %', '%, from @ onwards'],
    test: ['% (published in @)', 'papers from @ on %', '%, no older than @'],
  },
  category: {
    train: ['% in @', '@ papers on %', '%, category @'],
    test: ['%, from @', 'papers in the @ category on %', '@: %'],
  },
  only: {
    train: ['%, only @', 'only @ papers on %'],
    test: ['% (@ only)', 'restricted to @: %'],
  },
} as const;
/** The last year of the recorded papers. */
const YEAR = '2026';

export interface Restricted {
  query: string;
  grades: Grades;
}

/** The cases of each kind; "wrong" ones name a date or category that no right paper has. */
export function restrictedCases(
  { db }: Collection,
  half: Judged['half'],
  questions: readonly Judged[],
): Record<string, Restricted[]> {
  const cases: Record<string, Restricted[]> = {
    'by an author': [],
    'since a year': [],
    'in a category': [],
    'only in a category': [],
    'with a wrong year': [],
    'with a wrong category': [],
  };
  const add = (
    kind: string,
    wrapping: keyof typeof WRAPPINGS,
    { query, grades }: Judged,
    value: string,
    fits: (paper: PaperRow) => boolean,
  ) => {
    const templates = WRAPPINGS[wrapping][half];
    const list = cases[kind] ?? [];
    const kept = [...grades].filter(([id]) => {
      const paper = getPaperById(db, id);
      return paper !== undefined && fits(paper);
    });
    if (kept.length === 0) return;
    const template = templates[list.length % templates.length] ?? '%';
    const text = template.replace('@', () => value).replace('%', () => query.replace(/[?.]$/, ''));
    list.push({ query: text, grades: new Map(kept) });
  };
  for (const question of questions) {
    const [best] = [...question.grades].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const paper = best === undefined ? undefined : getPaperById(db, best[0]);
    if (paper === undefined) continue;
    const [author = ''] = paper.authors;
    add('by an author', 'author', question, author, ({ authors }) => authors.includes(author));
    const papers = [...question.grades.keys()].flatMap((id) => getPaperById(db, id) ?? []);
    const isNew = ({ published }: PaperRow) => published?.startsWith(YEAR) === true;
    if (papers.some(isNew)) add('since a year', 'date', question, YEAR, isNew);
    else add('with a wrong year', 'date', question, YEAR, () => true);
    const [category = ''] = paper.categories;
    const isIn = ({ categories }: PaperRow) => categories.includes(category);
    add('in a category', 'category', question, category, isIn);
    add('only in a category', 'only', question, category, isIn);
    const wrong = ['q-fin.TR', 'q-fin.RM', 'q-fin.MF'].find((code) =>
      papers.every(({ categories }) => !categories.includes(code)),
    );
    if (wrong !== undefined) add('with a wrong category', 'category', question, wrong, () => true);
  }
  return cases;
}
