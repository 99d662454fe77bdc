import { afterEach, beforeEach, expect, it } from 'vitest';
import { insertPapers } from '../../../../scripts/starter/insert-papers.ts';
import { sourceIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { DIGEST_MARK } from '../../../../src/areas/papers/digest.ts';
import { embedOwn } from '../../../../src/areas/papers/embed.ts';
import { PARSER_VERSION } from '../../../../src/areas/papers/full-text/sections/sections.ts';
import { replaceText } from '../../../../src/areas/papers/text-ingest.ts';
import { listUnembeddedTexts } from '../../../../src/areas/papers/vector-ingest.ts';
import type { HeldShelf } from '../../../../src/core/context.ts';
import { DIMENSIONS } from '../../../../src/search/float32.ts';
import { makeEmptyShelf } from './shelf.ts';

/** What is embedded as ours, when vectors are made anew. */

const NOW = new Date('2026-11-21T12:00:00Z');

let db: HeldShelf['db'];
let remove: () => void;
beforeEach(() => {
  ({ db, remove } = makeEmptyShelf());
});
afterEach(() => remove());

/** A card of the starter shelf without vectors. */
function putStarter(): number {
  insertPapers(db, [
    {
      ...{ sourceId: sourceIdOf('2609.00001'), version: 1, title: 'Dealers', authors: ['Ada'] },
      ...{
        abstract: `${DIGEST_MARK}What dealers do.`,
        summary: 'Our summary.',
        tags: ['dealers'],
        categories: ['q-fin.TR'],
      },
      ...{ published: '2026-05-01', licenseUrl: null, pdfUrl: 'https://arxiv.org/pdf/x' },
      ...{ origin: 'starter', asOf: NOW.toISOString(), vector: null },
      sections: [
        { key: 'digest', type: 'note', title: 'Digest', content: 'Our digest.', vectors: [] },
      ],
    },
  ]);
  return db.prepare<[], number>('SELECT id FROM paper').pluck().get() ?? 0;
}

/** Embeds what is ours and returns the texts that the model was given. */
async function embedded(): Promise<string[]> {
  const texts: string[] = [];
  const embed = async (given: readonly string[]) => {
    texts.push(...given);
    return given.map(() => {
      const vector = new Float32Array(DIMENSIONS);
      vector[0] = 1;
      return vector;
    });
  };
  expect(await embedOwn(db, embed, { signal: AbortSignal.timeout(5_000) })).toBe(1);
  return texts;
}

it('is a starter card and its sections', async () => {
  putStarter();
  expect(await embedded()).toEqual([
    'Dealers. What dealers do. dealers.',
    expect.stringContaining('Our digest.'),
  ]);
});

it('is the card alone once its text is fetched: that is embedded by passage', async () => {
  const id = putStarter();
  const sections = [
    { key: 's01-model', type: 'methods', title: 'Model', content: 'The text of the authors.' },
  ] as const;
  replaceText(db, id, { source: 'html', version: 1, parser: PARSER_VERSION, sections }, NOW);
  expect((await embedded()).join('\n')).not.toContain('of the authors');
  expect(listUnembeddedTexts(db)).toEqual([id]);
});
