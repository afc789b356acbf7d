import type { OperationTerms } from '@causeway/protocol';
import type { OriginRecord, ScannedBlock, ScannedTransfer } from '@causeway/store';
import type { Hex } from 'viem';
import { sortedBy, type MemoryDatabase } from './memory-database.ts';
import { advance, NO_ORIGIN, openOperation, originColumns } from './operations.ts';
import type { OperationRow, TransferRow } from './rows.ts';

/** A block with its transfers. */
type BlockOfTransfers = Omit<ScannedBlock, 'events'>;

/** The key of a transfer. */
export function keyOfTransfer({
  chainId,
  txHash,
  asset,
  callIndex,
}: Pick<TransferRow, 'chainId' | 'txHash' | 'asset' | 'callIndex'>): string {
  return `${chainId} ${txHash} ${asset} ${callIndex}`;
}

/** Stores blocks with their events and transfers, and begins the operations that the events open. */
export function storeBlocks(database: MemoryDatabase, chainId: number, blocks: readonly ScannedBlock[]): void {
  for (const { number, hash, timestamp } of blocks) database.blocks.insert(chainId, { number, hash, timestamp });
  storeOrigins(database, blocks);
  for (const block of blocks)
    for (const { txHash, logIndex, name, operationId, args } of block.events) {
      const place = { chainId, txHash, logIndex, blockNumber: block.number, blockHash: block.hash };
      database.events.insert({ ...place, name, operationId, args: { ...args }, verdict: null });
    }
  storeArrivals(database, chainId, blocks);
}

/** Begins operations. One that exists already had lost its origin, and gets this one. */
function storeOrigins(database: MemoryDatabase, blocks: readonly ScannedBlock[]): void {
  const opened = blocks.flatMap((block) =>
    block.events.flatMap(({ opens, txHash, logIndex }) =>
      opens === undefined
        ? []
        : [{ terms: opens, origin: { txHash, logIndex, ...placeOf(block) }, createdAt: block.timestamp }],
    ),
  );
  const lost = new Set(opened.map(({ terms }) => terms.id).filter((id) => hasLostOrigin(database, id)));
  for (const one of opened) if (!lost.has(one.terms.id)) openOperation(database, one);
  for (const { terms, origin } of opened) if (lost.has(terms.id)) restoreOrigin(database, terms, origin);
}

/** Whether an operation exists, and its origin is not among the stored events. */
function hasLostOrigin({ operations, events }: MemoryDatabase, id: string): boolean {
  const operation = operations.get(id);
  if (operation === undefined) return false;
  const { originChainId, originTxHash, originLogIndex, originBlockHash } = operation;
  const origins = events.filter(
    (event) =>
      event.chainId === originChainId &&
      event.txHash === originTxHash &&
      event.logIndex === originLogIndex &&
      event.blockHash === originBlockHash,
  );
  return origins.length === 0;
}

/** Moves an operation that lost its origin to the new place of one with the same id and terms. */
function restoreOrigin(database: MemoryDatabase, terms: OperationTerms, origin: OriginRecord): void {
  advance(database, terms.id, (now) =>
    isLive(now) &&
    now.sender === terms.sender &&
    now.recipient === terms.recipient &&
    now.asset === terms.asset &&
    now.amount === terms.amount &&
    now.fee === terms.fee
      ? originColumns(origin)
      : null,
  );
}

/** Stores what arrived at relayer wallets. A transfer that an intent lost in a reorg is bound to it again. */
export function storeArrivals(database: MemoryDatabase, chainId: number, blocks: readonly BlockOfTransfers[]): void {
  for (const block of blocks)
    for (const transfer of block.transfers) {
      const operationId = restoreTransfer(database, chainId, transfer, block);
      const place = { chainId, ...placeOf(block), minedAt: block.timestamp };
      const row = { ...transfer, ...place, operationId, hasFailed: false, sweepId: null };
      database.transfers.insert(keyOfTransfer(row), row);
    }
  for (const block of blocks)
    for (const { wallet, asset, payer, amount, transfers } of block.dust) {
      const dust = { chainId, wallet, asset, payer, blockNumber: block.number };
      addDust(database, { ...dust, amount, transfers });
    }
}

/** Moves an intent that lost its transfer to the new block of the same transaction. Null when no intent lost it. */
function restoreTransfer(
  database: MemoryDatabase,
  chainId: number,
  transfer: ScannedTransfer,
  block: BlockOfTransfers,
): Hex | null {
  const lost = database.operations.filter(
    (one) =>
      one.kind === 'INTENT' &&
      one.originChainId === chainId &&
      one.originTxHash === transfer.txHash &&
      one.sender === transfer.payer &&
      one.asset === transfer.asset &&
      one.amount === transfer.amount &&
      transferOf(database, one.id) === undefined,
  );
  const [first] = sortedBy(lost, ({ id }) => [id]);
  if (first === undefined) return null;
  const origin = { txHash: transfer.txHash, logIndex: null, ...placeOf(block) };
  return advance(database, first.id, (now) => (isLive(now) ? originColumns(origin) : null)) ? first.id : null;
}

function addDust({ dust }: MemoryDatabase, row: Parameters<MemoryDatabase['dust']['put']>[1]): void {
  const key = [row.chainId, row.wallet, row.asset, row.payer, row.blockNumber].join(' ');
  const before = dust.get(key);
  const amount = row.amount + (before?.amount ?? 0n);
  dust.put(key, { ...row, amount, transfers: row.transfers + (before?.transfers ?? 0) });
}

/** Adds the dust of a wallet in old blocks to one row per asset and payer. */
export function foldDust(database: MemoryDatabase, chainId: number, wallet: string, before: bigint): void {
  const isOld = (row: { chainId: number; wallet: string; blockNumber: bigint }) =>
    row.chainId === chainId && row.wallet === wallet && row.blockNumber > 0n && row.blockNumber < before;
  const old = database.dust.filter(isOld);
  database.dust.deleteWhere(isOld);
  for (const row of old) addDust(database, { ...row, blockNumber: 0n });
}

/** The transfer that is bound to an operation. */
export function transferOf({ transfers }: MemoryDatabase, operationId: string): TransferRow | undefined {
  return transfers.find((transfer) => transfer.operationId === operationId);
}

/** The operations past CONFIRMING that began after `ancestor`, or were completed or paid back after it. */
export function findBroken(database: MemoryDatabase, chainId: number, ancestor: bigint): string[] {
  const { blocks, events, operations, refunds } = database;
  const final = operations.filter(
    ({ originChainId, originBlockNumber: number, originBlockHash, status }) =>
      originChainId === chainId &&
      number !== null &&
      number > ancestor &&
      status !== 'CONFIRMING' &&
      blocks.find(chainId, number)?.hash === originBlockHash,
  );
  const later = events.filter((event) => event.chainId === chainId && event.blockNumber > ancestor);
  const paid = later.flatMap(({ name, operationId, txHash }) => {
    const refund = refunds.get(operationId);
    if (name === 'Refunded' && refund?.chainId === chainId && refund.status === 'COMPLETED') return refund.operationId;
    const operation = operations.get(operationId);
    const isCompleted =
      (name === 'Mint' || name === 'Release') &&
      operation?.status === 'COMPLETED' &&
      operation.destinationChainId === chainId &&
      operation.destinationTxHash === txHash;
    return isCompleted ? operationId : [];
  });
  const began = sortedBy(final, ({ id, originBlockNumber }) => [-(originBlockNumber ?? 0n), id]);
  return [...new Set([...began.map(({ id }) => id), ...paid])];
}

/** Deletes everything that was read after `ancestor` and moves the cursor to the block after it. */
export function rollBackTo(database: MemoryDatabase, chainId: number, ancestor: bigint): void {
  const { operations, intents, transfers } = database;
  const affected = operations.filter(
    ({ originChainId, originBlockNumber, status }) =>
      originChainId === chainId &&
      originBlockNumber !== null &&
      originBlockNumber > ancestor &&
      status === 'CONFIRMING',
  );
  for (const { id, kind } of affected) {
    if (kind !== 'INTENT') {
      operations.delete(id);
      continue;
    }
    const transfer = transferOf(database, id);
    if (transfer !== undefined) transfers.update(keyOfTransfer(transfer), { operationId: null });
    advance(database, id, () => NO_ORIGIN);
  }
  const next = ancestor + 1n;
  for (const { id, acceptedAtBlock } of intents.all()) {
    const operation = operations.get(id);
    const isOpen = operation?.status === 'PENDING_ORIGIN_TX' || operation?.status === 'CONFIRMING';
    if (isOpen && operation.originChainId === chainId && acceptedAtBlock > next)
      intents.update(id, { acceptedAtBlock: next });
  }
  const isLater = (row: { readonly chainId: number; readonly blockNumber: bigint }) =>
    row.chainId === chainId && row.blockNumber > ancestor;
  for (const table of [transfers, database.dust, database.audits, database.differences]) table.deleteWhere(isLater);
  database.events.deleteAfter(chainId, ancestor);
  database.blocks.deleteAfter(chainId, ancestor);
  database.xcnTotals.deleteWhere(({ ethereum, partner }) =>
    [ethereum, partner].some((final) => final.chainId === chainId && final.number > ancestor),
  );
  database.cursors.update(chainId, { nextBlock: next });
}

function isLive({ status }: OperationRow): boolean {
  return status === 'AWAITING_RELAY' || status === 'PROCESSING_DESTINATION' || status === 'DELAYED';
}

function placeOf({ number, hash }: BlockOfTransfers): { readonly blockNumber: bigint; readonly blockHash: Hex } {
  return { blockNumber: number, blockHash: hash };
}
