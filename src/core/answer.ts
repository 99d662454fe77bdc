/** `meta.notice` from what there is to say; nothing when there is nothing. */
export function noticeOf(sentences: readonly string[]): { notice?: string } {
  const said = sentences.filter((sentence) => sentence !== '');
  return said.length === 0 ? {} : { notice: said.join(' ') };
}

/** A score in 0..1 as it is served: four decimals. */
export function roundScore(score: number): number {
  return Math.round(Math.min(1, Math.max(0, score)) * 10_000) / 10_000;
}
