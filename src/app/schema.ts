import { accountMigrations } from '../accounts/accounts.ts';
import { macroMigrations } from '../areas/macro/tables.ts';
import { marketMigrations } from '../areas/markets/tables.ts';
import { paperMigrations } from '../areas/papers/tables.ts';
import { settingsMigrations } from '../store/embedding-model.ts';
import type { Migration } from '../store/migrations.ts';
import { rateLimiterMigrations } from '../store/rate-limiter.ts';
import { reachabilityMigrations } from '../store/reachability.ts';
import { syncLogMigrations } from '../store/sync-log.ts';

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
