import { TLSSocket } from 'node:tls';
import type { Pool, PoolClient } from 'pg';
import { BACKUP_FIGURES, type BackupFigures } from './backups.js';

/** A standby, by its replication slot: a login without more rights sees only these. */
interface Standby {
  readonly name: string;
  readonly isConnected: boolean;
  /** Bytes of WAL that it has not flushed; null when it lost its place and must be copied again. */
  readonly lagBytes: number | null;
}

/** Load figures of the database server, and the clock offset. */
export interface DatabaseFigures {
  /** Connections of all programs to the server. */
  readonly connections: number;
  readonly maxConnections: number;
  /** Age of the oldest other transaction that is visible to this role; 0 without one. */
  readonly oldestTransactionSeconds: number;
  readonly sizeBytes: number;
  /** Standbys with a replication slot. */
  readonly standbys: readonly Standby[];
  readonly backups: BackupFigures;
  /**
   * This machine's clock minus the server's clock, in milliseconds; the error is up to half of the query's duration.
   */
  readonly clockOffsetMs: number;
}

interface FiguresRow {
  readonly connections: number;
  readonly max_connections: number;
  readonly oldest_seconds: number;
  readonly size_bytes: number;
  readonly backups: BackupFigures;
  readonly now_ms: number;
  readonly standbys: readonly Standby[];
}

const FIGURES = `
  SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms,
    (SELECT sum(numbackends) FROM pg_stat_database)::float8 AS connections,
    current_setting('max_connections')::float8 AS max_connections,
    pg_database_size(current_database())::float8 AS size_bytes,
    (
      SELECT coalesce(json_agg(json_build_object('name', slot_name, 'isConnected', active,
        'lagBytes', pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8)), '[]')
      FROM pg_replication_slots WHERE slot_type = 'physical' AND NOT temporary AND NOT pg_is_in_recovery()
    ) AS standbys,
    (${BACKUP_FIGURES}) AS backups,
    coalesce((
      SELECT max(extract(epoch FROM clock_timestamp() - xact_start)) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
    ), 0)::float8 AS oldest_seconds`;

/** The database server, for monitoring. */
export class DatabaseServer {
  constructor(private readonly pool: Pool) {}

  /** How many queries of this process wait for a free connection of its pool. */
  waiting(): number {
    const { totalCount, waitingCount, options } = this.pool;
    return totalCount < options.max ? 0 : waitingCount;
  }

  /** Reads the figures. Rejects when the database does not answer. */
  async figures(): Promise<DatabaseFigures> {
    return this.withConnection(async (connection) => {
      const askedAtMs = Date.now();
      const { rows } = await connection.query<FiguresRow>(FIGURES);
      const answeredAtMs = Date.now();
      const [row] = rows;
      if (row === undefined) throw new Error('The database returned no figures');
      return {
        connections: row.connections,
        maxConnections: row.max_connections,
        oldestTransactionSeconds: row.oldest_seconds,
        sizeBytes: row.size_bytes,
        standbys: row.standbys,
        backups: row.backups,
        clockOffsetMs: (askedAtMs + answeredAtMs) / 2 - row.now_ms,
      };
    });
  }

  /** When the server's certificate expires; null without TLS. Rejects when the database does not answer. */
  async certificateEnd(): Promise<Date | null> {
    return this.withConnection(async (connection) => {
      // The driver has no public name for its socket.
      const { stream } = (connection as unknown as { connection: { stream: unknown } }).connection;
      return stream instanceof TLSSocket ? new Date(stream.getPeerCertificate().valid_to) : null;
    });
  }

  private async withConnection<T>(read: (connection: PoolClient) => Promise<T>): Promise<T> {
    const connection = await this.pool.connect();
    try {
      return await read(connection);
    } finally {
      connection.release();
    }
  }
}
