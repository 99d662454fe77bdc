import { join } from 'node:path';
import { eventText } from './event-cards.ts';
import { readStarterEvents } from './events.ts';
import { type KeyedText, paperTexts } from './paper-cards.ts';
import { readStarterPapers } from './papers.ts';

/** Every text of the starter shelf that has a committed vector. */
export function starterTexts(dataDir: string): KeyedText[] {
  const starter = join(dataDir, 'starter');
  return [
    ...readStarterPapers(join(starter, 'papers')).flatMap(paperTexts),
    ...readStarterEvents(starter).map(eventText),
  ];
}
