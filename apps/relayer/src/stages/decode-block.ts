import type { BlockContent, VerifiedLog } from '@causeway/chain';
import { ASSETS, assetOfToken, operationId, type AddressBook, type Asset, type FeePolicy } from '@causeway/protocol';
import type { OperationTerms, ScannedBlock, ScannedEvent, ScannedTransfer } from '@causeway/store';
import { toEventSelector, type AbiEvent, type Address, type Hex } from 'viem';
import { watchedEvents } from '../pipeline/chain-reading.js';
import { receiver, separateDust } from '../pipeline/arrivals.js';

/** The configuration and the on-chain state that decoding depends on. */
export interface ScanContext {
  readonly book: AddressBook;
  readonly side: 'ethereum' | 'partner';
  readonly ethereumConfirmations: number;
  readonly partnerConfirmations: number;
  /** Before the blocks, for the rate of withdrawals. Null when no withdrawal is among them. */
  readonly policies: Readonly<Record<Asset, Pick<FeePolicy, 'bps'>>> | null;
}

/** The bridge contract cannot have emitted this event: the address book is wrong or the node lies. */
export class ImpossibleEventError extends Error {
  override readonly name = 'ImpossibleEventError';
}

/** The fee rates while blocks are decoded, in basis points. */
type Rates = Map<Asset, number>;

/** The part of a word above an address. */
const ADDRESS_PADDING = '0'.repeat(24);

/** Of ERC-20: from, to and value. */
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');

const EVENTS = { ethereum: watchedEvents('ethereum'), partner: watchedEvents('partner') };

/** The first block with a withdrawal: its rate is needed. Null when there is none. */
export function firstWithdrawal(blocks: readonly BlockContent[]): bigint | null {
  const isWithdrawal = ({ topics: [topic] }: VerifiedLog) =>
    topic !== undefined && EVENTS.partner.get(topic)?.name === 'Withdraw';
  return blocks.find(({ logs }) => logs.some(isWithdrawal))?.number ?? null;
}

/**
 * Decodes the events of the bridge contract in consecutive blocks and derives the operations that begin. A fee policy
 * that is set among them holds from there on. Pure.
 *
 * @throws ImpossibleEventError instead of skipping an event: a skipped deposit would be lost.
 */
export function decodeBlocks(blocks: readonly BlockContent[], context: ScanContext): ScannedBlock[] {
  const rates: Rates = new Map();
  for (const asset of ASSETS) if (context.policies !== null) rates.set(asset, context.policies[asset].bps);
  return blocks.map((block) => ({
    number: block.number,
    hash: block.hash,
    timestamp: new Date(Number(block.timestampSeconds) * 1000),
    events: block.logs.flatMap((log) => decodeEvent(log, context, rates) ?? []),
    ...separateDust([...plainTransfers(block, context), ...tokenTransfers(block, context)]),
  }));
}

function plainTransfers({ transfers }: BlockContent, { side, book }: ScanContext): ScannedTransfer[] {
  const asset = side === 'partner' ? 'XCN' : 'ETH';
  return transfers.map(({ transactionHash, from, to, value, memo }) => ({
    txHash: transactionHash,
    asset,
    callIndex: 0,
    payer: lower(from),
    ...receiver(lower(to), book),
    amount: value,
    memo,
  }));
}

/** The transfers of tokens to a relayer wallet that belong to no burn. Each burn hands its tokens to the wallet. */
function tokenTransfers({ logs }: BlockContent, context: ScanContext): ScannedTransfer[] {
  const burns = new Map<string, number>();
  for (const log of logs) {
    const event = EVENTS[context.side].get(log.topics[0] ?? '0x');
    if (event?.name !== 'Withdraw') continue;
    const args = argumentsOf(event, log);
    const key = [log.transactionHash, args['token'], args['sender'], args['amount']].join(' ');
    burns.set(key, (burns.get(key) ?? 0) + 1);
  }
  return logs.flatMap((log) => {
    const [topic, from, to] = log.topics;
    if (topic !== TRANSFER || from === undefined || to === undefined) return [];
    const asset = knownAsset(context.book, context.side, log.address);
    const payer = valueOf(from.slice(2), 'address') as Address;
    const amount = BigInt(log.data);
    const key = [log.transactionHash, log.address, payer, amount].join(' ');
    const left = burns.get(key) ?? 0;
    if (left > 0) burns.set(key, left - 1);
    if (left > 0 || amount === 0n) return [];
    const wallet = valueOf(to.slice(2), 'address') as Address;
    const { transactionHash: txHash, logIndex: callIndex } = log;
    return [{ txHash, asset, callIndex, payer, ...receiver(wallet, context.book), amount, memo: null }];
  });
}

function decodeEvent(log: VerifiedLog, context: ScanContext, rates: Rates): ScannedEvent | null {
  const [topic] = log.topics;
  const event = topic === undefined ? undefined : EVENTS[context.side].get(topic);
  if (event === undefined) return null;
  const args = argumentsOf(event, log);
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
    case 'FeePolicySet':
      noteRate(rates, assetOfToken(context.book, 'partner', addressOf(args, 'token')), Number(args['bps']));
      return null;
    default:
      throw new ImpossibleEventError(`The event ${event.name} is watched, but not decoded`);
  }
}

/** Arguments by name, as they are stored: integers in decimal, hex in lower case. */
type Arguments = ScannedEvent['args'];

/**
 * Reads the arguments of an event: one word each, since no event of the bridge has longer ones. The general decoder of
 * viem was 40 % of the time of catching up: it hashes the signature and checksums every address.
 *
 * @throws ImpossibleEventError when the words do not fit the event.
 */
export function argumentsOf({ name, inputs }: AbiEvent, { topics, data }: VerifiedLog): Arguments {
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
function beginning(id: Hex | undefined, opens: OperationTerms): Pick<ScannedEvent, 'operationId' | 'opens'> {
  if (id !== opens.id)
    throw new ImpossibleEventError(
      `The event has the id ${id}, but its number gives ${opens.id}: check ADDRESS_BOOK and the nodes`,
    );
  return { operationId: opens.id, opens };
}

function depositTerms(args: Arguments, { book, ethereumConfirmations }: ScanContext): OperationTerms {
  const { chainId, bridgeLock } = book.ethereum;
  const [originNonce, amount] = [integerOf(args, 'nonce'), integerOf(args, 'amount')];
  return {
    id: operationId(chainId, bridgeLock, originNonce),
    kind: 'DEPOSIT',
    direction: 'ETHEREUM_TO_PARTNER',
    asset: knownAsset(book, 'ethereum', addressOf(args, 'token')),
    amount,
    fee: 0n,
    feeBps: 0,
    outputAmount: amount,
    sender: addressOf(args, 'sender'),
    recipient: addressOf(args, 'recipient'),
    originChainId: chainId,
    destinationChainId: book.partner.chainId,
    originNonce,
    requiredConfirmations: ethereumConfirmations,
  };
}

function withdrawalTerms(args: Arguments, { book, partnerConfirmations }: ScanContext, rates: Rates): OperationTerms {
  const { chainId, bridgeMint } = book.partner;
  const asset = knownAsset(book, 'partner', addressOf(args, 'token'));
  const feeBps = rates.get(asset);
  if (feeBps === undefined)
    throw new ImpossibleEventError(`There is no fee policy of ${asset}: read it before decoding`);
  const [originNonce, amount, fee] = [integerOf(args, 'nonce'), integerOf(args, 'amount'), integerOf(args, 'fee')];
  return {
    id: operationId(chainId, bridgeMint, originNonce),
    kind: asset === 'XCN' ? 'NATIVE_WITHDRAWAL' : 'BURN',
    direction: 'PARTNER_TO_ETHEREUM',
    asset,
    amount,
    fee,
    feeBps,
    outputAmount: amount - fee,
    sender: addressOf(args, 'sender'),
    recipient: addressOf(args, 'destination'),
    originChainId: chainId,
    destinationChainId: book.ethereum.chainId,
    originNonce,
    requiredConfirmations: partnerConfirmations,
  };
}

/** The policy of a token that is not listed yet matters to no withdrawal. */
function noteRate(rates: Rates, asset: Asset | null, bps: number): void {
  if (asset !== null) rates.set(asset, bps);
}

function knownAsset(book: AddressBook, side: 'ethereum' | 'partner', token: Address): Asset {
  const asset = assetOfToken(book, side, token);
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

function integerOf(args: Arguments, name: string): bigint {
  return BigInt(existing(args[name]));
}

function addressOf(args: Arguments, name: string): Address {
  return existing(args[name]) as Address;
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address;
}
