import { join } from 'node:path';
import { type KeyedText, paperTexts } from './paper-cards.ts';
import { readStarterPapers } from './papers.ts';

/** Every text of the starter shelf that has a committed vector. */
export function starterTexts(dataDir: string): KeyedText[] {
  return readStarterPapers(join(dataDir, 'starter', 'papers')).flatMap(paperTexts);
}
