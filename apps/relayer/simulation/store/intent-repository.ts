import { BridgeError, intentNonceHash, type OperationTerms } from '@causeway/protocol';
import { assertOneRecipient, isInWindow, type IntentRecord } from '@causeway/store';
import { sortedBy, type MemoryDatabase } from './memory-database.ts';
import { advance, openOperation } from './operations.ts';
import {
  bindTransfer,
  exchangeTransfer,
  intentsOf,
  keyOf,
  mayPay,
  type IntentOperation,
  type PayingTransfer,
} from './pairing.ts';
import type { IntentRow, TransferRow } from './rows.ts';
import type { Simulated } from './steps.ts';

type NewIntent = Parameters<NonNullable<Simulated<'intents'>['register']>>[1];

/** The most that a query returns. */
const MOST = 500;
/** Open intents of one sender. */
const MOST_OPEN_OF_SENDER = 100;

/** Withdraw intents and the transfers that pay for them. */
export function intentRepository(database: MemoryDatabase): Simulated<'intents'> {
  const { intents, operations, transfers, blocks } = database;
  return {
    find: (id) => toNullable(intents.get(id)),
    findByKey: (sender, key) =>
      toNullable(intents.find((intent) => intent.sender === sender && intent.idempotencyKey === key)),
    register: (terms, intent) => register(database, terms, intent),
    proposeOrigin: (id, txHash, nonce = null) => {
      const operation = operations.get(id);
      if (operation === undefined || !isOpen(operation.status)) return false;
      const rivals = intents.filter(
        (intent) => intent.sender === operation.sender && intent.proposedOriginTxHash === txHash && intent.id !== id,
      );
      for (const rival of rivals) intents.update(rival.id, { proposedOriginTxHash: null, proposedOriginNonce: null });
      intents.update(id, { proposedOriginTxHash: txHash, proposedOriginNonce: nonce });
      database.wake('intents');
      return true;
    },
    findTransfers: (txHash) =>
      sortedBy(
        transfers.filter(
          (transfer) => transfer.txHash === txHash && transfer.asset === 'XCN' && !transfer.isToFormerWallet,
        ),
        ({ callIndex }) => [callIndex],
      ).map(({ payer, amount, minedAt, blockNumber, operationId }) => {
        const operation = operations.get(operationId ?? '');
        if (operation === undefined) return { payer, amount, minedAt, blockNumber, pays: null };
        const { id, kind, status, recipient, outputAmount } = operation;
        return { payer, amount, minedAt, blockNumber, pays: { id, kind, status, recipient, outputAmount } };
      }),
    findUnbound: (chainId) => {
      const open = intentsOf(database);
      const unbound = transfers.filter((transfer) => transfer.chainId === chainId && transfer.operationId === null);
      return inChainOrder(unbound)
        .flatMap((transfer) => {
          const paid = oldestFirst(open.filter((one) => mayPay(transfer, one)));
          const candidates = paid.map(({ intent: { id, proposedOriginTxHash } }) => ({
            id,
            isNamed: transfer.memo === id,
            isProposed: proposedOriginTxHash === transfer.txHash,
          }));
          return candidates.length === 0 ? [] : [{ key: keyOf(transfer), candidates }];
        })
        .slice(0, MOST);
    },
    findPaidBy: ({ txHash, memo, ...unread }) => {
      const transfer: PayingTransfer = { ...unread, asset: 'XCN', isToFormerWallet: false, operationId: null };
      const paid = intentsOf(database, transfer.payer).filter((one) => mayPay(transfer, one));
      const [first] = sortedBy(paid, ({ intent }) => [
        Number(intent.id !== memo),
        Number(intent.proposedOriginTxHash !== txHash),
        intent.createdAt,
        intent.id,
      ]);
      return first?.intent.id ?? null;
    },
    bind: (fence, key, id) => {
      database.assertFence(fence);
      return bindTransfer(database, key, id);
    },
    findExchanges: (chainId) => {
      const proposing = intentsOf(database).filter(
        ({ intent: { proposedOriginTxHash }, operation: { originChainId, kind, status, originTxHash } }) =>
          originChainId === chainId &&
          kind === 'INTENT' &&
          isOpen(status) &&
          proposedOriginTxHash !== null &&
          originTxHash !== proposedOriginTxHash,
      );
      return sortedBy(proposing, ({ intent }) => [intent.id])
        .flatMap((one) => {
          const named = transfers.filter((transfer) => isExchangeFor(database, transfer, one));
          const [transfer] = sortedBy(named, ({ callIndex }) => [callIndex]);
          return transfer === undefined ? [] : [{ key: keyOf(transfer), id: one.intent.id }];
        })
        .slice(0, MOST);
    },
    exchange: (fence, key, id) => {
      database.assertFence(fence);
      return exchangeTransfer(database, key, id);
    },
    findClosedWindows: (originChainId, chainTime) => {
      const closed = intentsOf(database).filter(
        ({ intent, operation }) =>
          operation.status === 'PENDING_ORIGIN_TX' &&
          operation.originChainId === originChainId &&
          intent.expiresAt < chainTime,
      );
      return sortedBy(closed, ({ intent }) => [intent.expiresAt, intent.id])
        .slice(0, MOST)
        .map(({ intent }) => intent.id);
    },
    findOfOtherWallets: (originChainId, wallet) => {
      const others = intentsOf(database).filter(
        ({ intent: { relayerWallet }, operation }) =>
          operation.status === 'PENDING_ORIGIN_TX' &&
          operation.originChainId === originChainId &&
          relayerWallet !== null &&
          relayerWallet !== wallet,
      );
      return oldestFirst(others)
        .slice(0, MOST)
        .map(({ intent }) => intent.id);
    },
    expire: (fence, id, { number, hash, timestamp: chainTime }, wallet = null) => {
      database.assertFence(fence);
      const [operation, intent] = [operations.get(id), intents.get(id)];
      if (database.isHaltedFor(id) || operation === undefined || intent === undefined) return false;
      const isCanonical = blocks.find(operation.originChainId, number)?.hash === hash;
      const { relayerWallet } = intent;
      const isReplaced = wallet !== null && relayerWallet !== null && relayerWallet !== wallet;
      if ((intent.expiresAt >= chainTime && !isReplaced) || !isCanonical) return false;
      if (transfers.find((transfer) => mayPay(transfer, { intent, operation })) !== undefined) return false;
      return advance(database, id, ({ status }) => (status === 'PENDING_ORIGIN_TX' ? { expiredAt: chainTime } : null));
    },
  };
}

/** Stores an intent and its operation. False when the same one is stored already. */
function register(
  database: MemoryDatabase,
  terms: OperationTerms,
  { mostOpenOfClient, ...intent }: NewIntent,
): boolean {
  const { intents, operations, cursors } = database;
  const now = database.date();
  const others = intentsOf(database).filter(({ operation }) => isOpen(operation.status) && operation.id !== terms.id);
  const own = others.filter(({ operation }) => operation.sender === terms.sender);
  assertOneRecipient(
    terms,
    own.map(({ operation: { id, recipient, amount }, intent: { expiresAt } }) => ({
      id,
      recipient,
      amount,
      expiresAt,
    })),
  );
  const ofClient = others.filter((one) => one.intent.clientIp === intent.clientIp && one.intent.expiresAt > now);
  if (own.length >= MOST_OPEN_OF_SENDER || ofClient.length >= mostOpenOfClient)
    throw new BridgeError('RATE_LIMIT_EXCEEDED', 'The sender or the client has too many open intents');
  const nonceHash = intentNonceHash(intent.nonce);
  const sameKey = intents.find(
    ({ sender, idempotencyKey }) => sender === intent.sender && idempotencyKey === intent.idempotencyKey,
  );
  const sameNonce = intents.find((other) => other.sender === intent.sender && other.nonceHash === nonceHash);
  if (sameKey !== undefined || sameNonce !== undefined || operations.get(terms.id) !== undefined) {
    if (sameKey?.id === intent.id) return false;
    const field = sameKey === undefined ? 'nonce' : 'idempotencyKey';
    throw new BridgeError('VALIDATION_ERROR', `${field} was used for another intent of this sender`, { field });
  }
  openOperation(database, { terms, origin: null, createdAt: now });
  const acceptedAtBlock = cursors.get(terms.originChainId)?.nextBlock ?? 0n;
  const proposal = { proposedOriginTxHash: null, proposedOriginNonce: null, rejectedBy: null };
  intents.insert(intent.id, {
    relayerWallet: null,
    ...intent,
    ...proposal,
    nonceHash,
    acceptedAtBlock,
    createdAt: now,
  });
  database.wake('intents');
  return true;
}

/** Whether a transfer that a client named for an intent pays an equal one whose origin is not final. */
function isExchangeFor(
  { operations }: MemoryDatabase,
  transfer: TransferRow,
  { intent, operation }: IntentOperation,
): boolean {
  const { operationId: holderId } = transfer;
  if (
    transfer.chainId !== operation.originChainId ||
    transfer.txHash !== intent.proposedOriginTxHash ||
    transfer.asset !== 'XCN' ||
    transfer.payer !== operation.sender ||
    transfer.amount !== operation.amount ||
    holderId === null ||
    holderId === operation.id
  )
    return false;
  const holder = operations.get(holderId);
  return (
    holder?.kind === 'INTENT' &&
    holder.status === 'CONFIRMING' &&
    holder.recipient === operation.recipient &&
    holder.outputAmount === operation.outputAmount &&
    transfer.memo !== holderId &&
    isInWindow(transfer, intent)
  );
}

function isOpen(status: string): boolean {
  return status === 'PENDING_ORIGIN_TX' || status === 'CONFIRMING';
}

function inChainOrder(found: readonly TransferRow[]): TransferRow[] {
  return sortedBy(found, ({ blockNumber, txHash, callIndex }) => [blockNumber, txHash, callIndex]);
}

function oldestFirst(found: readonly IntentOperation[]): IntentOperation[] {
  return sortedBy(found, ({ intent }) => [intent.createdAt, intent.id]);
}

function toNullable(intent: IntentRow | undefined): IntentRecord | null {
  return intent === undefined ? null : { ...intent };
}
