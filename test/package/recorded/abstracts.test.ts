import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { findFormulas, plainTex, readableTex } from '../../../src/areas/papers/latex.ts';
import { describeShared } from '../../shared.ts';

const records = z.array(
  z.object({ arxiv_id: z.string(), title: z.string(), abstract: z.string() }),
);

describeShared('2,000 recorded abstracts', 'data/papers/qfin-2025-2026-2000.json', (path) => {
  const rows = records.parse(JSON.parse(readFileSync(path, 'utf8')));
  const abstracts = new Map(
    rows.map(({ arxiv_id, title, abstract }) => [arxiv_id, `${title}\n\n${abstract}`]),
  );

  it('show no TeX outside formulas, and pass none to search', () => {
    for (const [id, abstract] of abstracts) {
      const text = readableTex(abstract);
      const formulas = findFormulas(text);
      const prose = formulas.reduceRight(
        (rest, { index, end }) => rest.slice(0, index) + rest.slice(end),
        text,
      );
      expect(prose, id).not.toMatch(/\\[A-Za-z]|[{}]|``|''|(?<=\w)--(?=\w)/);
      expect(formulas.length, id).toBe(findFormulas(abstract).length);
      expect(plainTex(abstract), id).not.toMatch(/\\[A-Za-z]|[{}]/);
    }
  });
});
