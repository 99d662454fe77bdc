import { expect, it } from 'vitest';
import { listCurrent } from '../../../../src/areas/macro/queries.ts';
import { replaceVintages } from '../../../../src/areas/macro/series.ts';
import { syncMacro } from '../../../../src/areas/macro/sync.ts';
import { makeSeries } from '../../../stand-ins/fred.ts';
import { FredHistory } from '../../../stand-ins/fred-history.ts';
import { shelfOf, vintage } from './model.ts';
import { signal } from './sources/start-agency.ts';
import { startSource } from './start-fred.ts';

it('a sync continues with the other series if FRED lags behind an agency in some', async () => {
  const ids = ['A', 'B', 'C', 'D'];
  const db = shelfOf(...ids);
  const newer = ['2026-01-01', '2026-02-01'].map((date) => vintage(date, 5, '2026-06-08'));
  for (const id of ['A', 'B', 'C']) replaceVintages(db, id, [], newer);
  db.exec("UPDATE macro_series SET agency = 'bls' WHERE series_id <> 'D'");
  const history = new FredHistory().publish('2026-06-05', { '2026-01-01': 5 });
  const { source } = await startSource(ids.map((id) => makeSeries({ id, history })));
  const said: string[] = [];
  const sync = () =>
    syncMacro({
      db,
      signal,
      now: () => new Date('2026-06-09T12:00:00Z'),
      log: (line) => said.push(line),
      attempt: (_, work) => work(),
      startProgress: () => () => {},
      alone: (_, work) => work(),
      openFred: () => source,
      openFeeds: () => [],
    });
  const report = await sync();
  const fault = "it does not have all the agency's figures yet";
  expect(said).toContain(`macro: FRED: A: ${fault}`);
  const error = `A: FRED was queried, but ${fault}.`;
  expect(report).toMatchObject({ changed: 1, failed: 3, finished: false, error });
  expect(listCurrent(db, 'D', 1)).toMatchObject([{ value: 5 }]);
  expect(await sync()).toMatchObject({ changed: 0, unchanged: 1, notDue: 1 });
});
