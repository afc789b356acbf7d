import { Gauge, type Registry } from 'prom-client';
import { finishInTime } from './health.js';
import { createClockGauge } from './process-metrics.js';

/** The figures of a database server. */
interface DatabaseFigures {
  readonly connections: number;
  readonly maxConnections: number;
  readonly oldestTransactionSeconds: number;
  readonly sizeBytes: number;
  readonly clockOffsetMs: number;
}

/** A database server behind a pool of connections. */
interface MonitoredDatabase {
  /** How many queries of this process wait for a connection. */
  waiting(): number;
  /** Rejects when the server does not answer. */
  figures(): Promise<DatabaseFigures>;
}

/** Prometheus compares it with nothing: no alert begins or stays. */
const UNKNOWN: DatabaseFigures = {
  connections: NaN,
  maxConnections: NaN,
  oldestTransactionSeconds: NaN,
  sizeBytes: NaN,
  clockOffsetMs: NaN,
};

/** Adds the figures of the database server, read at each scrape, and this machine's clock against its clock. */
export function watchDatabase(registry: Registry, database: MonitoredDatabase): void {
  let reading: Promise<DatabaseFigures> | null = null;
  // All figures of a scrape are of one reading. A scrape does not wait for a server that is away.
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
  // Before the reading, which takes a connection itself.
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
    'Age of the oldest transaction that this role may see',
    (figures) => figures.oldestTransactionSeconds,
  );
  watch('size_bytes', 'Size of the database', (figures) => figures.sizeBytes);
  createClockGauge(registry, async (gauge) => gauge.set((await read()).clockOffsetMs / 1_000));
}
