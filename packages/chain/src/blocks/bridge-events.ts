import {
  findAssetByToken,
  estimateSeconds,
  operationId,
  type AddressBook,
  type Asset,
  type BridgeEvent,
  type OperationTerms,
  type Side,
  type TimingTerms,
} from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { numberToHex, toEventSelector, type Abi, type AbiEvent, type Address, type Hex } from 'viem';
import type { VerifiedLog } from './verified-block.js';

/** Configuration for decoding. */
export interface EventContext {
  readonly book: AddressBook;
  readonly side: Side;
  readonly timing: TimingTerms;
}

/** An event that the bridge contract cannot emit: the address book is wrong or the node lies. */
export class ImpossibleEventError extends Error {
  override readonly name = 'ImpossibleEventError';
}

/** Fee rates in force before an event, in basis points. */
export type FeeRates = Map<Asset, number>;

/** The 12 zero bytes that pad an address to a word. */
const ADDRESS_PADDING = '0'.repeat(24);

/** Events of the bridge contracts to read. `decodeBridgeEvent` handles each of them. */
const WATCHED = {
  ethereum: ['Deposit', 'Release', 'Credited', 'Reopened', 'IdReopened'],
  partner: ['Withdraw', 'Mint', 'Credited', 'Refunded', 'Reopened', 'IdReopened', 'FeePolicySet'],
} as const;

const ABI: Readonly<Record<Side, Abi>> = { ethereum: bridgeLockAbi, partner: bridgeMintAbi };

/** The watched events of a side's contract, by their first topic. */
export function watchedEvents(side: Side): ReadonlyMap<Hex, AbiEvent> {
  const names: readonly string[] = WATCHED[side];
  return new Map(
    ABI[side].flatMap((item) =>
      item.type === 'event' && names.includes(item.name) ? [[toEventSelector(item), item] as const] : [],
    ),
  );
}

const EVENTS = { ethereum: watchedEvents('ethereum'), partner: watchedEvents('partner') };

/** Returns whether a log of BridgeMint begins a withdrawal, whose decoding needs the fee rate. */
export function isWithdrawal({ topics: [topic] }: Pick<VerifiedLog, 'topics'>): boolean {
  return topic !== undefined && EVENTS.partner.get(topic)?.name === 'Withdraw';
}

/**
 * Decodes a log of the bridge contract of a side. A FeePolicySet event updates `rates`.
 *
 * @returns null for an event that moves no money.
 * @throws ImpossibleEventError instead of skipping an event, because a skipped deposit would be lost.
 */
export function decodeBridgeEvent(log: VerifiedLog, context: EventContext, rates: FeeRates): BridgeEvent | null {
  const [topic] = log.topics;
  const event = topic === undefined ? undefined : EVENTS[context.side].get(topic);
  if (event === undefined) return null;
  const args = decodeArguments(event, log);
  const where = { txHash: log.transactionHash, logIndex: log.logIndex, args };
  const { depositId, withdrawId, refundId, id } = args as Readonly<Record<string, Hex>>;
  switch (event.name) {
    case 'Deposit':
      return { ...where, name: 'Deposit', ...beginning(depositId, depositTerms(args, context)) };
    case 'Withdraw':
      return { ...where, name: 'Withdraw', ...beginning(withdrawId, withdrawalTerms(args, context, rates)) };
    case 'Mint':
      return { ...where, name: 'Mint', operationId: existing(depositId) };
    case 'Release':
      return { ...where, name: 'Release', operationId: existing(withdrawId) };
    case 'Credited':
      return { ...where, name: 'Credited', operationId: existing(id) };
    case 'Refunded':
      return { ...where, name: 'Refunded', operationId: existing(refundId) };
    case 'Reopened':
      return { ...where, name: 'Reopened', ...reopenedNumbers(args, context) };
    case 'IdReopened':
      return { ...where, name: 'IdReopened', operationId: existing(id), reopens: [existing(id)] };
    case 'FeePolicySet':
      noteRate(rates, findAssetByToken(context.book, 'partner', readAddress(args, 'token')), Number(args['bps']));
      return null;
    default:
      throw new ImpossibleEventError(`No decoder for the watched event ${event.name}: add it to decodeBridgeEvent`);
  }
}

/** Arguments by name, in stored form: integers in decimal, hex in lower case. */
type Arguments = BridgeEvent['args'];

/**
 * Decodes the arguments of an event, one word each: no event of the bridge has longer arguments. The general decoder of
 * viem would take 40 % of the time of catching up, because it hashes the signature and checksums every address.
 *
 * @throws ImpossibleEventError if the words do not match the event.
 */
export function decodeArguments({ name, inputs }: AbiEvent, { topics, data }: VerifiedLog): Arguments {
  const words = data.slice(2).match(/.{1,64}/g) ?? [];
  const indexed = topics.slice(1).map((topic) => topic.slice(2));
  const args = inputs.map((input): [string, string] => {
    const word = input.indexed === true ? indexed.shift() : words.shift();
    if (word === undefined || word.length !== 64)
      throw new ImpossibleEventError(`${name} has no word for ${input.name}: check ADDRESS_BOOK and the nodes`);
    return [input.name ?? '', valueOf(word, input.type)];
  });
  if (indexed.length + words.length > 0)
    throw new ImpossibleEventError(`${name} has more words than arguments: check ADDRESS_BOOK and the nodes`);
  return Object.fromEntries(args);
}

function valueOf(word: string, type: string): string {
  if (type === 'bytes32') return `0x${word}`;
  if (type === 'address') {
    if (!word.startsWith(ADDRESS_PADDING)) throw new ImpossibleEventError(`0x${word} is not an address`);
    return `0x${word.slice(ADDRESS_PADDING.length)}`;
  }
  if (/^uint\d+$/.test(type)) return BigInt(`0x${word}`).toString();
  throw new ImpossibleEventError(`Cannot decode an argument of type ${type}`);
}

/** Fields of an event that begins an operation. The id must follow from the number. */
function beginning(id: Hex | undefined, opens: OperationTerms): Pick<BridgeEvent, 'operationId' | 'opens'> {
  if (id !== opens.id)
    throw new ImpossibleEventError(
      `The event has id ${id}, but its number gives ${opens.id}: check ADDRESS_BOOK and the nodes`,
    );
  return { operationId: opens.id, opens };
}

/** Finds the other contract's operations whose numbers were reopened. A word of the bitmap holds 256 numbers. */
function reopenedNumbers(args: Arguments, { book, side }: EventContext): Pick<BridgeEvent, 'operationId' | 'reopens'> {
  const { ethereum, partner } = book;
  const [chainId, contract] =
    side === 'ethereum' ? [partner.chainId, partner.bridgeMint] : [ethereum.chainId, ethereum.bridgeLock];
  const [word, mask] = [readInteger(args, 'word'), readInteger(args, 'mask')];
  const numbers = Array.from({ length: 256 }, (_, bit) => bit).filter((bit) => ((mask >> BigInt(bit)) & 1n) === 1n);
  const reopens = numbers.map((bit) => operationId(chainId, contract, (word << 8n) | BigInt(bit)));
  return { operationId: numberToHex(word, { size: 32 }), reopens };
}

function depositTerms(args: Arguments, { book, timing }: EventContext): OperationTerms {
  const { chainId, bridgeLock } = book.ethereum;
  const [originNonce, amount] = [readInteger(args, 'nonce'), readInteger(args, 'amount')];
  return {
    id: operationId(chainId, bridgeLock, originNonce),
    kind: 'DEPOSIT',
    direction: 'ETHEREUM_TO_PARTNER',
    asset: knownAsset(book, 'ethereum', readAddress(args, 'token')),
    amount,
    fee: 0n,
    feeBps: 0,
    outputAmount: amount,
    sender: readAddress(args, 'sender'),
    recipient: readAddress(args, 'recipient'),
    originChainId: chainId,
    destinationChainId: book.partner.chainId,
    originNonce,
    requiredConfirmations: timing.ethereumConfirmations,
    estimatedSeconds: estimateSeconds('ETHEREUM_TO_PARTNER', timing),
  };
}

function withdrawalTerms(args: Arguments, { book, timing }: EventContext, rates: FeeRates): OperationTerms {
  const { chainId, bridgeMint } = book.partner;
  const asset = knownAsset(book, 'partner', readAddress(args, 'token'));
  const feeBps = rates.get(asset);
  if (feeBps === undefined)
    throw new ImpossibleEventError(`The fee policy of ${asset} is unknown: read it before decoding`);
  const [originNonce, amount, fee] = [
    readInteger(args, 'nonce'),
    readInteger(args, 'amount'),
    readInteger(args, 'fee'),
  ];
  return {
    id: operationId(chainId, bridgeMint, originNonce),
    kind: asset === 'XCN' ? 'NATIVE_WITHDRAWAL' : 'BURN',
    direction: 'PARTNER_TO_ETHEREUM',
    asset,
    amount,
    fee,
    feeBps,
    outputAmount: amount - fee,
    sender: readAddress(args, 'sender'),
    recipient: readAddress(args, 'destination'),
    originChainId: chainId,
    destinationChainId: book.ethereum.chainId,
    originNonce,
    requiredConfirmations: timing.partnerConfirmations,
    estimatedSeconds: estimateSeconds('PARTNER_TO_ETHEREUM', timing),
  };
}

/** Ignores the policy of an unlisted token, which no withdrawal can use. */
function noteRate(rates: FeeRates, asset: Asset | null, bps: number): void {
  if (asset !== null) rates.set(asset, bps);
}

function knownAsset(book: AddressBook, side: Side, token: Address): Asset {
  const asset = findAssetByToken(book, side, token);
  if (asset === null)
    throw new ImpossibleEventError(
      `Token ${token} on ${side} is not in the address book: list it, or check ADDRESS_BOOK`,
    );
  return asset;
}

/** Returns an argument that the event must have. */
function existing<T extends string>(value: T | undefined): T {
  if (value === undefined) throw new ImpossibleEventError('An event lacks an argument: check the ABI');
  return value;
}

function readInteger(args: Arguments, name: string): bigint {
  return BigInt(existing(args[name]));
}

function readAddress(args: Arguments, name: string): Address {
  return existing(args[name]) as Address;
}
