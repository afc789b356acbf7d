import assert from 'node:assert/strict';
import { parseAmount } from '@causeway/protocol';
import { waitUntil } from '@causeway/test-kit';
import { roleUrl } from '@causeway/testbed';
import type { Client } from 'pg';
import { Bed } from './bed.ts';
import { decideRefund } from './decide-refund.ts';
import type { Drill } from './drill.ts';
import { Section } from './runbook.ts';

// Compares what a rebuild from both chains restores with the lost database, column by column.

/** Facts of an ended operation that no chain has: when the relayer processed it, and how often it tried. */
const LOST_COLUMNS = [
  'origin_confirmations',
  'hold_released_at',
  'final_since',
  'attempts',
  'updated_at',
  'changed_in',
];
/** Acceptance time and quoted completion of an intent: a rebuild has the time of its transfer instead. */
const LOST_OF_INTENTS = ['created_at', 'quoted_completion_at'];

const RETIREMENTS = `SELECT r.chain_id, r.asset, r.amount, r.state, array_agg(t.operation_id ORDER BY t.operation_id) AS burns
  FROM retirement r JOIN retired_operation t ON t.retirement_id = r.id GROUP BY r.id ORDER BY r.asset, burns`;
const SWEEPS = `SELECT s.chain_id, s.amount, s.state, array_agg(t.tx_hash ORDER BY t.tx_hash) AS transfers
  FROM sweep s JOIN inbound_transfer t ON t.sweep_id = s.id GROUP BY s.id ORDER BY transfers`;
const TRANSFERS = `SELECT chain_id, tx_hash, asset, call_index, payer, wallet, amount, block_number, block_hash, mined_at, operation_id
  FROM inbound_transfer ORDER BY tx_hash`;
const REFUNDS = `SELECT id, operation_id, chain_id, asset, wallet, payer, amount, status, recipient, paid_amount, gas_fee, dust,
  tx_hash, settled_at FROM refund ORDER BY id`;
const INTENTS = `SELECT i.id, i.sender, i.nonce_hash, i.deadline_seconds, i.signature
  FROM intent i JOIN operation o ON o.id = i.id WHERE o.status = 'COMPLETED' ORDER BY i.id`;
/** A query, and the number of its rows at least. */
const RESTORED: readonly (readonly [string, string, number])[] = [
  ['retirements', RETIREMENTS, 3],
  ['sweeps', SWEEPS, 1],
  ['transfers', TRANSFERS, 4],
  ['refunds', REFUNDS, 2],
  ['intents, without the text of the nonce', INTENTS, 2],
];
const UNSORTED = `SELECT 1 FROM operation_party p JOIN operation o ON o.id = p.operation_id
  JOIN operation_party q ON q.address = p.address AND q.sequence = p.sequence - 1
  JOIN operation e ON e.id = q.operation_id WHERE o.created_at < e.created_at`;
const UNRETIRED = `SELECT 1 FROM operation o WHERE kind = 'BURN' AND NOT EXISTS (
  SELECT 1 FROM retired_operation t JOIN retirement r ON r.id = t.retirement_id AND r.state = 'CONFIRMED'
  WHERE t.operation_id = o.id)`;
const UNSWEPT = `SELECT 1 FROM inbound_transfer t LEFT JOIN sweep s ON s.id = t.sweep_id
  WHERE t.operation_id IS NOT NULL AND s.state IS DISTINCT FROM 'CONFIRMED'`;
const REPORTED = [
  'DEPOSIT COMPLETED: 1, 600000 XCN',
  'BURN COMPLETED: 3, 2800.5 USDC',
  'INTENT COMPLETED: 2, 110000 XCN',
  'TRANSFER FAILED: 2, 11100 XCN',
  '1: 5500 XCN',
  '1: 5600 XCN',
  'open, expired and rejected',
];
const ENDED = 13;
const PAGE = Section.read('runbook.md', 'The database is lost');

const usdc = (amount: string) => parseAmount('USDC', amount);
const xcn = (amount: string) => parseAmount('XCN', amount);

export const databaseLost: Drill = {
  goal: 'open intents',
  run: async (input) => Bed.under(input, {}, loseDatabase),
};

async function loseDatabase(bed: Bed): Promise<string> {
  const { environment, traffic } = bed;
  const before = await bed.connect(environment.stack.databaseUrl);
  const unbound = await makeEveryKind(bed, before);
  const { address } = environment.accounts.alice;
  const { intentId: neverPaid } = await traffic.user.registerIntent(xcn('7000'), address, 'never paid');
  await bed.check('no rebuild of a database with data', async () => {
    const { code, output } = await environment.relayerCommand('rebuild');
    assert.equal(code, 1);
    assert.ok(output.includes('only fills an empty one'), output);
  });

  await environment.killRelayer();
  bed.lose('the database is lost');
  const inFlight = [await traffic.deposit('USDC', usdc('42')), await traffic.burn('USDC', usdc('43'))];
  const at = (database: string) =>
    Object.assign(new URL(environment.stack.databaseUrl), { pathname: `/${database}` }).href;
  const rebuilt = at('causeway_rebuilt');
  const variables = { SERVER: at('postgres'), SUPERUSER: rebuilt, OWNER: roleUrl(rebuilt, 'causeway_owner') };
  await bed.runBlock(PAGE, 'CREATE DATABASE', variables);
  const after = await bed.connect(rebuilt);
  await environment.useDatabase(rebuilt);
  await interruptAndRebuild(bed);
  await compare(bed, before, after);
  await bed.check('an intent that was not paid is lost', async () =>
    assert.deepEqual(await readRows(after, `SELECT id FROM operation WHERE id = '${neverPaid}'`), []),
  );
  await rebuildAgain(bed, before, after);

  const wallet = { address: environment.book.relayer };
  const sent = await environment.ethereum.client.getTransactionCount(wallet);
  await environment.restartRelayer();
  await bed.back();
  await until(after, 'all is retired', UNRETIRED);
  await bed.check('each open operation takes one transaction', async () => {
    for (const operation of inFlight) await traffic.ended(operation);
    assert.equal((await environment.ethereum.client.getTransactionCount(wallet)) - sent, 1);
  });
  await bed.check('the transfer without an intent is kept for a refund', async () => {
    const { output } = await environment.relayerCommand('unmatched');
    assert.ok(output.includes(unbound), output);
  });
  return 'one open intent';
}

/** Makes every kind of operation, retirements, sweeps and a credit. Returns the transfer whose refund stays open. */
async function makeEveryKind({ traffic, environment }: Bed, database: Client): Promise<string> {
  await traffic.burn('ETH', parseAmount('ETH', '1.5'));
  await traffic.burn('USDC', usdc('2400.5'));
  await traffic.burn('USDC', usdc('100'));
  await traffic.withdraw(xcn('90000.00000001'));
  await traffic.intent(xcn('50000'), 'first');
  await traffic.intent(xcn('60000'), '0x12');
  await traffic.untilEnded();
  await until(database, 'all is retired', UNRETIRED);
  await until(database, 'all is swept', UNSWEPT);
  await traffic.burn('USDC', usdc('300'));
  const unbound = await traffic.mistake(xcn('5500'));
  const refunded = await traffic.mistake(xcn('5600'));
  await traffic.untilEnded();
  await until(database, 'all is retired', UNRETIRED);
  await decideRefund(environment, traffic, refunded);
  return unbound.originTxHash;
}

async function interruptAndRebuild(bed: Bed): Promise<void> {
  for (const at of ['reading partner', 'settling operations'])
    await bed.check(`it stops at ${at} after Ctrl-C`, async () => {
      const { code, output } = await bed.environment.interruptedRelayerCommand(at, 'rebuild');
      assert.equal(code, 1);
      assert.ok(output.includes('Interrupted'), output);
    });
  const output = await bed.run(PAGE, 'relayer rebuild');
  await bed.check('its report', () => {
    for (const line of REPORTED) assert.ok(output.includes(line), `${line} is not in ${output}`);
    assert.ok(!output.includes('Warnings'), output);
  });
}

async function compare(bed: Bed, before: Client, after: Client): Promise<void> {
  await bed.check('every ended operation returns column by column', async () => {
    const lost = await readEnded(before);
    assert.equal(lost.length, ENDED);
    assert.deepEqual(await readEnded(after), lost);
  });
  for (const [what, query, atLeast] of RESTORED)
    await bed.check(`${what} return`, async () => {
      const lost = await readRows(before, query);
      assert.ok(lost.length >= atLeast, `only ${lost.length} rows`);
      assert.deepEqual(await readRows(after, query), lost);
    });
  await bed.check('histories are newest first', async () => assert.deepEqual(await readRows(after, UNSORTED), []));
}

/** A rebuild can be repeated until it is finished, and no relayer starts before. */
async function rebuildAgain(bed: Bed, before: Client, after: Client): Promise<void> {
  await after.query('UPDATE rebuild SET finished_at = NULL');
  await bed.check('no relayer starts before the end of a rebuild', async () => {
    const { code, output } = await bed.environment.relayerCommand('start');
    assert.equal(code, 1);
    assert.ok(output.includes('not finished'), output);
  });
  const output = await bed.run(PAGE, 'relayer rebuild');
  await bed.check('a repeated rebuild', async () => {
    assert.ok(output.includes('The rebuild continues'), output);
    assert.deepEqual(await readEnded(after), await readEnded(before));
    for (const query of [RETIREMENTS, SWEEPS])
      assert.deepEqual(await readRows(after, query), await readRows(before, query));
  });
}

async function readEnded(database: Client): Promise<object[]> {
  const rows = await readRows(database, `SELECT * FROM operation WHERE status IN ('COMPLETED', 'FAILED') ORDER BY id`);
  return rows.map((row) => {
    const lost = row['kind'] === 'INTENT' ? [...LOST_COLUMNS, ...LOST_OF_INTENTS] : LOST_COLUMNS;
    return Object.fromEntries(Object.entries(row).filter(([column]) => !lost.includes(column)));
  });
}

async function readRows(database: Client, query: string): Promise<Record<string, unknown>[]> {
  return (await database.query<Record<string, unknown>>(query)).rows;
}

/** Waits until a query finds nothing. */
async function until(database: Client, what: string, query: string): Promise<void> {
  await waitUntil(what, async () => (await readRows(database, query)).length === 0);
}
