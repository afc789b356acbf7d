import { canBeUsedUp, type FinalDelivery, type Finality, type OperationDelay } from '@causeway/store';
import { sortedBy, type MemoryDatabase } from './memory-database.ts';
import { advance, advanceAll, toOperation } from './operations.ts';
import type { OperationRow } from './rows.ts';
import type { Simulated } from './steps.ts';

/** The most operations of a query. */
const MOST = 500;

/** The operations: queries of the stages and of the API, and the steps that the stages write. */
export function operationRepository(database: MemoryDatabase): Simulated<'operations'> {
  const { operations, events, blocks } = database;
  const isDelivered = (id: string) => events.of(id).some(isDelivery);
  return {
    findById: (id) => {
      const row = operations.get(id);
      return row === undefined ? null : toOperation(row);
    },
    findByIds: (ids) => [...new Set(ids)].flatMap((id) => operations.get(id) ?? []).map(toOperation),
    findByOriginTx: (txHash) =>
      sortedBy(
        operations.filter(({ originTxHash }) => originTxHash === txHash),
        ({ originLogIndex, id }) => [originLogIndex, id],
      ).map(toOperation),
    findConfirming: (originChainId) =>
      sortedBy(
        operations.filter((row) => row.status === 'CONFIRMING' && row.originChainId === originChainId),
        ({ originBlockNumber, id }) => [originBlockNumber, id],
      )
        .slice(0, MOST)
        .map(toOperation),
    findHoldsOver: (originChainId, chainTime) =>
      sortedBy(
        operations.filter(
          ({ status, originChainId: chainId, holdReleasedAt, holdUntil }) =>
            (status === 'AWAITING_RELAY' || status === 'DELAYED') &&
            chainId === originChainId &&
            holdReleasedAt === null &&
            holdUntil !== null &&
            holdUntil <= chainTime,
        ),
        ({ holdUntil, id }) => [holdUntil, id],
      )
        .slice(0, MOST)
        .map(toOperation),
    findDue: (destinationChainId, now, limit, causes) => {
      const due = operations.filter(
        ({ status, destinationChainId: chainId, holdReleasedAt, nextAttemptAt, delayedReason }) =>
          (status === 'AWAITING_RELAY' || status === 'DELAYED') &&
          chainId === destinationChainId &&
          holdReleasedAt !== null &&
          (nextAttemptAt === null ||
            nextAttemptAt <= now ||
            (delayedReason !== null && causes?.includes(delayedReason) === true)),
      );
      const inCalls = due.length === 0 ? new Set<string>() : liveOperations(database);
      return sortedBy(
        due.filter(({ id }) => !inCalls.has(id) && !isDelivered(id)),
        ({ nextAttemptAt, holdReleasedAt, id }) => [nextAttemptAt, holdReleasedAt, id],
      )
        .slice(0, limit)
        .map(toOperation);
    },
    findFinalDeliveries: (destinationChainId, finalBlock, after, limit) => {
      const waiting = operations.filter(
        ({ destinationChainId: chainId, status }) => chainId === destinationChainId && isPayable(status),
      );
      const isAfter = ({ blockNumber, logIndex }: { blockNumber: bigint; logIndex: number }) =>
        after === null ||
        blockNumber > after.blockNumber ||
        (blockNumber === after.blockNumber && logIndex > after.logIndex);
      const found = waiting.flatMap(({ id: operationId, delayedReason }) =>
        events.of(operationId).flatMap((event) => {
          const { chainId, txHash, blockNumber, blockHash, logIndex, args } = event;
          const block = blocks.find(chainId, blockNumber);
          const isKnown = delayedReason === 'NUMBER_USED_UP' && event.verdict !== null && event.verdict !== 'MATCHED';
          if (chainId !== destinationChainId || !isDelivery(event) || blockNumber > finalBlock || block === undefined)
            return [];
          if (isKnown || !isAfter(event)) return [];
          const credited = events
            .of(operationId)
            .some((other) => other.chainId === chainId && other.txHash === txHash && other.name === 'Credited');
          const name = event.name === 'Mint' ? ('Mint' as const) : ('Release' as const);
          const place = { name, chainId, txHash, logIndex, blockNumber, blockHash, settledAt: block.timestamp };
          return [{ delivery: { operationId, ...place, credited, args: { ...args } } }];
        }),
      );
      return sortedBy(found, ({ delivery }) => [delivery.blockNumber, delivery.logIndex])
        .slice(0, limit)
        .map(({ delivery }) => delivery);
    },
    countConfirmations: (fence, originChainId, headBlock) => {
      database.assertFence(fence);
      for (const row of operations.filter(({ status }) => status === 'CONFIRMING')) {
        const number = row.originBlockNumber ?? 0n;
        if (row.originChainId !== originChainId || number <= headBlock - 2n * BigInt(row.requiredConfirmations))
          continue;
        const originConfirmations = Math.max(1, Number(headBlock - number + 1n));
        if (originConfirmations !== row.originConfirmations)
          operations.update(row.id, { originConfirmations, updatedAt: database.date() });
      }
    },
    finalizeAll: (fence, origins) => {
      const byId = new Map<string, Finality>(origins.map((origin) => [origin.operationId, origin]));
      if (byId.size === 0) return new Set();
      database.assertFence(fence);
      if (database.isHalted()) return new Set();
      return advanceAll(database, [...byId.keys()], (now) => {
        const origin = byId.get(now.id);
        if (origin === undefined || now.status !== 'CONFIRMING' || now.originBlockHash !== origin.blockHash)
          return null;
        const { confirmations: originConfirmations, finalizedAt, holdUntil } = origin;
        const holdReleasedAt = holdUntil === null ? finalizedAt : null;
        return { originConfirmations, finalizedAt, holdUntil, holdReleasedAt };
      });
    },
    releaseHolds: (fence, ids, at) => {
      if (ids.length === 0) return new Set();
      database.assertFence(fence);
      if (database.isHalted()) return new Set();
      return advanceAll(database, ids, ({ status, holdReleasedAt }) =>
        (status === 'AWAITING_RELAY' || status === 'DELAYED') && holdReleasedAt === null
          ? { holdReleasedAt: at }
          : null,
      );
    },
    delayAll: (fence, delays) => {
      if (delays.length === 0) return;
      database.assertFence(fence);
      const byId = new Map<string, OperationDelay>(delays.map((delay) => [delay.operationId, delay]));
      advanceAll(database, [...byId.keys()], ({ id, status, attempts }) => {
        const delay = byId.get(id);
        if (delay === undefined || (status !== 'AWAITING_RELAY' && status !== 'DELAYED')) return null;
        return { delayedReason: delay.reason, nextAttemptAt: delay.nextAttemptAt, attempts: attempts + 1 };
      });
    },
    retry: (id) => {
      database.wake('operator');
      return advance(database, id, ({ status, nextAttemptAt }) =>
        status === 'DELAYED' && nextAttemptAt !== null ? { nextAttemptAt: null } : null,
      );
    },
    delayUsedUp: (fence, deliveries) => {
      if (deliveries.length === 0) return new Set();
      database.assertFence(fence);
      if (database.isHalted()) return new Set();
      const ids = deliveries.filter((delivery) => isOnChain(database, delivery)).map(({ operationId }) => operationId);
      return advanceAll(database, ids, (now) =>
        canBeUsedUp(now) ? { delayedReason: 'NUMBER_USED_UP', nextAttemptAt: null } : null,
      );
    },
    settleAll: (fence, deliveries) => {
      if (deliveries.length === 0) return new Set();
      database.assertFence(fence);
      if (database.isHalted()) return new Set();
      const byId = new Map<string, FinalDelivery>(
        deliveries.filter((delivery) => isOnChain(database, delivery)).map((each) => [each.operationId, each]),
      );
      const ids = [...byId.keys()];
      advanceAll(database, ids, ({ id, status }) =>
        status === 'AWAITING_RELAY' || status === 'DELAYED'
          ? { destinationTxHash: byId.get(id)?.txHash ?? null, delayedReason: null }
          : null,
      );
      return advanceAll(database, ids, ({ id, status }) => {
        const delivery = byId.get(id);
        if (delivery === undefined || status !== 'PROCESSING_DESTINATION') return null;
        const { txHash, settledAt, blockNumber, credited } = delivery;
        return { destinationTxHash: txHash, settledAt, settledBlockNumber: blockNumber, settledCredited: credited };
      });
    },
  };
}

/** The operations that are in a call which may pay them, or has paid them. */
export function liveOperations({ calls }: MemoryDatabase): ReadonlySet<string> {
  const live = new Set<string>();
  for (const call of calls.all())
    for (const { operationId, freedAt } of call.operations) if (freedAt === null) live.add(operationId);
  return live;
}

/** Whether the event pays an operation. */
function isDelivery({ name }: { readonly name: string }): boolean {
  return name === 'Mint' || name === 'Release';
}

function isPayable(status: OperationRow['status']): boolean {
  return status === 'AWAITING_RELAY' || status === 'PROCESSING_DESTINATION' || status === 'DELAYED';
}

/** Whether the block of a delivery is still on the branch that was read. */
function isOnChain({ events }: MemoryDatabase, delivery: FinalDelivery): boolean {
  const { operationId, chainId, txHash, blockHash } = delivery;
  return events
    .of(operationId)
    .some(
      (event) =>
        isDelivery(event) && event.chainId === chainId && event.txHash === txHash && event.blockHash === blockHash,
    );
}
