import { accountMigrations } from '../accounts/accounts.ts';
import { macroMigrations } from '../areas/macro/tables.ts';
import { marketMigrations } from '../areas/markets/tables.ts';
import { paperMigrations } from '../areas/papers/tables.ts';
import type { Migration } from '../store/migrations.ts';
import { settingsMigrations, syncLogMigrations } from '../store/state.ts';
import { rateLimiterMigrations, reachabilityMigrations } from '../store/upstreams.ts';

/** Every step of the schema. Append a new step to the end of its list. */
export const migrations: readonly Migration[] = [
  ...settingsMigrations,
  ...rateLimiterMigrations,
  ...reachabilityMigrations,
  ...syncLogMigrations,
  ...accountMigrations,
  ...paperMigrations,
  ...macroMigrations,
  ...marketMigrations,
];
