import { aHash, anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { padHex } from 'viem';
import type { BridgeEvent } from '@causeway/protocol';
import type { NewIntent } from '../intents/register-intent.js';
import type { FinalDelivery } from '../operations/operation-repository.js';
import type { Operation, OperationTerms } from '../operations/operation.js';
import type { ScannedBlock, ScannedTransfer } from '../scan/scanned-block.js';
import type { SignedTransaction } from '../transactions/wallet-call.js';

// Builders of rows for tests. A test passes only the fields that it cares about.

let deposits = 0n;

export function aDeposit(over: Partial<OperationTerms> = {}): OperationTerms {
  const amount = over.amount ?? 1_000n;
  deposits += 1n;
  return {
    id: aHash(),
    kind: 'DEPOSIT',
    direction: 'ETHEREUM_TO_PARTNER',
    asset: 'USDC',
    amount,
    fee: 0n,
    feeBps: 0,
    outputAmount: amount,
    sender: anAddress(),
    recipient: anAddress(),
    originChainId: ETHEREUM,
    destinationChainId: PARTNER,
    originNonce: deposits,
    requiredConfirmations: 12,
    ...over,
  };
}

export function aBurn(over: Partial<OperationTerms> = {}): OperationTerms {
  return aDeposit({
    kind: 'BURN',
    direction: 'PARTNER_TO_ETHEREUM',
    fee: 10n,
    feeBps: 25,
    outputAmount: 990n,
    originChainId: PARTNER,
    destinationChainId: ETHEREUM,
    requiredConfirmations: 6,
    ...over,
  });
}

export function aNativeWithdrawal(over: Partial<OperationTerms> = {}): OperationTerms {
  return aBurn({ kind: 'NATIVE_WITHDRAWAL', asset: 'XCN', ...over });
}

export function anIntent(over: Partial<OperationTerms> = {}): OperationTerms {
  return aBurn({ kind: 'INTENT', asset: 'XCN', originNonce: null, ...over });
}

/** A client whose limits are not reached; every transfer is later than `judgedAtBlock`. */
export const CLIENT = { clientIp: '192.0.2.1', mostOpenOfClient: 1_000_000, judgedAtBlock: 0n } as const;

/** An intent as its client registers it. */
export function anOrder({ id, sender }: OperationTerms, over: Partial<NewIntent> = {}): NewIntent {
  const keys = { nonce: aHash(), idempotencyKey: aHash(), signature: '0x01' } as const;
  const times = { deadlineSeconds: 2_000_000_000n, expiresAt: new Date(2_000_000_000_000) };
  return { id, sender, ...keys, ...times, ...CLIENT, ...over };
}

/** An operation as the store returns it: final, its hold released, unpaid. */
export function anOperation(terms: OperationTerms, over: Partial<Operation> = {}): Operation {
  return {
    ...terms,
    status: 'AWAITING_RELAY',
    origin: { txHash: aHash(), logIndex: 0, blockNumber: 1n, blockHash: aHash() },
    originConfirmations: terms.requiredConfirmations,
    finalizedAt: new Date(0),
    holdUntil: null,
    holdReleasedAt: new Date(0),
    delayedReason: null,
    delayedSince: null,
    attempts: 0,
    nextAttemptAt: null,
    destinationTxHash: null,
    settlement: null,
    failureReason: null,
    refundId: null,
    expiredAt: null,
    quotedCompletionAt: null,
    createdAt: new Date(0),
    updatedAt: new Date(0),
    ...over,
  };
}

/** A plain transfer to the address book's relayer wallet. */
export function aTransfer(over: Partial<ScannedTransfer> = {}): ScannedTransfer {
  const place = { txHash: aHash(), asset: 'XCN', callIndex: 0 } as const;
  const wallet = { wallet: anAddress('relayer'), isToFormerWallet: false };
  return { ...place, ...wallet, payer: anAddress(), amount: 1_000n, memo: null, ...over };
}

/** The event that opens an operation. */
export function opening(terms: OperationTerms, logIndex = 0): BridgeEvent {
  const name = terms.kind === 'DEPOSIT' ? 'Deposit' : 'Withdraw';
  return { txHash: aHash(), logIndex, name, operationId: terms.id, args: {}, opens: terms };
}

/** The destination chain's event that pays an operation. */
export function paying({ id, direction }: Pick<OperationTerms, 'id' | 'direction'>, txHash = aHash()): BridgeEvent {
  const name = direction === 'ETHEREUM_TO_PARTNER' ? 'Mint' : 'Release';
  return { txHash, logIndex: 0, name, operationId: id, args: {} };
}

/** The event by which the admin reopens the numbers of operations. */
export function reopening(...operations: readonly Pick<OperationTerms, 'id'>[]): BridgeEvent {
  const args = { word: '0', mask: '1', count: '0' };
  const operationId = padHex('0x', { size: 32 });
  return { txHash: aHash(), logIndex: 0, name: 'Reopened', operationId, args, reopens: operations.map(({ id }) => id) };
}

export function aBlock(number: bigint, over: Partial<ScannedBlock> = {}): ScannedBlock {
  return {
    number,
    hash: aHash(),
    timestamp: new Date(1_800_000_000_000 + Number(number) * 1_000),
    events: [],
    transfers: [],
    dust: [],
    ...over,
  };
}

/** The final delivery in a block with one event. */
export function aDelivery(chainId: number, { events: [event], ...block }: ScannedBlock): FinalDelivery {
  if (event === undefined) throw new Error('A block without an event delivers nothing');
  const { operationId, txHash, logIndex, args } = event;
  const name = event.name === 'Mint' ? ('Mint' as const) : ('Release' as const);
  const where = { name, chainId, txHash, logIndex, blockNumber: block.number, blockHash: block.hash };
  return { operationId, ...where, settledAt: block.timestamp, credited: false, isReopened: false, args };
}

/** A signed transaction that was not broadcast. */
export function aSignature(nonce: bigint): SignedTransaction & { readonly nonce: bigint } {
  return { hash: aHash(), raw: '0x02', nonce, gas: 21_000n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n };
}
