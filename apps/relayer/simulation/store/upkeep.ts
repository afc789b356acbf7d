import type {
  EvidenceTransaction,
  RetirementEvidence,
  UnsweptTransfers,
  WaitingWithdrawals,
  Wallet,
  WalletCall,
} from '@causeway/store';
import type { Hex } from 'viem';
import { keyOfTransfer } from './chain-data.ts';
import { sortedBy, type MemoryDatabase } from './memory-database.ts';
import { hasOriginEvent } from './operations.ts';
import type { EventRow, OperationRow, TransferRow } from './rows.ts';
import type { Simulated } from './steps.ts';
import { ConstraintError } from './table.ts';

/** The most withdrawals of one retirement, and transfers of one sweep. */
const MOST = 1_000;

/** A completed burn with its events. */
interface CompletedBurn {
  readonly operation: OperationRow;
  readonly burn: EventRow;
  readonly release: EventRow;
}

/** Retirements: they destroy the tokens of completed withdrawals. */
export function retirementRepository(database: MemoryDatabase): Simulated<'retirements'> {
  const { retirements, operations } = database;
  return {
    findWaiting: (chainId, asset) => {
      const ofToken = retirements.filter((row) => row.chainId === chainId && row.asset === asset);
      if (ofToken.some(({ state }) => state === 'PENDING')) return null;
      const retired = retiredOperations(database);
      const waiting = completedBurns(
        database,
        (row) => row.originChainId === chainId && row.asset === asset && !retired.has(row.id),
      ).slice(0, MOST);
      const [oldest] = waiting;
      const evidence = newestEvidence(waiting);
      if (oldest === undefined || evidence === null) return null;
      const failed = ofToken.flatMap(({ state, endedAt }) => (state === 'FAILED' && endedAt !== null ? [endedAt] : []));
      return {
        ...evidence,
        chainId,
        asset,
        operationIds: waiting.map(({ operation }) => operation.id),
        amount: waiting.reduce((sum, { operation }) => sum + operation.amount, 0n),
        oldestSettledAt: oldest.operation.settledAt ?? new Date(0),
        lastFailedAt: failed.toSorted((a, b) => b.getTime() - a.getTime())[0] ?? null,
      };
    },
    unretiredAmount: (chainId, asset, blockNumber) => {
      const retired = retiredOperations(database);
      const unretired = operations.filter(
        (row) =>
          row.kind === 'BURN' &&
          row.originChainId === chainId &&
          row.asset === asset &&
          row.originBlockNumber !== null &&
          row.originBlockNumber <= blockNumber &&
          row.status !== 'FAILED' &&
          !retired.has(row.id) &&
          hasOriginEvent(database, row, 'Withdraw'),
      );
      return unretired.reduce((sum, { amount }) => sum + amount, 0n);
    },
    evidence: (retirementId) => {
      const ids = new Set(retirements.get(retirementId)?.operationIds);
      const known = completedBurns(database, ({ id }) => ids.has(id));
      return known.length === ids.size ? newestEvidence(known) : null;
    },
  };
}

/** Sweeps: they move native XCN of final intents from the wallet into the float of BridgeMint. */
export function sweepRepository(database: MemoryDatabase): Simulated<'sweeps'> {
  const { sweeps } = database;
  return {
    findUnswept: (wallet) => {
      if (sweeps.find(({ chainId, state }) => chainId === wallet.chainId && state === 'PENDING') !== undefined)
        return null;
      const swept = sortedBy(finalTransfers(database, wallet), ({ blockNumber, operationId }) => [
        blockNumber,
        operationId,
      ]).slice(0, MOST);
      if (swept.length === 0) return null;
      return {
        wallet,
        operationIds: swept.flatMap(({ operationId }) => operationId ?? []),
        amount: swept.reduce((sum, { amount }) => sum + amount, 0n),
        keptBack: keptBack(database, wallet),
      };
    },
    keptBack: (wallet) => keptBack(database, wallet),
  };
}

/**
 * Puts transfers into a new sweep, in the transaction that journals its call.
 *
 * @returns its id; null when another one is pending, or a transfer may not be swept any more.
 */
export function joinSweep(
  database: MemoryDatabase,
  wallet: Wallet,
  { operationIds, amount: most }: UnsweptTransfers,
  amount: bigint,
): bigint | null {
  const { sweeps, transfers } = database;
  const { chainId } = wallet;
  if (amount > most) throw new Error(`The transfers brought ${most}: a sweep of ${amount} is more than that`);
  if (sweeps.find((row) => row.chainId === chainId && row.state === 'PENDING') !== undefined) return null;
  if (amount <= 0n) throw new ConstraintError('23514', `a sweep of ${amount}`);
  const id = database.nextId();
  sweeps.insert(id, { id, chainId, amount, state: 'PENDING', endedAt: null });
  const wanted = new Set<string>(operationIds);
  const joined = finalTransfers(database, wallet).filter(({ operationId }) => wanted.has(operationId ?? ''));
  for (const transfer of joined) transfers.update(keyOfTransfer(transfer), { sweepId: id });
  return joined.length === operationIds.length ? id : null;
}

/**
 * Puts withdrawals into a new retirement, in the transaction that journals its call.
 *
 * @returns its id; null when another one of the token is pending, or a withdrawal does not wait any more.
 */
export function joinRetirement(
  database: MemoryDatabase,
  wallet: Wallet,
  { chainId, asset, amount, operationIds }: WaitingWithdrawals,
): bigint | null {
  const { retirements } = database;
  if (wallet.chainId !== chainId)
    throw new Error(`A wallet of chain ${wallet.chainId} cannot retire tokens of chain ${chainId}`);
  if (
    retirements.find((row) => row.chainId === chainId && row.asset === asset && row.state === 'PENDING') !== undefined
  )
    return null;
  const retired = retiredOperations(database);
  const wanted = new Set<string>(operationIds);
  const joined = completedBurns(
    database,
    (row) => wanted.has(row.id) && row.originChainId === chainId && row.asset === asset && !retired.has(row.id),
  );
  if (joined.length !== operationIds.length) return null;
  const sum = joined.reduce((total, { operation }) => total + operation.amount, 0n);
  if (sum !== amount) throw new ConstraintError('23000', `a retirement of ${amount}, but its operations have ${sum}`);
  const id = database.nextId();
  const ids = joined.map(({ operation }) => operation.id);
  retirements.insert(id, { id, chainId, asset, amount, state: 'PENDING', endedAt: null, operationIds: ids });
  return id;
}

/** The call of a sweep or retirement has ended. Unless it succeeded, its transfers or operations wait again. */
export function endUpkeep(
  database: MemoryDatabase,
  { sweepId, retirementId }: Pick<WalletCall, 'sweepId' | 'retirementId'>,
  hasSucceeded: boolean,
): void {
  const { sweeps, retirements, transfers } = database;
  const ended = { state: hasSucceeded ? 'CONFIRMED' : 'FAILED', endedAt: database.date() } as const;
  if (sweepId !== null && sweeps.get(sweepId)?.state === 'PENDING') {
    sweeps.update(sweepId, ended);
    if (!hasSucceeded)
      for (const transfer of transfers.filter((row) => row.sweepId === sweepId))
        transfers.update(keyOfTransfer(transfer), { sweepId: null });
  }
  if (retirementId !== null && retirements.get(retirementId)?.state === 'PENDING')
    retirements.update(retirementId, hasSucceeded ? ended : { ...ended, operationIds: [] });
}

function retiredOperations({ retirements }: MemoryDatabase): ReadonlySet<string> {
  const retired = new Set<string>();
  for (const { operationIds } of retirements.all()) for (const id of operationIds) retired.add(id);
  return retired;
}

/** The completed burns whose Withdraw and Release events are both still known, in the order of their settlement. */
function completedBurns(database: MemoryDatabase, matches: (row: OperationRow) => boolean): CompletedBurn[] {
  const completed = database.operations.filter(
    (row) => row.status === 'COMPLETED' && row.kind === 'BURN' && matches(row),
  );
  const burns = completed.flatMap((operation) => {
    const seen = database.events.of(operation.id);
    const burn = seen.find(
      ({ name, chainId, txHash, logIndex, blockHash }) =>
        name === 'Withdraw' &&
        chainId === operation.originChainId &&
        txHash === operation.originTxHash &&
        logIndex === operation.originLogIndex &&
        blockHash === operation.originBlockHash,
    );
    const release = seen.find(
      ({ name, chainId, txHash }) =>
        name === 'Release' && chainId === operation.destinationChainId && txHash === operation.destinationTxHash,
    );
    return burn === undefined || release === undefined ? [] : [{ operation, burn, release }];
  });
  return sortedBy(burns, ({ operation }) => [operation.settledAt, operation.id]);
}

function newestEvidence(burns: readonly CompletedBurn[]): RetirementEvidence | null {
  const burn = newest(burns.map((each) => each.burn));
  const release = newest(burns.map((each) => each.release));
  return burn === null || release === null ? null : { burn, release };
}

/** The first one of the highest block. */
function newest(events: readonly EventRow[]): EvidenceTransaction | null {
  const [first, ...others] = events;
  if (first === undefined) return null;
  const { txHash, blockNumber, blockHash } = others.reduce(
    (last, other) => (other.blockNumber > last.blockNumber ? other : last),
    first,
  );
  return { txHash, blockNumber, blockHash };
}

/** The transfers that a wallet holds and that are bound to an intent. */
function unsweptTransfers({ transfers }: MemoryDatabase, { chainId, address }: Wallet): TransferRow[] {
  return transfers.filter(
    (row) =>
      row.chainId === chainId &&
      row.wallet === address &&
      row.sweepId === null &&
      row.operationId !== null &&
      !row.hasFailed,
  );
}

/** Those of them whose intent is final: nobody can ask for the money any more. */
function finalTransfers(database: MemoryDatabase, wallet: Wallet): TransferRow[] {
  return unsweptTransfers(database, wallet).filter(({ operationId }) => {
    const operation = operationOf(database, operationId);
    return operation !== undefined && operation.finalizedAt !== null && operation.status !== 'FAILED';
  });
}

function operationOf({ operations }: MemoryDatabase, id: Hex | null): OperationRow | undefined {
  return id === null ? undefined : operations.get(id);
}

/** The native XCN that a wallet must keep: for transfers that are not final or pay no intent, and for refunds. */
function keptBack(database: MemoryDatabase, { chainId, address }: Wallet): bigint {
  const unbound = database.transfers.filter(
    (row) => row.chainId === chainId && row.wallet === address && row.operationId === null && row.asset === 'XCN',
  );
  const unfinished = unsweptTransfers(database, { chainId, address }).filter(
    ({ operationId }) => operationOf(database, operationId)?.finalizedAt === null,
  );
  const refunds = database.refunds.filter(
    (row) =>
      row.chainId === chainId &&
      row.wallet === address &&
      row.asset === 'XCN' &&
      (row.status === 'REQUESTED' || row.status === 'APPROVED' || row.status === 'PENDING'),
  );
  return [...unbound, ...unfinished, ...refunds].reduce((sum, { amount }) => sum + amount, 0n);
}
