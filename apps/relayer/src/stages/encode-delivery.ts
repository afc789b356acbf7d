import { intentDigest, intentDomain, tokenOfAsset, type AddressBook } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { IntentRecord, Operation } from '@causeway/store';
import {
  decodeFunctionData,
  encodeFunctionData,
  keccak256,
  stringToBytes,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';

/** Gas that the contracts give a recipient of native coin (DELIVERY_GAS, 50,000), plus the 63rd part the EVM keeps. */
const RECIPIENT_GAS = 52_000n;
/**
 * Gas for crediting a refused delivery, doubled: three storage writes, two of them to new slots, and an event (22,100 +
 * 22,100 + 5,000 + 2,600, EIP-2929 and EIP-2200).
 */
const CREDIT_GAS = 100_000n;

/** While the contracts ask for no attesters, they ignore the attestation. */
const NO_ATTESTATION = { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] } as const;

/** The call that pays an operation on its destination chain. `value` in wei of the RPC. */
export interface Delivery {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
}

/** What a delivery needs beside its operation. */
export interface DeliveryInput {
  readonly book: AddressBook;
  /** Whether the float of BridgeMint pays a mint of native XCN. Otherwise the wallet pays. */
  readonly isPaidFromFloat: boolean;
  /** The signed terms of an intent; null for every other operation. */
  readonly intent: SignedTerms | null;
}

type SignedTerms = Pick<IntentRecord, 'deadlineSeconds' | 'nonce' | 'signature'>;

/**
 * Encodes the delivery of an operation. Pure.
 *
 * @throws Error when the number of its origin contract, or the signed terms of an intent, are missing or another's.
 */
export function encodeDelivery(operation: Operation, input: DeliveryInput): Delivery {
  return operation.direction === 'ETHEREUM_TO_PARTNER' ? mint(operation, input) : release(operation, input);
}

/**
 * Computes the gas limit of a delivery. A recipient can distinguish an estimate from a block: it can be cheap in the
 * one and burn all its gas in the other, and a token can start to refuse in between. With this limit the call still
 * succeeds by crediting the recipient, instead of reverting and being paid for again. Unused gas costs nothing.
 *
 * @param estimate simulated gas of the call, including its margin.
 */
export function deliveryGasLimit(estimate: bigint): bigint {
  return estimate + RECIPIENT_GAS + CREDIT_GAS;
}

/** Sums up what the float of BridgeMint pays for these calls: mints of native XCN without value. */
export function amountFromFloat(calls: readonly Pick<Delivery, 'data' | 'value'>[]): bigint {
  return calls.reduce((sum, { data, value }) => {
    // A cancellation has no data.
    if (value !== 0n || data === '0x') return sum;
    const call = decodeFunctionData({ abi: bridgeMintAbi, data });
    return call.functionName === 'mint' && call.args[1] === zeroAddress ? sum + call.args[3] : sum;
  }, 0n);
}

function mint(operation: Operation, { book, isPaidFromFloat }: DeliveryInput): Delivery {
  const { asset, recipient, outputAmount } = operation;
  const token = tokenOfAsset(book, 'partner', asset);
  const args = [numberOf(operation), token, recipient, outputAmount] as const;
  return {
    to: book.partner.bridgeMint,
    data: encodeFunctionData({ abi: bridgeMintAbi, functionName: 'mint', args }),
    // The RPC counts native XCN in 18 decimals, like the amount.
    value: asset === 'XCN' && !isPaidFromFloat ? outputAmount : 0n,
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
  const nonce = numberOf(operation);
  if (asset === 'ETH')
    return encodeFunctionData({ abi, functionName: 'releaseNative', args: [nonce, recipient, outputAmount, fee] });
  const token = tokenOfAsset(book, 'ethereum', asset);
  return encodeFunctionData({ abi, functionName: 'release', args: [nonce, token, recipient, outputAmount, fee] });
}

/**
 * The contract computes the id from the terms. Other terms would pay another id, and leave this one unpaid for a second
 * release, so they are compared first.
 */
function releaseIntentCall(operation: Operation, { book, intent }: DeliveryInput): Hex {
  const { id, sender, recipient, amount, fee } = operation;
  if (intent === null) throw new Error(`Intent ${id} has no signed terms`);
  const { deadlineSeconds: deadline, nonce, signature } = intent;
  const digest = intentDigest(intentDomain(book.partner), { sender, recipient, amount, deadline, nonce });
  if (digest !== id) throw new Error(`The stored terms of intent ${id} have the digest ${digest}`);
  // Not toBytes, which reads a nonce such as 0x12 as one byte.
  const nonceHash = keccak256(stringToBytes(nonce));
  const args = [{ sender, recipient, amount, deadline, nonceHash, signature }, fee, NO_ATTESTATION] as const;
  return encodeFunctionData({ abi: bridgeLockAbi, functionName: 'releaseIntent', args });
}

function numberOf({ id, originNonce }: Operation): bigint {
  if (originNonce === null) throw new Error(`Operation ${id} has no number of its origin contract`);
  return originNonce;
}
