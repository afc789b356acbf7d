import { setTimeout as sleep } from 'node:timers/promises';
import { Traffic } from '../traffic.js';
import type { Drill } from './drill.js';
import type { Fault } from './fault.js';

const REQUESTS_PER_SECOND = 20;
/** Out of 200 connections. */
const CONNECTIONS = 150;
const SHORT_DAYS = 10;
const LONG_DAYS = 90;
/** More than an API's pool can answer while each query waits five seconds for a lock. */
const BUSY_PER_SECOND = 30;
const LOCKED_SECONDS = 15;
const ANOTHER = 'another program';

/** Faults of the database and of connections to it. */
export const DATABASE_FAULTS: readonly Fault[] = [
  {
    name: 'a person leaves a transaction open',
    alerts: ['LongTransaction'],
    isIndependent: true,
    inject: async (drill) => {
      const person = await drill.connect('relayer', 'a person');
      await person.query('BEGIN');
      await person.query('SELECT 1');
      return async () => {
        await end(drill, 'a person');
        await person.end().catch(() => undefined);
      };
    },
  },
  {
    name: 'another program takes most connections',
    alerts: ['DatabaseConnections'],
    isIndependent: true,
    inject: async (drill) => {
      for (let count = 0; count < CONNECTIONS; count += 1) await drill.connect('superuser', ANOTHER);
      return async () => end(drill, ANOTHER);
    },
  },
  {
    name: 'a standby is lost',
    alerts: ['StandbyLag'],
    isIndependent: true,
    inject: async (drill) => {
      await drill.administer("SELECT pg_create_physical_replication_slot('lost', true)");
      return async () => drill.administer("SELECT pg_drop_replication_slot('lost')");
    },
  },
  {
    name: 'Redis hangs',
    alerts: ['RedisDown'],
    inject: async (drill) => {
      const traffic = await readApi(drill, REQUESTS_PER_SECOND);
      drill.fleet.processes.signal('redis', 'SIGSTOP');
      return async () => {
        drill.fleet.processes.signal('redis', 'SIGCONT');
        await traffic.stop();
      };
    },
  },
  {
    name: 'the database refuses connections',
    alerts: ['DatabaseDown', 'NotReady', 'ApiErrors'],
    inject: async (drill) => {
      const traffic = await readApi(drill, REQUESTS_PER_SECOND);
      await drill.administer('ALTER DATABASE causeway ALLOW_CONNECTIONS false');
      await drill.administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'causeway'");
      return async () => {
        await drill.administer('ALTER DATABASE causeway ALLOW_CONNECTIONS true');
        await traffic.stop();
      };
    },
  },
  {
    name: 'a person repeatedly locks the operations',
    alerts: ['ApiSlow', 'PoolWaits'],
    inject: async (drill) => {
      const traffic = await readApi(drill, BUSY_PER_SECOND);
      const isOver = new AbortController();
      const locking = lockAgainAndAgain(drill, isOver.signal);
      return async () => {
        isOver.abort();
        await end(drill, 'a person');
        await locking;
        await traffic.stop();
      };
    },
  },
  {
    name: "the database's certificate expires soon",
    alerts: ['CertificateEnds'],
    inject: async ({ fleet }) => {
      // The remaining days are read at the start and once an hour.
      await fleet.database.renewCertificate(SHORT_DAYS);
      await fleet.killAndRestart('api-1');
      return async () => {
        await fleet.database.renewCertificate(LONG_DAYS);
        await fleet.killAndRestart('api-1');
      };
    },
  },
];

/** Ends the connections of a program, as in the runbook. */
async function end(drill: Drill, program: string): Promise<void> {
  await drill.administer(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${program}'`,
  );
}

async function readApi(drill: Drill, perSecond: number): Promise<Traffic> {
  const requests = await drill.requestsTo('api-1');
  return new Traffic(
    requests.filter(({ url }) => /status|history/.test(url)),
    perSecond,
  );
}

async function lockAgainAndAgain(drill: Drill, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const person = await drill.connect('superuser', 'a person');
    // The repair ends this connection.
    await person
      .query(`BEGIN; LOCK TABLE operation IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(${LOCKED_SECONDS}); COMMIT`)
      .catch(() => undefined);
    await person.end().catch(() => undefined);
    await sleep(100);
  }
}
