import type { CallOutcome, CallSubject, NewCall, OperationDelay, Wallet, WalletCall } from '@causeway/store';
import type { Address, Hex } from 'viem';
import { sortedBy, type MemoryDatabase } from './memory-database.ts';
import { liveOperations } from './operation-repository.ts';
import { advanceAll, hasOriginEvent } from './operations.ts';
import { completeRefund, freeRefund, joinRefund } from './refund-repository.ts';
import type { CallRow } from './rows.ts';
import type { Simulated } from './steps.ts';
import { ConstraintError } from './table.ts';
import { endUpkeep, joinRetirement, joinSweep } from './upkeep.ts';

type RecordResult = ReturnType<NonNullable<Simulated<'journal'>['record']>>;

/** The journal of the wallets: their calls, and every transaction that was signed for them. */
export function journalRepository(database: MemoryDatabase): Simulated<'journal'> {
  const { calls, operations } = database;
  const of = ({ chainId, address }: Wallet, matches: (call: CallRow) => boolean = () => true) =>
    sortedBy(
      calls.filter((call) => call.chainId === chainId && call.address === address && matches(call)),
      ({ nonce }) => [nonce],
    );
  const pendingCall = ({ id }: WalletCall) => {
    const call = calls.get(id);
    return call?.state === 'PENDING' ? call : undefined;
  };
  return {
    nextNonce: (wallet) => (of(wallet).at(-1)?.nonce ?? -1n) + 1n,
    pending: (wallet) => of(wallet, ({ endedAt }) => endedAt === null).map(toWalletCall),
    withNonce: (wallet, nonce) => toNullable(of(wallet, (call) => call.nonce === nonce)[0]),
    findPending: (operationId) =>
      toNullable(
        calls.find(
          ({ state, operations: paid }) =>
            state === 'PENDING' && paid.some((one) => one.operationId === operationId && one.freedAt === null),
        ),
      ),
    countReverted: (operationIds) => {
      const wanted = new Set<string>(operationIds);
      const counts = new Map<Hex, number>();
      for (const { operationId } of calls
        .filter(({ state }) => state === 'REVERTED')
        .flatMap((call) => call.operations))
        if (wanted.has(operationId)) counts.set(operationId, (counts.get(operationId) ?? 0) + 1);
      return counts;
    },
    feesPaidSince: (wallet, since) =>
      sum(
        of(wallet, ({ endedAt }) => endedAt !== null && endedAt >= since),
        ({ feePaid }) => feePaid ?? 0n,
      ),
    inFlight: (wallet, nonce) => {
      const flying = of(wallet, (call) => call.nonce >= nonce);
      return { value: sum(flying, ({ value }) => value), fees: sum(flying, mostFee) };
    },
    mintsFrom: (wallet, nonce, asset, originUntil) => {
      const minting = of(
        wallet,
        (call) =>
          call.nonce >= nonce &&
          (call.state === 'PENDING' || call.state === 'SUCCEEDED') &&
          call.purpose === 'DELIVERY',
      );
      return sum(
        minting.flatMap((call) => call.operations),
        ({ operationId, freedAt }) => {
          const operation = operations.get(operationId);
          const isMint = freedAt === null && operation?.asset === asset && operation.kind === 'DEPOSIT';
          const isUntil = (operation?.originBlockNumber ?? 0n) <= originUntil;
          return isMint && isUntil && hasOriginEvent(database, operation) ? operation.outputAmount : 0n;
        },
      );
    },
    record: (fence, wallet, added) => {
      try {
        database.assertFence(fence);
        return record(database, wallet, added);
      } catch (error) {
        if (!(error instanceof RefusedRecord)) throw error;
        database.undo();
        return error.result;
      }
    },
    replace: (fence, { id, transactions, operationIds }, signed, isCancellation) => {
      database.assertFence(fence);
      if (isCancellation ? database.isHalted() : database.isSendingHalted()) return false;
      const now = calls.get(id);
      if (now?.state !== 'PENDING' || (now.cancelledAt !== null) !== isCancellation) return false;
      if (now.transactions.length !== transactions.length) return false;
      assertNew(database, signed.hash);
      const { hash, raw, gas, maxFeePerGas, maxPriorityFeePerGas } = signed;
      const fees = { gas, maxFeePerGas, maxPriorityFeePerGas };
      const transaction = { hash, raw, ...fees, isCancellation, createdAt: database.date() };
      calls.update(id, { transactions: [...now.transactions, transaction] });
      if (!isCancellation) showTransaction(database, now.refundId, operationIds, signed.hash);
      return true;
    },
    markBroadcast: (fence, call, hash) => {
      database.assertFence(fence);
      const now = pendingCall(call);
      if (now?.cancelledAt === null) showTransaction(database, now.refundId, call.operationIds, hash);
    },
    delayPending: (fence, call, reason) => {
      database.assertFence(fence);
      if (pendingCall(call) === undefined) return;
      advanceAll(database, call.operationIds, ({ status }) =>
        status === 'PROCESSING_DESTINATION' ? { delayedReason: reason, nextAttemptAt: null } : null,
      );
    },
    cancel: (fence, call) => {
      if (fence !== null) database.assertFence(fence);
      if (database.isHalted() || pendingCall(call)?.cancelledAt !== null) return false;
      calls.update(call.id, { cancelledAt: database.date() });
      advanceAll(database, call.operationIds, ({ status }) =>
        status === 'PROCESSING_DESTINATION' || status === 'DELAYED'
          ? { delayedReason: 'DELIVERY_CANCELLED', nextAttemptAt: null }
          : null,
      );
      database.wake('operator');
      return true;
    },
    conclude: (fence, call, outcome, unpaid) => {
      database.assertFence(fence);
      if (database.isHalted() || !isOnBranch(database, call.chainId, outcome) || pendingCall(call) === undefined)
        return false;
      conclude(database, call, outcome, unpaid);
      return true;
    },
    reopenLost: (fence, wallet, chainNonce, head) => {
      database.assertFence(fence);
      if (database.isHalted()) return 0;
      const lost = of(
        wallet,
        ({ nonce, state, blockNumber }) => nonce >= chainNonce && state !== 'PENDING' && (blockNumber ?? 0n) <= head,
      );
      for (const call of lost) reopen(database, call);
      return lost.length;
    },
  };
}

/** Ends the transaction of a record that stores nothing. */
class RefusedRecord extends Error {
  override readonly name = 'RefusedRecord';
  readonly result: RecordResult;

  constructor(result: RecordResult) {
    super(`The calls cannot be recorded: ${result.kind}`);
    this.result = result;
  }
}

function record(database: MemoryDatabase, wallet: Wallet, added: readonly NewCall[]): RecordResult {
  if (database.isSendingHalted()) return { kind: 'halted' };
  const joined = added.map((call) => ({ ...call, ...joinUpkeep(database, wallet, call) }));
  beginDelivery(database, added);
  if (
    new Set(added.map(({ nonce }) => nonce)).size < added.length ||
    added.some(({ nonce }) => isUsed(database, wallet, nonce))
  )
    throw new RefusedRecord({ kind: 'nonce-used' });
  const createdAt = database.date();
  for (const { subject, transaction, sweepId, retirementId, to, ...terms } of joined) {
    const { hash, raw, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction;
    assertNew(database, hash);
    for (const operationId of idsOf(subject))
      if (database.operations.get(operationId)?.destinationChainId !== wallet.chainId)
        throw new ConstraintError('23000', `operation ${operationId} cannot join a call of chain ${wallet.chainId}`);
    const id = database.nextId();
    const isCancellation = subject.purpose === 'NONCE_GAP';
    const fees = { gas, maxFeePerGas, maxPriorityFeePerGas };
    database.calls.insert(id, {
      id,
      chainId: wallet.chainId,
      address: wallet.address,
      nonce: terms.nonce,
      to: to.toLowerCase() as Address,
      data: terms.data,
      value: terms.value,
      purpose: subject.purpose,
      state: 'PENDING',
      retirementId,
      sweepId,
      refundId: subject.purpose === 'REFUND' ? subject.refundId : null,
      createdAt,
      cancelledAt: null,
      txHash: null,
      blockNumber: null,
      blockHash: null,
      feePaid: null,
      endedAt: null,
      operations: idsOf(subject).map((operationId) => ({ operationId, freedAt: null })),
      transactions: [{ hash, raw, ...fees, isCancellation, createdAt }],
    });
  }
  return { kind: 'recorded' };
}

/** Whether another call has the nonce. */
function isUsed({ calls }: MemoryDatabase, { chainId, address }: Wallet, nonce: bigint): boolean {
  const rival = calls.find((call) => call.chainId === chainId && call.address === address && call.nonce === nonce);
  return rival !== undefined;
}

function joinUpkeep(database: MemoryDatabase, wallet: Wallet, { subject, transaction }: NewCall) {
  const sweepId =
    subject.purpose === 'SWEEP' ? joinSweep(database, wallet, subject.unswept, subject.amount) : undefined;
  const retirementId = subject.purpose === 'RETIREMENT' ? joinRetirement(database, wallet, subject.waiting) : undefined;
  const isDue = subject.purpose !== 'REFUND' || joinRefund(database, subject, transaction.hash);
  if (sweepId === null || retirementId === null || !isDue)
    throw new RefusedRecord({ kind: 'ended', subjects: [subject] });
  return { sweepId: sweepId ?? null, retirementId: retirementId ?? null };
}

/** Moves the operations of calls to PROCESSING_DESTINATION. The transaction ends when one of them is not due. */
function beginDelivery(database: MemoryDatabase, added: readonly NewCall[]): void {
  const hashes = new Map(
    added.flatMap(({ subject, transaction }) => idsOf(subject).map((id) => [id as string, transaction.hash] as const)),
  );
  if (hashes.size === 0) return;
  const taken = liveOperations(database);
  const moved = advanceAll(database, [...hashes.keys()], ({ id, status, holdReleasedAt, attempts }) => {
    const isDue = (status === 'AWAITING_RELAY' || status === 'DELAYED') && holdReleasedAt !== null;
    const destinationTxHash = hashes.get(id) ?? null;
    return isDue ? { destinationTxHash, delayedReason: null, nextAttemptAt: null, attempts: attempts + 1 } : null;
  });
  const seen = new Set<string>();
  const isDue = (id: string) => moved.has(id) && !taken.has(id) && !seen.has(id) && seen.add(id);
  const ended = added.flatMap(({ subject }) => (idsOf(subject).every(isDue) ? [] : [subject]));
  if (ended.length > 0) throw new RefusedRecord({ kind: 'ended', subjects: ended });
}

function showTransaction(
  database: MemoryDatabase,
  refundId: Hex | null,
  operationIds: readonly Hex[],
  hash: Hex,
): void {
  if (refundId !== null && database.refunds.get(refundId)?.status === 'PENDING')
    database.refunds.update(refundId, { txHash: hash });
  advanceAll(database, operationIds, (now) =>
    (now.status === 'PROCESSING_DESTINATION' && now.destinationTxHash !== hash) || now.status === 'DELAYED'
      ? { destinationTxHash: hash, delayedReason: null, nextAttemptAt: null }
      : null,
  );
}

/** Ends a pending call. What it did not pay waits for another call. */
function conclude(
  database: MemoryDatabase,
  { id, sweepId, retirementId, refundId }: WalletCall,
  outcome: CallOutcome,
  unpaid: readonly OperationDelay[],
): void {
  const hasSucceeded = outcome.state === 'SUCCEEDED';
  endUpkeep(database, { sweepId, retirementId }, hasSucceeded);
  if (refundId !== null) endRefund(database, refundId, id, outcome);
  const endedAt = database.date();
  const delays = new Map<string, OperationDelay>(unpaid.map((delay) => [delay.operationId, delay]));
  const paid = database.calls.get(id)?.operations ?? [];
  const receipt =
    outcome.state === 'TAKEN'
      ? {}
      : {
          txHash: outcome.txHash,
          blockNumber: outcome.block.number,
          blockHash: outcome.block.hash,
          feePaid: outcome.feePaid,
        };
  database.calls.update(id, {
    state: outcome.state,
    endedAt,
    ...receipt,
    operations: paid.map((one) =>
      delays.has(one.operationId) && one.freedAt === null ? { ...one, freedAt: endedAt } : one,
    ),
  });
  advanceAll(database, [...delays.keys()], ({ id: operationId, status }) => {
    const delay = delays.get(operationId);
    return delay !== undefined && (status === 'PROCESSING_DESTINATION' || status === 'DELAYED')
      ? { delayedReason: delay.reason, nextAttemptAt: delay.nextAttemptAt }
      : null;
  });
}

/** On the partner chain the event of the contract settles a refund; on Ethereum there is none, but the receipt. */
function endRefund(database: MemoryDatabase, refundId: Hex, callId: bigint, outcome: CallOutcome): void {
  if (outcome.state !== 'SUCCEEDED') return freeRefund(database, refundId, callId);
  const refund = database.refunds.get(refundId);
  if (refund === undefined) return;
  if (database.operations.get(refund.operationId)?.direction !== 'ETHEREUM_TO_PARTNER') return;
  const { txHash, block } = outcome;
  const settledAt = database.blocks.find(refund.chainId, block.number)?.timestamp ?? database.date();
  completeRefund(database, { refundId, txHash, settledAt });
}

/** A reorg removed the transaction of an ended call. Unless that had paid, the nonce is used up for nothing. */
function reopen(database: MemoryDatabase, { id, state, cancelledAt }: CallRow): void {
  database.calls.update(id, {
    state: 'PENDING',
    endedAt: null,
    txHash: null,
    blockNumber: null,
    blockHash: null,
    feePaid: null,
    cancelledAt: state === 'SUCCEEDED' ? cancelledAt : (cancelledAt ?? database.date()),
  });
}

/** Whether no block that was read contradicts the one of an outcome. */
function isOnBranch({ blocks }: MemoryDatabase, chainId: number, outcome: CallOutcome): boolean {
  if (outcome.state === 'TAKEN') return true;
  const { number, hash } = outcome.block;
  return (blocks.find(chainId, number)?.hash ?? hash) === hash;
}

/** @throws ConstraintError when a signed transaction is stored already. */
function assertNew({ calls }: MemoryDatabase, hash: Hex): void {
  if (calls.find(({ transactions }) => transactions.some((transaction) => transaction.hash === hash)) !== undefined)
    throw new ConstraintError('23505', `signed_transaction has ${hash}`);
}

/** The operations that a call pays. */
function idsOf(subject: CallSubject): readonly Hex[] {
  return subject.purpose === 'DELIVERY' ? subject.operationIds : [];
}

/** The most that one of a call's transactions can cost, in wei. */
function mostFee({ transactions }: CallRow): bigint {
  return transactions.reduce((most, { gas, maxFeePerGas }) => {
    const fee = gas * maxFeePerGas;
    return fee > most ? fee : most;
  }, 0n);
}

function sum<R>(rows: readonly R[], amountOf: (row: R) => bigint): bigint {
  return rows.reduce((total, row) => total + amountOf(row), 0n);
}

function toNullable(call: CallRow | undefined): WalletCall | null {
  return call === undefined ? null : toWalletCall(call);
}

function toWalletCall(call: CallRow): WalletCall {
  const { operations, transactions, cancelledAt, endedAt: _e, txHash: _t, ...terms } = call;
  const { blockNumber: _n, blockHash: _h, feePaid: _f, ...shown } = terms;
  return {
    ...shown,
    isCancelled: cancelledAt !== null,
    operationIds: operations.map(({ operationId }) => operationId),
    transactions: sortedBy(transactions, ({ createdAt, maxFeePerGas }) => [createdAt, maxFeePerGas]).map(
      (transaction) => ({ ...transaction }),
    ),
  };
}
