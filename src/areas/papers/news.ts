import type { ListNews } from '../../core/news.ts';

/** Papers that came to the shelf, the newest publication first. */
export const listPaperNews: ListNews = (db, since, limit) => {
  const params = { since: since.toISOString() };
  const total = db
    .prepare<object, number>('SELECT count(*) FROM paper WHERE added >= @since AND withdrawn = 0')
    .pluck()
    .get(params);
  const items = db
    .prepare<object, { id: string; text: string }>(`
      SELECT source_id AS id, title AS text FROM paper
      WHERE added >= @since AND withdrawn = 0
      ORDER BY published DESC, id DESC LIMIT @limit`)
    .all({ ...params, limit });
  return [{ what: 'papers added', total: total ?? 0, items }];
};
