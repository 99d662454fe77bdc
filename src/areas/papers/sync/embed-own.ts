import type { Database } from 'better-sqlite3';
import type { Embed } from '../../../core/sync.ts';
import { cardText, DIGEST_MARK, sectionText } from '../digest/digest.ts';
import { embedGroups } from './digest-papers.ts';
import { listOwnUnembedded, type OwnRow } from './queries.ts';
import { storeOwnVectors } from './vectors-ingest.ts';

/** Papers per group; an interruption loses one. */
const PAPERS_AT_ONCE = 16;

/**
 * Embeds the digests and notes that we wrote, where their vectors are missing, as the starter shelf's
 * own were made. Returns the number of papers.
 */
export async function embedOwn(
  db: Database,
  embed: Embed,
  options: { signal: AbortSignal; onProgress?: (done: number) => void },
): Promise<number> {
  for (let done = 0; ; ) {
    options.signal.throwIfAborted();
    const rows = listOwnUnembedded(db, PAPERS_AT_ONCE);
    if (rows.length === 0) return done;
    const vectors = await embedGroups(embed, rows.map(textsOf));
    const papers = rows.map((row, at) => {
      const [card = null, ...own] = vectors[at] ?? [];
      const sections = row.sections.flatMap(({ key }, index) =>
        own.slice(index, index + 1).map((vector) => ({ key, vector })),
      );
      return { id: row.id, card: row.isCardOurs === 1 ? card : null, sections };
    });
    storeOwnVectors(db, papers);
    done += rows.length;
    options.onProgress?.(done);
  }
}

/** The card first, then the sections. */
function textsOf({ title, abstract, tags, sections }: OwnRow): string[] {
  return [
    cardText({ title, abstract: abstract.replace(DIGEST_MARK, ''), summary: '', tags }),
    ...sections.map((section) => sectionText(title, section.title, section.content)),
  ];
}
