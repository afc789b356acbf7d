import { getCoin, intentDomain, releasedIntentDigest, getToken, type AddressBook } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { IntentRecord, Operation, TransferPlace } from '@causeway/store';
import { encodeFunctionData, type Address, type Hex } from 'viem';
import { NO_ATTESTATION, type Attestation, type AttestedTerms } from '../exchange/attestation.js';
import { getTransferId } from './swept-transfers.js';

/** Gas that the contracts give a recipient of native coin, plus the 63rd part that the EVM keeps, by chain. */
const RECIPIENT_GAS = { ethereum: 52_000n, partner: 770_000n } as const;
/**
 * Gas for crediting a refused delivery, doubled: three storage writes, two of them to new slots, and an event (22,100 +
 * 22,100 + 5,000 + 2,600, EIP-2929 and EIP-2200).
 */
const CREDIT_GAS = 100_000n;
/** Gas of one item besides the recipient's share and a credit: marks, state, transfer and event, doubled. */
const ITEM_GAS = 150_000n;
/** A transaction can use at most 2^24 gas (EIP-7825). MAX_ITEMS_GAS leaves room for a batch's fixed costs. */
export const MAX_CALL_GAS = 2n ** 24n - 1n;
const MAX_ITEMS_GAS = MAX_CALL_GAS - 100_000n;
/** Maximum items of a batch; the contracts accept 256. More would save less than 1 % of an item's gas. */
const MAX_ITEMS = 40;

/** The call that pays an operation on its destination chain. `value` in wei of the RPC. */
export interface Delivery {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
}

/** The input of a delivery besides its operation. */
export interface DeliveryInput {
  readonly book: AddressBook;
  /** Whether the wallet pays a mint of native XCN. Otherwise BridgeMint's float pays it. */
  readonly isPaidByWallet: boolean;
  /** The signed terms of an intent and its transfer; null for other operations. */
  readonly intent: PayableIntent | null;
  /** The attesters' consent; undefined while the contract needs none. */
  readonly attestation?: Attestation;
}

/** The signed terms of an intent, and the transfer that pays it. */
export interface PayableIntent extends Pick<IntentRecord, 'deadlineSeconds' | 'nonceHash' | 'signature'> {
  readonly transfer: Pick<TransferPlace, 'txHash' | 'callIndex'> | null;
}

/**
 * Encodes the delivery of one operation, by the single functions of the specification. Pure. While the contract
 * requires a consent, these revert for all but intents: use a batch of one instead.
 *
 * @throws Error when the operation's number, or an intent's signed terms or transfer, are missing, or when the terms
 * belong to another intent.
 */
export function encodeDelivery(operation: Operation, input: DeliveryInput): Delivery {
  return operation.direction === 'ETHEREUM_TO_PARTNER' ? mint(operation, input) : release(operation, input);
}

/**
 * Encodes the delivery of several numbered operations of one direction, in order. Pure.
 *
 * @throws Error when an operation is an intent or has no number.
 */
export function encodeBatch(operations: readonly Operation[], input: Omit<DeliveryInput, 'intent'>): Delivery {
  const { book, isPaidByWallet, attestation = NO_ATTESTATION } = input;
  if (operations[0]?.direction === 'ETHEREUM_TO_PARTNER') {
    const args = [listMints(operations, book), attestation] as const;
    const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'mintMany', args });
    const native = operations.filter(({ asset }) => asset === 'XCN');
    const value = isPaidByWallet ? native.reduce((sum, { outputAmount }) => sum + outputAmount, 0n) : 0n;
    return { to: book.partner.bridgeMint, data, value };
  }
  const args = [listReleases(operations, book), attestation] as const;
  const data = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'releaseMany', args });
  return { to: book.ethereum.bridgeLock, data, value: 0n };
}

/**
 * The terms of a batch, or of one intent, that attesters sign. Pure.
 *
 * @throws Error when a number, or an intent's signed terms or transfer, are missing.
 */
export function listTerms(
  operations: readonly Operation[],
  { book, intent }: Pick<DeliveryInput, 'book' | 'intent'>,
): AttestedTerms {
  const [first] = operations;
  if (first?.kind === 'INTENT') {
    const { signature, transferId } = requireTerms(first, { book, intent });
    return { call: 'RELEASE_INTENT', intentId: first.id, transferId, fee: first.fee, signature };
  }
  return first?.direction === 'ETHEREUM_TO_PARTNER'
    ? { call: 'MINT_MANY', payments: listMints(operations, book) }
    : { call: 'RELEASE_MANY', payments: listReleases(operations, book) };
}

/** Splits a simulated batch by its returned bitmap: the operations that it would pay, and those that it would skip. */
export function splitBySimulation(operations: readonly Operation[], returned: Hex) {
  const bitmap = returned === '0x' ? 0n : BigInt(returned);
  const isPaid = (index: number) => ((bitmap >> BigInt(index)) & 1n) === 1n;
  return {
    paid: operations.filter((_, index) => isPaid(index)),
    skipped: operations.filter((_, index) => !isPaid(index)),
  };
}

/**
 * Computes the gas limit of a call that delivers these operations. A recipient can tell an estimate from a block: it
 * can be cheap in the first and burn all its gas in the second, and a token can start to refuse in between. With this
 * limit the call still succeeds, by crediting every recipient, instead of reverting and costing gas again. Unused gas
 * is free.
 *
 * @param estimate the call's simulated gas, including its margin.
 */
export function deliveryGasLimit(estimate: bigint, operations: readonly Operation[]): bigint {
  return operations.reduce((sum, operation) => sum + refusalGas(operation), estimate);
}

/** Divides operations into batches that stay below a transaction's gas limit even if every recipient refuses. */
export function inBatches(operations: readonly Operation[]): Operation[][] {
  const batches: Operation[][] = [];
  let left = 0n;
  for (const operation of operations) {
    const gas = ITEM_GAS + refusalGas(operation);
    const current = batches.at(-1);
    if (current === undefined || gas > left || current.length === MAX_ITEMS) {
      batches.push([operation]);
      left = MAX_ITEMS_GAS - gas;
    } else {
      current.push(operation);
      left -= gas;
    }
  }
  return batches;
}

/** The maximum gas of a recipient's refusal: its share if it receives native coin, and a credit. */
function refusalGas({ direction, asset }: Operation): bigint {
  const side = direction === 'ETHEREUM_TO_PARTNER' ? 'partner' : 'ethereum';
  const isNative = asset === getCoin(side);
  return CREDIT_GAS + (isNative ? RECIPIENT_GAS[side] : 0n);
}

function listMints(operations: readonly Operation[], book: AddressBook) {
  return operations.map((operation) => ({
    depositNonce: requireNumber(operation),
    token: getToken(book, 'partner', operation.asset),
    recipient: operation.recipient,
    amount: operation.outputAmount,
  }));
}

function listReleases(operations: readonly Operation[], book: AddressBook) {
  return operations.map((operation) => ({
    withdrawNonce: requireNumber(operation),
    token: getToken(book, 'ethereum', operation.asset),
    recipient: operation.recipient,
    amount: operation.outputAmount,
    fee: operation.fee,
  }));
}

function mint(operation: Operation, { book, isPaidByWallet }: DeliveryInput): Delivery {
  const { asset, recipient, outputAmount } = operation;
  const token = getToken(book, 'partner', asset);
  const args = [requireNumber(operation), token, recipient, outputAmount] as const;
  return {
    to: book.partner.bridgeMint,
    data: encodeFunctionData({ abi: bridgeMintAbi, functionName: 'mint', args }),
    // The RPC counts native XCN in 18 decimals, like the amount.
    value: asset === 'XCN' && isPaidByWallet ? outputAmount : 0n,
  };
}

function release(operation: Operation, input: DeliveryInput): Delivery {
  const { book } = input;
  const data = operation.kind === 'INTENT' ? releaseIntentCall(operation, input) : releaseCall(operation, book);
  return { to: book.ethereum.bridgeLock, data, value: 0n };
}

function releaseCall(operation: Operation, book: AddressBook): Hex {
  const { asset, recipient, outputAmount, fee } = operation;
  const abi = bridgeLockAbi;
  const nonce = requireNumber(operation);
  if (asset === 'ETH')
    return encodeFunctionData({ abi, functionName: 'releaseNative', args: [nonce, recipient, outputAmount, fee] });
  const token = getToken(book, 'ethereum', asset);
  return encodeFunctionData({ abi, functionName: 'release', args: [nonce, token, recipient, outputAmount, fee] });
}

/**
 * The contract computes the id from the terms. Wrong terms would pay another id and leave this one open for a second
 * release, so the ids are compared first.
 */
function releaseIntentCall(operation: Operation, input: DeliveryInput): Hex {
  const { book, attestation = NO_ATTESTATION } = input;
  const { id, sender, recipient, amount, fee } = operation;
  const { deadlineSeconds: deadline, nonceHash, signature, transferId } = requireTerms(operation, input);
  const digest = releasedIntentDigest(intentDomain(book.partner), { sender, recipient, amount, deadline, nonceHash });
  if (digest !== id) throw new Error(`The stored terms of intent ${id} have the digest ${digest}`);
  const intent = { sender, recipient, amount, deadline, nonceHash, signature };
  const args = [intent, transferId, fee, attestation] as const;
  return encodeFunctionData({ abi: bridgeLockAbi, functionName: 'releaseIntent', args });
}

/** The contract pays one intent for each transfer, identified by the id that the transfer's refund would have. */
function requireTerms({ id }: Operation, { book, intent }: Pick<DeliveryInput, 'book' | 'intent'>) {
  if (intent === null) throw new Error(`Intent ${id} has no signed terms`);
  const { transfer, ...terms } = intent;
  if (transfer === null) throw new Error(`Intent ${id} has no transfer that pays it`);
  return { ...terms, transferId: getTransferId(book.partner.chainId, transfer) };
}

function requireNumber({ id, originNonce }: Operation): bigint {
  if (originNonce === null) throw new Error(`Operation ${id} has no number of its origin contract`);
  return originNonce;
}
