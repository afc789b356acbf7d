/** How far back the backups of a database are. */
export interface BackupFigures {
  /** Age of the newest backup that was restored and read; null without one. */
  readonly restorableSeconds: number | null;
  /** Time since a relayer claimed the database; null when none has. */
  readonly claimedSeconds: number | null;
  /** Time since the server archived WAL; null without an archive. */
  readonly archivedSeconds: number | null;
}

const age = (since: string) => `extract(epoch FROM clock_timestamp() - ${since})::float8`;

/** Selects `BackupFigures` as one JSON value. Every role of the bridge can read it. */
export const BACKUP_FIGURES = `SELECT json_build_object(
  'restorableSeconds', (SELECT ${age('max(taken_at)')} FROM restorable_backup),
  'claimedSeconds', (SELECT ${age('claimed_at')} FROM deployment),
  'archivedSeconds', (SELECT ${age('coalesce(last_archived_time, stats_reset)')} FROM pg_stat_archiver
    WHERE current_setting('archive_mode') <> 'off'))`;
