import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isTerminal, parseAmount, getToken } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { Client } from 'pg';
import type { Hex } from 'viem';
import { waitUntil } from '@causeway/test-kit';
import { makeTables, User } from '@causeway/testbed';
import { temporaryEnvironment, type TestEnvironment } from './temporary-environment.js';

// The drill of a lost database: compares what a rebuild from both chains restores with the lost database, column by
// column.

/**
 * Facts of a completed operation that no chain has: when the relayer processed it, and how often it tried.
 */
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

let environment: TestEnvironment;
let alice: User;
let [before, after]: Client[] = [];
let open: { deposit: Hex; burn: Hex };
let unboundTransfer: Hex;
let neverPaid: Hex;

const usdc = (amount: string) => parseAmount('USDC', amount);
const xcn = (amount: string) => parseAmount('XCN', amount);

beforeAll(async () => {
  environment = await temporaryEnvironment({ retireAfterSeconds: 1 });
  alice = new User(environment, environment.accounts.alice);
  before = await connect(environment.stack.databaseUrl);
  await fillTheBridge();
});
afterAll(async () => {
  await before?.end();
  await after?.end();
  await environment?.stop();
});

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  // The server ends before the test.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/**
 * Makes every kind of operation, retirements, sweeps and a credit; then operations that the lost database never saw.
 */
async function fillTheBridge(): Promise<void> {
  const { address } = alice.account;
  const deposits = [
    await alice.deposit('ETH', parseAmount('ETH', '2'), address),
    await alice.deposit('USDC', usdc('5000.000001'), address),
    await alice.deposit('XCN', xcn('600000'), address),
    // The recipient can never receive it.
    await alice.deposit('ETH', 5n, environment.book.partner.tokens.ETH),
  ];
  for (const { originTxHash } of deposits) await completed(originTxHash);
  const withdrawals = [
    await alice.burn('ETH', parseAmount('ETH', '1.5'), address, parseAmount('ETH', '1')),
    await alice.burn('USDC', usdc('2400.5'), address, usdc('100')),
    await alice.burn('USDC', usdc('100'), address, usdc('100')),
    await alice.withdrawNative(xcn('90000.00000001'), address, xcn('10000')),
    await alice.withdrawXcn(xcn('50000'), address, 'first'),
    await alice.withdrawXcn(xcn('60000'), environment.accounts.bob.address, '0x12'),
  ];
  for (const { originTxHash } of withdrawals) await completed(originTxHash);
  await retired();
  await swept();
  const { originTxHash } = await alice.burn('USDC', usdc('300'), address, usdc('100'));
  await completed(originTxHash);
  await retired();
  const bob = environment.partner.getWallet(environment.accounts.bob);
  unboundTransfer = await bob.sendTransaction({ to: environment.book.relayer, value: xcn('5500') });
  const refunded = await bob.sendTransaction({ to: environment.book.relayer, value: xcn('5600') });
  for (const hash of [unboundTransfer, refunded])
    await waitUntil('it has failed', async () => (await alice.status(hash))?.status === 'FAILED');
  const { refundId } = (await alice.status(refunded))!;
  const { firstOperator, secondOperator } = environment.accounts;
  for (const operator of [firstOperator, secondOperator])
    await environment.operatorCommand(operator, 'refund', 'approve', refundId!);
  const paid = `SELECT 1 FROM refund WHERE status = 'COMPLETED'`;
  await waitUntil('it is paid back', async () => (await readRows(before!, paid)).length === 1);
  neverPaid = (await alice.registerIntent(xcn('7000'), address, 'never paid')).intentId;
  await environment.killRelayer();
  open = {
    deposit: (await alice.deposit('USDC', usdc('42'), address)).originTxHash,
    burn: (await alice.burn('USDC', usdc('43'), address, usdc('43'))).originTxHash,
  };
}

async function completed(originTxHash: Hex): Promise<void> {
  await waitUntil('it has ended', async () => isTerminal((await alice.status(originTxHash))?.status ?? 'CONFIRMING'));
  expect(await alice.status(originTxHash)).toMatchObject({ status: 'COMPLETED' });
}

async function readWalletBalance(asset: 'ETH' | 'USDC'): Promise<bigint> {
  const token = { address: getToken(environment.book, 'partner', asset), abi: bridgedTokenAbi } as const;
  const args = [environment.book.relayer] as const;
  return environment.partner.client.readContract({ ...token, functionName: 'balanceOf', args });
}

/** Waits until all burns are retired and the database has recorded it. */
async function retired(db = before!): Promise<void> {
  await waitUntil('all is retired', async () => {
    const { rows } = await db.query<{ left: number }>(
      `SELECT count(*)::int AS left FROM operation o WHERE kind = 'BURN' AND NOT EXISTS (
         SELECT 1 FROM retired_operation t JOIN retirement r ON r.id = t.retirement_id AND r.state = 'CONFIRMED'
         WHERE t.operation_id = o.id)`,
    );
    return rows[0]?.left === 0;
  });
}

async function swept(): Promise<void> {
  await waitUntil('all is swept', async () => {
    const { rows } = await before!.query<{ left: number }>(
      `SELECT count(*)::int AS left FROM inbound_transfer t LEFT JOIN sweep s ON s.id = t.sweep_id
       WHERE t.operation_id IS NOT NULL AND s.state IS DISTINCT FROM 'CONFIRMED'`,
    );
    return rows[0]?.left === 0;
  });
}

interface Row extends Record<string, unknown> {
  readonly id: string;
  readonly kind: string;
}

async function endedRows(db: Client): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Row>(`SELECT * FROM operation WHERE status IN ('COMPLETED', 'FAILED') ORDER BY id`);
  return rows.map((row) => {
    const lost = row.kind === 'INTENT' ? [...LOST_COLUMNS, ...LOST_OF_INTENTS] : LOST_COLUMNS;
    return Object.fromEntries(Object.entries(row).filter(([column]) => !lost.includes(column)));
  });
}

async function readRows(db: Client, query: string): Promise<object[]> {
  return (await db.query<object>(query)).rows;
}

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

describe('relayer rebuild', () => {
  it('refuses a database that has data', async () => {
    expect(await environment.relayerCommand('rebuild')).toMatchObject({
      code: 1,
      output: expect.stringContaining('only fills an empty one'),
    });
  });

  it('fills an empty database, even after Ctrl-C, and reports what it found and what no chain has', async () => {
    await before!.query('CREATE DATABASE rebuilt');
    const url = new URL(environment.stack.databaseUrl);
    url.pathname = '/rebuilt';
    await makeTables(url.href);
    after = await connect(url.href);
    await environment.useDatabase(url.href);
    for (const at of ['reading partner', 'settling operations']) {
      expect(await environment.interruptedRelayerCommand(at, 'rebuild')).toMatchObject({
        code: 1,
        output: expect.stringContaining('Interrupted'),
      });
    }
    const { code, output } = await environment.relayerCommand('rebuild');
    expect({ code, output }).toMatchObject({ code: 0 });
    for (const line of [
      'DEPOSIT COMPLETED: 1, 600000 XCN',
      'BURN COMPLETED: 3, 2800.5 USDC',
      'INTENT COMPLETED: 2, 110000 XCN',
      'TRANSFER FAILED: 2, 11100 XCN',
      '1: 5500 XCN',
      '1: 5600 XCN',
      'open, expired and rejected',
    ])
      expect(output).toContain(line);
    expect(output).not.toContain('Warnings');
  });

  it('restores every completed and every failed operation, column by column', async () => {
    const lost = await endedRows(before!);
    expect(lost).toHaveLength(13);
    expect(await endedRows(after!)).toEqual(lost);
  });

  it.each([
    ['retirements', RETIREMENTS, 3],
    ['sweeps', SWEEPS, 1],
    ['transfers', TRANSFERS, 4],
    ['refunds', REFUNDS, 2],
    ['intents, without the text of the nonce', INTENTS, 2],
  ])('restores %s', async (_, query, atLeast) => {
    const lost = await readRows(before!, query);
    expect(lost.length).toBeGreaterThanOrEqual(atLeast);
    expect(await readRows(after!, query)).toEqual(lost);
  });

  it('shows histories newest first', async () => {
    const { rows } = await after!.query<{ sorted: boolean }>(`
      SELECT bool_and(o.created_at >= e.created_at) AS sorted FROM operation_party p
      JOIN operation o ON o.id = p.operation_id
      JOIN operation_party q ON q.address = p.address AND q.sequence = p.sequence - 1
      JOIN operation e ON e.id = q.operation_id`);
    expect(rows).toEqual([{ sorted: true }]);
  });

  it('lacks an intent that was not paid', async () => {
    expect(await readRows(after!, `SELECT id FROM operation WHERE id = '${neverPaid}'`)).toEqual([]);
  });

  it('can be repeated until it is finished; no relayer starts before', async () => {
    await after!.query('UPDATE rebuild SET finished_at = NULL');
    expect(await environment.relayerCommand('start')).toMatchObject({
      code: 1,
      output: expect.stringContaining('not finished'),
    });
    expect(await environment.relayerCommand('rebuild')).toMatchObject({
      code: 0,
      output: expect.stringContaining('The rebuild continues'),
    });
    expect(await endedRows(after!)).toEqual(await endedRows(before!));
    expect(await readRows(after!, RETIREMENTS)).toEqual(await readRows(before!, RETIREMENTS));
    expect(await readRows(after!, SWEEPS)).toEqual(await readRows(before!, SWEEPS));
  });
});

describe('a relayer on the rebuilt database', () => {
  it('delivers and retires open operations, and pays none twice', async () => {
    const wallet = { address: environment.book.relayer };
    const sent = await environment.ethereum.client.getTransactionCount(wallet);
    await environment.restartRelayer();
    await completed(open.deposit);
    await completed(open.burn);
    await retired(after);
    expect(await readWalletBalance('USDC')).toBe(0n);
    expect((await environment.ethereum.client.getTransactionCount(wallet)) - sent).toBe(1);
    const [ethereum, partner] = [environment.ethereum.client, environment.partner.client];
    const releases = await ethereum.getContractEvents({
      address: environment.book.ethereum.bridgeLock,
      abi: bridgeLockAbi,
      eventName: 'Release',
      fromBlock: 0n,
    });
    const mints = await partner.getContractEvents({
      address: environment.book.partner.bridgeMint,
      abi: bridgeMintAbi,
      eventName: 'Mint',
      fromBlock: 0n,
    });
    const paid = [...releases.map(({ args }) => args.withdrawId), ...mints.map(({ args }) => args.depositId)];
    expect(new Set(paid).size).toBe(paid.length);
    expect(paid).toHaveLength(13);
  });

  it('keeps the transfer without an intent for a refund', async () => {
    const { output } = await environment.relayerCommand('unmatched');
    expect(output).toContain(unboundTransfer);
  });
});
