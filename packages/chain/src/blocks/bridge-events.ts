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

/** The configuration that decoding depends on. */
export interface EventContext {
  readonly book: AddressBook;
  readonly side: Side;
  readonly timing: TimingTerms;
}

/** The bridge contract cannot have emitted this event: the address book is wrong or the node lies. */
export class ImpossibleEventError extends Error {
  override readonly name = 'ImpossibleEventError';
}

/** The fee rates before an event, in basis points. */
export type FeeRates = Map<Asset, number>;

/** The part of a word above an address. */
const ADDRESS_PADDING = '0'.repeat(24);

/** The events of the bridge contracts that are read. `decodeBridgeEvent` handles each of them. */
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

/** Whether a log of BridgeMint begins a withdrawal: decoding it needs the fee rate. */
export function isWithdrawal({ topics: [topic] }: Pick<VerifiedLog, 'topics'>): boolean {
  return topic !== undefined && EVENTS.partner.get(topic)?.name === 'Withdraw';
}

/**
 * Decodes a log of the bridge contract of a side. A fee policy that it sets goes into `rates`.
 *
 * @returns null for an event that moves no money.
 * @throws ImpossibleEventError instead of skipping an event: a skipped deposit would be lost.
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
      throw new ImpossibleEventError(`The event ${event.name} is watched, but not decoded`);
  }
}

/** Arguments by name, as they are stored: integers in decimal, hex in lower case. */
type Arguments = BridgeEvent['args'];

/**
 * Reads the arguments of an event: one word each, since no event of the bridge has longer ones. The general decoder of
 * viem was 40 % of the time of catching up: it hashes the signature and checksums every address.
 *
 * @throws ImpossibleEventError when the words do not fit the event.
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
  throw new ImpossibleEventError(`An argument of the type ${type} is not decoded`);
}

/** An event that begins an operation. Its id must follow from its number. */
function beginning(id: Hex | undefined, opens: OperationTerms): Pick<BridgeEvent, 'operationId' | 'opens'> {
  if (id !== opens.id)
    throw new ImpossibleEventError(
      `The event has the id ${id}, but its number gives ${opens.id}: check ADDRESS_BOOK and the nodes`,
    );
  return { operationId: opens.id, opens };
}

/** The operations of the other contract whose numbers are opened. A word of the bitmap has 256 of them. */
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
    throw new ImpossibleEventError(`There is no fee policy of ${asset}: read it before decoding`);
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

/** The policy of a token that is not listed yet matters to no withdrawal. */
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

/** An argument that the event has. */
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
