import 'reflect-metadata';
import { openStore } from '@causeway/store';
import { SchedulerRegistry } from '@nestjs/schedule';
import { pino } from 'pino';
import { readConfiguration } from '../dist/configuration.js';
import { StageScheduler } from '../dist/pipeline/scheduler.js';

// Runs a relayer's scheduler in its own process, with the default times. Its only stage makes a fenced write and then
// reports a broadcast.
const { name, leaseMs, pollMs, databaseUrl } = readConfiguration(process.env);
const store = openStore({ databaseUrl, onIdleError: () => undefined });
const stage = {
  name: 'write',
  run: async (fence) => {
    await store.scan.begin(fence, 1, 1n);
    process.send('write');
    store.lease.assertHeld(fence);
    process.send('broadcast');
  },
};
const connection = { onHead: () => () => undefined };
const scheduler = new StageScheduler(
  [stage],
  { name, leaseMs, pollMs },
  { ethereum: { connection }, partner: { connection } },
  store,
  { now: () => Date.now() },
  pino({ level: 'silent' }),
  null,
  new SchedulerRegistry(),
  { isClosed: async () => false, mayWork: async () => true, isBlind: false, waitsFor: null },
);
scheduler.onApplicationBootstrap();
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => {
  void scheduler
    .onApplicationShutdown()
    .then(() => store.close())
    .finally(() => process.exit(0));
});
