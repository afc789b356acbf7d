import {
  decodeFunctionData,
  encodeAbiParameters,
  getAbiItem,
  isAddressEqual,
  keccak256,
  zeroAddress,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import { listAssets, type Asset } from '@causeway/contracts/assets';
import { getToken, type AddressBook } from '@causeway/contracts/address-book';
import type { ChainName } from '@causeway/contracts/deploy';
import { contractOn, otherChain, PlanRefusedError, type CalledContract } from '../calls/calls.js';
import { readRanges, type Report } from './ranges.js';

// The operations that began on one chain, and their deliveries on the other.

/** Amounts in atomic units. `amount` excludes the fee. */
interface Terms {
  readonly asset: Asset;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly fee: bigint;
}

/** An operation with the terms of its origin. */
export interface Operation extends Terms {
  readonly id: Hex;
  readonly number: bigint;
}

/** A delivery or a refund, with the terms of its event. */
export interface Payment extends Terms {
  readonly kind: 'delivery' | 'refund';
  /** The id of the operation, intent or refund. */
  readonly id: Hex;
  /** The relayer at that time. */
  readonly wallet: Address;
  readonly blockNumber: bigint;
  readonly transactionHash: Hex;
}

/** Payments and reopenings of a contract, in the order of the chain. */
export type Step =
  | Payment
  | { readonly kind: 'reopened'; readonly word: bigint; readonly mask: bigint }
  | { readonly kind: 'id reopened'; readonly id: Hex };

const BEGINNINGS = [
  getAbiItem({ abi: bridgeLockAbi, name: 'Deposit' }),
  getAbiItem({ abi: bridgeMintAbi, name: 'Withdraw' }),
] as const;
const STEPS = [
  getAbiItem({ abi: bridgeLockAbi, name: 'Release' }),
  getAbiItem({ abi: bridgeMintAbi, name: 'Mint' }),
  getAbiItem({ abi: bridgeMintAbi, name: 'Refunded' }),
  getAbiItem({ abi: bridgeLockAbi, name: 'Reopened' }),
  getAbiItem({ abi: bridgeLockAbi, name: 'IdReopened' }),
  getAbiItem({ abi: bridgeLockAbi, name: 'RelayerChanged' }),
] as const;
const CALLS = [
  getAbiItem({ abi: bridgeLockAbi, name: 'release' }),
  getAbiItem({ abi: bridgeLockAbi, name: 'releaseNative' }),
  getAbiItem({ abi: bridgeLockAbi, name: 'releaseMany' }),
  getAbiItem({ abi: bridgeLockAbi, name: 'releaseIntent' }),
  getAbiItem({ abi: bridgeMintAbi, name: 'mint' }),
  getAbiItem({ abi: bridgeMintAbi, name: 'mintMany' }),
] as const;
/** Transactions per batch of requests. */
const TOGETHER = 20;

/**
 * Reads all operations that began on a chain.
 *
 * @throws PlanRefusedError when the node does not return all of them: their numbers have no gaps.
 */
export async function readOperations(
  client: PublicClient,
  book: AddressBook,
  origin: ChainName,
  report?: Report,
): Promise<readonly Operation[]> {
  const { bridge: address } = contractOn(book, origin);
  const begun =
    origin === 'ethereum'
      ? await client.readContract({ address, abi: bridgeLockAbi, functionName: 'depositNonce' })
      : await client.readContract({ address, abi: bridgeMintAbi, functionName: 'withdrawNonce' });
  const logs = await readRanges(
    client,
    book,
    origin,
    async (range) => client.getLogs({ address, events: BEGINNINGS, strict: true, ...range }),
    report,
  );
  const operations = logs.map(({ eventName, args }) => {
    const { token, amount, nonce: number } = args;
    const asset = getAsset(book, origin, token);
    if (eventName === 'Deposit')
      return { id: args.depositId, number, asset, recipient: args.recipient, amount, fee: 0n };
    const { withdrawId: id, destination: recipient, fee } = args;
    return { id, number, asset, recipient, amount: amount - fee, fee };
  });
  if (BigInt(operations.length) < begun) {
    throw new PlanRefusedError(
      `The node of ${origin} shows ${operations.length} of the ${begun} operations that began there: use another node`,
    );
  }
  return operations;
}

/** Reads all payments and reopenings of the contract of a chain. */
export async function readSteps(
  client: PublicClient,
  book: AddressBook,
  chain: ChainName,
  report: Report,
): Promise<readonly Step[]> {
  const { bridge: address } = contractOn(book, chain);
  const logs = await readRanges(
    client,
    book,
    chain,
    async (range) => client.getLogs({ address, events: STEPS, strict: true, ...range }),
    report,
  );
  const steps: Step[] = [];
  let wallet: Address = zeroAddress;
  for (const { eventName, args, blockNumber, transactionHash } of logs) {
    if (eventName === 'RelayerChanged') wallet = args.current;
    else if (eventName === 'Reopened') steps.push({ kind: 'reopened', word: args.word, mask: args.mask });
    else if (eventName === 'IdReopened') steps.push({ kind: 'id reopened', id: args.id });
    else {
      const { token, recipient, amount } = args;
      const paid = { asset: getAsset(book, chain, token), recipient, amount, wallet, blockNumber, transactionHash };
      if (eventName === 'Refunded') steps.push({ kind: 'refund', id: args.refundId, fee: 0n, ...paid });
      else if (eventName === 'Mint') steps.push({ kind: 'delivery', id: args.depositId, fee: 0n, ...paid });
      else steps.push({ kind: 'delivery', id: args.withdrawId, fee: args.fee, ...paid });
    }
  }
  return steps;
}

/** The numbers of deliveries, by id. `unnumbered`: deliveries whose number was not found, without intents. */
export interface Numbers {
  readonly known: ReadonlyMap<Hex, bigint>;
  readonly unnumbered: readonly Payment[];
}

/** Finds the numbers of deliveries without an operation, in the call data of their transactions. */
export async function readNumbers(
  client: PublicClient,
  book: AddressBook,
  chain: ChainName,
  deliveries: readonly Payment[],
): Promise<Numbers> {
  const contract = contractOn(book, chain);
  const origin = contractOn(book, otherChain(chain));
  const hashes = [...new Set(deliveries.map(({ transactionHash }) => transactionHash))];
  const known = new Map<Hex, bigint>();
  const ofIntents = new Set<Hex>();
  for (let first = 0; first < hashes.length; first += TOGETHER) {
    const together = hashes.slice(first, first + TOGETHER);
    const transactions = await Promise.all(together.map(async (hash) => client.getTransaction({ hash })));
    for (const { hash, to, input } of transactions) {
      // A thief's wallet may be a contract, with arbitrary call data.
      const numbers = to !== null && isAddressEqual(to, contract.bridge) ? listNumbers(input) : [];
      if (numbers === 'intent') ofIntents.add(hash);
      else for (const number of numbers) known.set(operationId(origin, number), number);
    }
  }
  const unnumbered = deliveries.filter(({ id, transactionHash }) => !known.has(id) && !ofIntents.has(transactionHash));
  return { known, unnumbered };
}

/** A number that a false delivery used up. `operation` is undefined when there is none with this number. */
export interface UsedUp {
  readonly number: bigint;
  readonly payment: Payment;
  readonly operation: Operation | undefined;
}

/**
 * The numbers that a delivery with other terms than the operation's, or without an operation, has used up, and how
 * often each word was reopened. Excludes numbers that were ever delivered with their own terms.
 */
export function findUsedUp(
  steps: readonly Step[],
  operations: ReadonlyMap<Hex, Operation>,
  numbers: ReadonlyMap<Hex, bigint>,
): { readonly usedUp: readonly UsedUp[]; readonly counts: ReadonlyMap<bigint, bigint> } {
  const standing = new Map<bigint, UsedUp>();
  const settled = new Set<bigint>();
  const counts = new Map<bigint, bigint>();
  for (const step of steps) {
    if (step.kind === 'reopened') {
      counts.set(step.word, (counts.get(step.word) ?? 0n) + 1n);
      for (const number of standing.keys()) if (isIn(number, step)) standing.delete(number);
    } else if (step.kind === 'delivery') {
      const operation = operations.get(step.id);
      const number = operation?.number ?? numbers.get(step.id);
      if (number === undefined) continue;
      if (operation !== undefined && hasTerms(step, operation)) settled.add(number);
      else standing.set(number, { number, payment: step, operation });
    }
  }
  return { usedUp: [...standing.values()].filter(({ number }) => !settled.has(number)), counts };
}

/** Whether the other chain delivered an origin's operation with this number. */
export async function isDelivered(
  client: PublicClient,
  book: AddressBook,
  origin: ChainName,
  nonce: bigint,
): Promise<boolean> {
  const { bridge: address } = contractOn(book, otherChain(origin));
  return origin === 'ethereum'
    ? client.readContract({ address, abi: bridgeMintAbi, functionName: 'isMinted', args: [nonce] })
    : client.readContract({ address, abi: bridgeLockAbi, functionName: 'isReleased', args: [nonce] });
}

function hasTerms(payment: Terms, owed: Terms): boolean {
  return (
    payment.asset === owed.asset &&
    isAddressEqual(payment.recipient, owed.recipient) &&
    payment.amount === owed.amount &&
    payment.fee === owed.fee
  );
}

function isIn(number: bigint, { word, mask }: { readonly word: bigint; readonly mask: bigint }): boolean {
  return number >> 8n === word && (mask & (1n << (number & 0xffn))) !== 0n;
}

function listNumbers(data: Hex): readonly bigint[] | 'intent' {
  const call = decodeFunctionData({ abi: CALLS, data });
  if (call.functionName === 'releaseIntent') return 'intent';
  if (call.functionName === 'releaseMany') return call.args[0].map(({ withdrawNonce }) => withdrawNonce);
  if (call.functionName === 'mintMany') return call.args[0].map(({ depositNonce }) => depositNonce);
  return [call.args[0]];
}

/** keccak256(abi.encode(origin chain id, origin contract, number)), as the destination derives it. */
function operationId({ chainId, bridge }: CalledContract, number: bigint): Hex {
  const types = [{ type: 'uint256' }, { type: 'address' }, { type: 'uint256' }] as const;
  return keccak256(encodeAbiParameters(types, [BigInt(chainId), bridge, number]));
}

function getAsset(book: AddressBook, chain: ChainName, token: Address): Asset {
  const asset = listAssets().find((one) => isAddressEqual(getToken(book, chain, one), token));
  if (asset === undefined)
    throw new PlanRefusedError(`The address book has no asset with the token ${token} on ${chain}`);
  return asset;
}
