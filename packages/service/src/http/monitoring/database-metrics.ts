import { Gauge, type Registry } from 'prom-client';
import { finishInTime } from './health.js';
import { createClockGauge } from './process-metrics.js';

/** Measurements of a database server. */
interface DatabaseFigures {
  readonly connections: number;
  readonly maxConnections: number;
  readonly oldestTransactionSeconds: number;
  readonly sizeBytes: number;
  readonly standbys: readonly {
    readonly name: string;
    readonly isConnected: boolean;
    readonly lagBytes: number | null;
  }[];
  readonly backups: {
    readonly restorableSeconds: number | null;
    readonly claimedSeconds: number | null;
    readonly archivedSeconds: number | null;
  };
  readonly clockOffsetMs: number;
}

/** A database server behind a pool of connections. */
interface MonitoredDatabase {
  /** Queries of this process that wait for a connection. */
  waiting(): number;
  /** Rejects when the server does not respond. */
  figures(): Promise<DatabaseFigures>;
}

/** NaN, with which every comparison of Prometheus is false, so that no alert fires. */
const UNKNOWN: DatabaseFigures = {
  connections: NaN,
  maxConnections: NaN,
  oldestTransactionSeconds: NaN,
  sizeBytes: NaN,
  standbys: [],
  backups: { restorableSeconds: null, claimedSeconds: null, archivedSeconds: null },
  clockOffsetMs: NaN,
};

/** Adds the database server's measurements, read at each scrape, and the clock difference to it. */
export function watchDatabase(registry: Registry, database: MonitoredDatabase): void {
  let reading: Promise<DatabaseFigures> | null = null;
  // All values of a scrape come from one read. A scrape does not wait for an unavailable server.
  const read = async () =>
    (reading ??= finishInTime(database.figures())
      .catch(() => UNKNOWN)
      .finally(() => (reading = null)));
  const watch = (name: string, help: string, pick: (figures: DatabaseFigures) => number) => {
    const gauge: Gauge = new Gauge({
      name: `causeway_database_${name}`,
      help,
      registers: [registry],
      collect: async () => gauge.set(pick(await read())),
    });
  };
  // Registered first, because the read itself takes a connection.
  const waiting: Gauge = new Gauge({
    name: 'causeway_database_pool_waiting',
    help: 'Queries of this process that wait for a connection of its pool',
    registers: [registry],
    collect: () => waiting.set(database.waiting()),
  });
  watch('connections', 'Connections of all programs to the server', (figures) => figures.connections);
  watch('max_connections', 'Connections that the server allows', (figures) => figures.maxConnections);
  watch(
    'oldest_transaction_seconds',
    'Age of the oldest transaction visible to this role',
    (figures) => figures.oldestTransactionSeconds,
  );
  watch('size_bytes', 'Size of the database', (figures) => figures.sizeBytes);
  const watchStandbys = (
    name: string,
    help: string,
    pick: (standby: DatabaseFigures['standbys'][number]) => number,
  ) => {
    const gauge: Gauge = new Gauge({
      name: `causeway_database_standby_${name}`,
      help,
      labelNames: ['standby'],
      registers: [registry],
      collect: async () => {
        const { standbys } = await read();
        gauge.reset();
        for (const standby of standbys) gauge.set({ standby: standby.name }, pick(standby));
      },
    });
  };
  watchStandbys('connected', '1 if the standby of this replication slot is connected, otherwise 0', (standby) =>
    standby.isConnected ? 1 : 0,
  );
  watchStandbys(
    'lag_bytes',
    'Bytes of WAL that the standby of this replication slot has not flushed',
    ({ lagBytes }) => lagBytes ?? NaN,
  );
  watch(
    'backup_age_seconds',
    'Age of the newest restorable backup; without one, time since the first relayer claimed the database',
    ({ backups }) => backups.restorableSeconds ?? backups.claimedSeconds ?? NaN,
  );
  watch('archive_age_seconds', 'Time since WAL was archived', ({ backups }) => backups.archivedSeconds ?? NaN);
  createClockGauge(registry, async (gauge) => gauge.set((await read()).clockOffsetMs / 1_000));
}
