import type { Hex } from 'viem';
import type { ChainBlock, ChainEvent, Dust, InboundTransfer, Prisma, ReopenedId } from '../generated/prisma/client.js';
import { openOperations } from '../operations/open-operation.js';
import type { OperationTerms, OriginRecord } from '../operations/operation.js';
import type { ColumnsOf } from '../sql/columns.js';
import { columnsInSql, insertRows, rowsInSql, valuesInSql } from '../sql/rows-in-sql.js';
import { findWithoutOrigin, restoreOrigin, restoreTransfer } from './reorg.js';
import type { ScannedBlock, ScannedTransfer } from './scanned-block.js';
import { execute, query, sql } from '../sql/query.js';

// The number of statements is independent of the number of events: storing a block full of one-unit transfers must take
// less than a block time.

const DUST = {
  chain_id: 'int',
  wallet: 'text',
  asset: '"Asset"',
  payer: 'text',
  block_number: 'bigint',
  amount: 'numeric',
  transfers: 'bigint',
} as const satisfies ColumnsOf<Dust>;

/** A block with its transfers. */
type BlockOfTransfers = Omit<ScannedBlock, 'events'>;

interface Origin {
  readonly terms: OperationTerms;
  readonly origin: OriginRecord;
  readonly createdAt: Date;
}

const BLOCK = {
  chain_id: 'int',
  number: 'bigint',
  hash: 'text',
  timestamp: 'timestamptz',
} as const satisfies ColumnsOf<ChainBlock>;
const EVENT = {
  chain_id: 'int',
  tx_hash: 'text',
  log_index: 'int',
  block_number: 'bigint',
  block_hash: 'text',
  name: 'text',
  operation_id: 'text',
  args: 'jsonb',
} as const satisfies ColumnsOf<ChainEvent, 'verdict'>;
const REOPENED = {
  operation_id: 'text',
  chain_id: 'int',
  tx_hash: 'text',
  log_index: 'int',
  block_number: 'bigint',
} as const satisfies ColumnsOf<ReopenedId>;
const TRANSFER = {
  chain_id: 'int',
  tx_hash: 'text',
  asset: '"Asset"',
  call_index: 'int',
  payer: 'text',
  wallet: 'text',
  is_to_former_wallet: 'boolean',
  amount: 'numeric',
  memo: 'text',
  block_number: 'bigint',
  block_hash: 'text',
  mined_at: 'timestamptz',
  operation_id: 'text',
} as const satisfies ColumnsOf<InboundTransfer, 'hasFailed' | 'sweepId'>;

/** Stores blocks with their events and transfers, and opens the operations of the events. */
export async function storeBlocks(
  tx: Prisma.TransactionClient,
  chainId: number,
  blocks: readonly ScannedBlock[],
): Promise<void> {
  const rows = blocks.map(({ number, hash, timestamp }) => ({
    chain_id: chainId,
    number: `${number}`,
    hash,
    timestamp,
  }));
  await insertRows(tx, 'chain_block', BLOCK, rows);
  const origins = blocks.flatMap(toOrigins);
  await storeOrigins(tx, origins);
  await storeEvents(tx, chainId, blocks);
  await storeArrivals(tx, chainId, blocks);
}

function toOrigins(block: ScannedBlock): Origin[] {
  return block.events.flatMap(({ opens, txHash, logIndex }) =>
    opens === undefined
      ? []
      : [{ terms: opens, origin: { txHash, logIndex, ...toPlace(block) }, createdAt: block.timestamp }],
  );
}

/** Stores events of a block instead of those with the same position, and opens the operations that do not exist. */
export async function replaceEvents(tx: Prisma.TransactionClient, chainId: number, block: ScannedBlock): Promise<void> {
  const { number, hash, timestamp, events } = block;
  await tx.chainBlock.createMany({ data: { chainId, number, hash, timestamp }, skipDuplicates: true });
  for (const { txHash, logIndex } of events) await tx.chainEvent.deleteMany({ where: { chainId, txHash, logIndex } });
  const opened = events.flatMap(({ opens }) => (opens === undefined ? [] : [opens.id as string]));
  const existing = await tx.operation.findMany({ where: { id: { in: opened } }, select: { id: true } });
  const ids = new Set(existing.map(({ id }) => id));
  await storeOrigins(
    tx,
    toOrigins(block).filter(({ terms }) => !ids.has(terms.id)),
  );
  await storeEvents(tx, chainId, [block]);
}

/** Opens operations. Existing operations without an origin get this one. */
async function storeOrigins(tx: Prisma.TransactionClient, origins: readonly Origin[]): Promise<void> {
  if (origins.length === 0) return;
  const lost = new Set(await findWithoutOrigin(tx, origins));
  // Opening an operation that exists with its origin fails, and the transaction stores none of the blocks.
  await openOperations(
    tx,
    origins.filter(({ terms }) => !lost.has(terms.id)),
  );
  for (const { terms, origin } of origins) if (lost.has(terms.id)) await restoreOrigin(tx, terms, origin);
}

async function storeEvents(
  tx: Prisma.TransactionClient,
  chainId: number,
  blocks: readonly ScannedBlock[],
): Promise<void> {
  const rows = blocks.flatMap((block) =>
    block.events.map(({ txHash, logIndex, name, operationId, args }) => ({
      chain_id: chainId,
      tx_hash: txHash,
      log_index: logIndex,
      block_number: `${block.number}`,
      block_hash: block.hash,
      name,
      operation_id: operationId,
      args: JSON.stringify(args),
    })),
  );
  if (rows.length > 0) await insertRows(tx, 'chain_event', EVENT, rows);
  const reopened = blocks.flatMap(({ number, events }) =>
    events.flatMap(({ txHash, logIndex, reopens = [] }) =>
      reopens.map((id) => ({
        operation_id: id,
        chain_id: chainId,
        tx_hash: txHash,
        log_index: logIndex,
        block_number: `${number}`,
      })),
    ),
  );
  if (reopened.length > 0) await insertRows(tx, 'reopened_id', REOPENED, reopened);
}

/** Stores transfers to relayer wallets, and dust. */
export async function storeArrivals(
  tx: Prisma.TransactionClient,
  chainId: number,
  blocks: readonly BlockOfTransfers[],
): Promise<void> {
  await storeTransfers(tx, chainId, blocks);
  const dust = blocks.flatMap((block) =>
    block.dust.map(({ wallet, asset, payer, amount, transfers }) => ({
      chain_id: chainId,
      wallet,
      asset,
      payer,
      block_number: `${block.number}`,
      amount: amount.toString(),
      transfers,
    })),
  );
  if (dust.length === 0) return;
  // The block can already have dust of this payer from another source.
  await execute(tx)`
    INSERT INTO dust (${columnsInSql(DUST)}) SELECT ${columnsInSql(DUST)} FROM ${rowsInSql(DUST, dust)}
    ON CONFLICT (chain_id, wallet, asset, payer, block_number)
    DO UPDATE SET amount = dust.amount + excluded.amount, transfers = dust.transfers + excluded.transfers`;
}

/** Merges the dust of a wallet in old blocks into one row per asset and payer. */
export async function foldDust(
  tx: Prisma.TransactionClient,
  chainId: number,
  wallet: string,
  before: bigint,
): Promise<void> {
  const row = {
    chain_id: chainId,
    wallet,
    asset: sql`asset`,
    payer: sql`payer`,
    block_number: 0,
    amount: sql`sum(amount)`,
    transfers: sql`sum(transfers)`,
  } satisfies ColumnsOf<Dust>;
  await execute(tx)`
    WITH old AS (
      DELETE FROM dust WHERE chain_id = ${chainId} AND wallet = ${wallet} AND block_number > 0 AND block_number < ${before}
      RETURNING asset, payer, amount, transfers)
    INSERT INTO dust ${valuesInSql(row)} FROM old GROUP BY asset, payer
    ON CONFLICT (chain_id, wallet, asset, payer, block_number)
    DO UPDATE SET amount = dust.amount + excluded.amount, transfers = dust.transfers + excluded.transfers`;
}

/** Stores transfers. A transfer that an intent lost in a reorg is bound to it again. */
async function storeTransfers(
  tx: Prisma.TransactionClient,
  chainId: number,
  blocks: readonly BlockOfTransfers[],
): Promise<void> {
  const transfers = blocks.flatMap((block) => block.transfers.map((transfer) => ({ transfer, block })));
  if (transfers.length === 0) return;
  const restored = await restoreTransfers(tx, chainId, transfers);
  const rows = transfers.map(({ transfer, block }) => ({
    chain_id: chainId,
    tx_hash: transfer.txHash,
    asset: transfer.asset,
    call_index: transfer.callIndex,
    payer: transfer.payer,
    wallet: transfer.wallet,
    is_to_former_wallet: transfer.isToFormerWallet,
    amount: transfer.amount.toString(),
    memo: transfer.memo,
    block_number: `${block.number}`,
    block_hash: block.hash,
    mined_at: block.timestamp,
    operation_id: restored.get(transfer) ?? null,
  }));
  await insertRows(tx, 'inbound_transfer', TRANSFER, rows);
}

/** Finds the few intents that lost one of these transfers, and restores each. */
async function restoreTransfers(
  tx: Prisma.TransactionClient,
  chainId: number,
  transfers: readonly { readonly transfer: ScannedTransfer; readonly block: BlockOfTransfers }[],
): Promise<ReadonlyMap<ScannedTransfer, string>> {
  const hashes = transfers.map(({ transfer }) => transfer.txHash);
  const lost = await query<{ tx_hash: string }>(tx)`
    SELECT o.origin_tx_hash AS tx_hash FROM operation o
    WHERE o.origin_tx_hash = ANY(${hashes}) AND o.kind = 'INTENT' AND o.origin_chain_id = ${chainId}
      AND NOT EXISTS (SELECT 1 FROM inbound_transfer t WHERE t.operation_id = o.id)`;
  const lostHashes = new Set(lost.map(({ tx_hash: hash }) => hash));
  const restored = new Map<ScannedTransfer, string>();
  for (const { transfer, block } of transfers) {
    if (!lostHashes.has(transfer.txHash)) continue;
    const operationId = await restoreTransfer(tx, chainId, transfer, toPlace(block), [...restored.values()]);
    if (operationId !== null) restored.set(transfer, operationId);
  }
  return restored;
}

function toPlace({ number, hash }: BlockOfTransfers): { readonly blockNumber: bigint; readonly blockHash: Hex } {
  return { blockNumber: number, blockHash: hash };
}
