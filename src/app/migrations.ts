import { accountMigrations } from '../accounts/accounts.ts';
import { macroMigrations } from '../areas/macro/tables.ts';
import { marketMigrations } from '../areas/markets/tables.ts';
import { paperMigrations } from '../areas/papers/tables.ts';
import { gateMigrations } from '../store/gate.ts';
import type { Migration } from '../store/migrations.ts';
import { reachabilityMigrations } from '../store/reachability.ts';
import { settingsMigrations } from '../store/settings.ts';
import { syncLogMigrations } from '../store/sync-log.ts';

/** Every step of the schema. A new step goes to the end of its list, never in between. */
export const migrations: readonly Migration[] = [
  ...settingsMigrations,
  ...gateMigrations,
  ...reachabilityMigrations,
  ...syncLogMigrations,
  ...accountMigrations,
  ...paperMigrations,
  ...macroMigrations,
  ...marketMigrations,
];
