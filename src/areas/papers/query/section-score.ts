import type { SectionType } from '../full-text/sections.ts';

/** Sections that touch on everything: the one that treats a subject should come before them. */
const GENERAL: ReadonlySet<string> = new Set<SectionType>([
  'abstract',
  'introduction',
  'conclusion',
]);
const GENERAL_PENALTY = 0.06;
/** For each factor of e in passages: a longer section has more chances of a close one. */
const LENGTH_PENALTY = 0.02;

/** How well a section answers a question, from the cosines of its passages, of which it has one. */
export function scoreSection(type: string, cosines: readonly number[]): number {
  const penalty = GENERAL.has(type) ? GENERAL_PENALTY : 0;
  return Math.max(...cosines) - LENGTH_PENALTY * Math.log(cosines.length) - penalty;
}
