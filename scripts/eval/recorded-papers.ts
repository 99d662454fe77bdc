import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { shiftDay } from '../../src/core/time.ts';
import { SHARED_DIR } from '../../test/shared.ts';
import { LICENSES, type StandInPaper } from '../../test/stand-ins/arxiv-papers.ts';

const RECORDED = join(SHARED_DIR, 'data/papers/qfin-2025-2026-2000.json');
const DAYS_OF_A_VERSION = 24;
/** The papers in a recording. */
export const recordedPapers = z.array(
  z.object({
    arxiv_id: z.string(),
    title: z.string(),
    abstract: z.string(),
    authors: z.array(z.string()),
    primary_category: z.string(),
    categories: z.array(z.string()),
    published: z.string(),
  }),
);

/**
 * At most `limit` recorded papers; none if the shared directory is missing. The recording lacks the days of
 * later versions, so each is dated a few weeks after the previous one, but within the recording. As in
 * arXiv's records, the creation date is the day of the last version.
 */
export function readRecordedPapers(limit = Number.POSITIVE_INFINITY): StandInPaper[] {
  if (!existsSync(RECORDED)) return [];
  const papers = recordedPapers.parse(JSON.parse(readFileSync(RECORDED, 'utf8')));
  const lastDay = papers.reduce((last, { published }) => {
    return published > last ? published.slice(0, 10) : last;
  }, '');
  return papers.slice(0, limit).map((paper) => {
    const [id = '', version = '1'] = paper.arxiv_id.split(/v(?=\d+$)/);
    const day = paper.published.slice(0, 10);
    // arXiv numbers a paper when it announces version 1, which may be in the following month.
    const announced = [day, `20${id.slice(0, 2)}-${id.slice(2, 4)}-01`].sort().at(-1) ?? day;
    const revised = shiftDay(announced, (Number(version) - 1) * DAYS_OF_A_VERSION);
    const updated = version === '1' ? day : revised < lastDay ? revised : lastDay;
    return {
      id,
      datestamp: updated,
      version: Number(version),
      published: day,
      updated,
      created: updated,
      title: paper.title,
      authors: paper.authors.map(splitName),
      abstract: paper.abstract,
      categories: [
        paper.primary_category,
        ...paper.categories.filter((c) => c !== paper.primary_category),
      ],
      license: LICENSES.arxiv,
    };
  });
}

function splitName(name: string): StandInPaper['authors'][number] {
  const at = name.lastIndexOf(' ');
  return at < 0 ? { keyname: name } : { forenames: name.slice(0, at), keyname: name.slice(at + 1) };
}
