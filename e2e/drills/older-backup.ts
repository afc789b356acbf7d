import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parseAmount } from '@causeway/protocol';
import { isLong, type PostgresReady } from '@causeway/test-kit';
import { describePostgres, roleUrl } from '@causeway/testbed';
import { Bed } from './bed.ts';
import { copyServer } from './copy-server.ts';
import { decideRefund } from './decide-refund.ts';
import type { Drill } from './drill.ts';
import { countWaits, reconcile, resume, untilItWaits } from './reconcile.ts';

const IN_FLIGHT = 6;
const LATER = isLong ? 58 : 8;

/** A backup with operations in flight is restored after more operations, a paid intent and a paid refund. */
export const olderBackup: Drill = {
  goal: '5 minutes, and open intents since',
  run: async (input) => Bed.under(input, {}, restore),
};

async function restore(bed: Bed): Promise<string> {
  const { environment, traffic, directory } = bed;
  const { alice } = environment.accounts;
  const mistake = await traffic.mistake(parseAmount('XCN', '5600'));
  await traffic.ended(mistake);
  const known = await traffic.intent(parseAmount('XCN', '6003'), 'known');
  await traffic.mix(IN_FLIGHT);
  bed.say('a backup is taken with operations in flight');
  const backup = await bed.connect(roleUrl(environment.stack.databaseUrl, 'causeway_backup'));
  const copy = join(directory, 'backup');
  await copyServer(backup, join(directory, 'state', 'postgres'), copy);
  const takenAtMs = performance.now();

  const forgotten = await traffic.intent(parseAmount('XCN', '6004'), 'forgotten');
  await traffic.mix(LATER);
  await traffic.untilEnded();
  await decideRefund(environment, traffic, mistake);
  const { intentId: unpaid } = await traffic.user.registerIntent(parseAmount('XCN', '7000'), alice.address, 'unpaid');
  await environment.killRelayer();
  await environment.processes.kill('api');
  await environment.processes.kill('postgres');
  const seconds = Math.round((performance.now() - takenAtMs) / 1_000);
  bed.lose(`the database is lost; the backup is ${seconds} s old`);

  const server = environment.processes.start({ ...describePostgres(copy), name: 'restored' });
  const { url } = (await server.message) as PostgresReady;
  await environment.useDatabase(`${url}/causeway`);
  // It starts last.
  await environment.processes.kill('api');
  const waits = countWaits(bed);
  await environment.restartRelayer();
  await untilItWaits(bed, waits);
  await reconcile(bed);
  await resume(bed);
  await environment.restartApi();
  await bed.back();
  await bed.check('an intent that the backup lacks has arrived', async () => {
    for (const operation of [known, forgotten]) await traffic.ended(operation);
  });
  const database = await bed.connect(roleUrl(`${url}/causeway`, 'causeway_relayer'));
  await bed.check('an unpaid intent of later is lost', async () => {
    const { rows } = await database.query('SELECT 1 FROM operation WHERE id = $1', [unpaid]);
    assert.deepEqual(rows, []);
  });
  return `${seconds} s: one open intent`;
}
