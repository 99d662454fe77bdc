import type { Database } from 'better-sqlite3';
import type { ExportTable } from '../../core/export.ts';

export interface MacroSelection {
  indicators: readonly string[];
  asOf?: string;
  since?: string;
  until?: string;
  vintages: boolean;
  strict: boolean;
  wide: boolean;
}

export function exportMacro(_db: Database, _selection: MacroSelection): ExportTable {
  return { columns: ['date'], rows: [] };
}
