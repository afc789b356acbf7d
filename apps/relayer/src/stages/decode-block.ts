import {
  decodeBridgeEvent,
  ImpossibleEventError,
  isWithdrawal,
  lower,
  type BlockContent,
  type EventContext,
  type FeeRates,
} from '@causeway/chain';
import { findAssetByToken, getCoin, type Asset, type BridgeEvent, type FeePolicy } from '@causeway/protocol';
import type { ScannedBlock, ScannedTransfer } from '@causeway/store';
import { toEventSelector, type Address, type Hex } from 'viem';
import { receiver, separateDust } from '../pipeline/arrivals.js';

export interface ScanContext extends EventContext {
  /** The fee policies before the blocks, for the rate of withdrawals. Null when the blocks contain no withdrawal. */
  readonly policies: Readonly<Record<Asset, Pick<FeePolicy, 'bps'>>> | null;
}

/** The ERC-20 event, with the fields from, to and value. */
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');

/** The first block with a withdrawal, whose fee rate is needed. Null when there is none. */
export function firstWithdrawal(blocks: readonly BlockContent[]): bigint | null {
  return blocks.find(({ logs }) => logs.some(isWithdrawal))?.number ?? null;
}

/**
 * Decodes the events of the bridge contract in consecutive blocks, and derives the operations that begin. A fee policy
 * set in a block applies from there on. Pure.
 *
 * @throws ImpossibleEventError instead of skipping an event: a skipped deposit would be lost.
 */
export function decodeBlocks(blocks: readonly BlockContent[], context: ScanContext): ScannedBlock[] {
  const rates: FeeRates = new Map(Object.entries(context.policies ?? {}).map(([asset, { bps }]) => [asset, bps]));
  return blocks.map((block) => ({
    number: block.number,
    hash: block.hash,
    timestamp: new Date(Number(block.timestampSeconds) * 1000),
    ...decodeContent(block, context, rates),
  }));
}

function decodeContent(
  block: BlockContent,
  context: ScanContext,
  rates: FeeRates,
): Pick<ScannedBlock, 'events' | 'transfers' | 'dust'> {
  const events = block.logs.flatMap((log) => decodeBridgeEvent(log, context, rates) ?? []);
  const arrivals = [...plainTransfers(block, context), ...tokenTransfers(block, events, context)];
  return { events, ...separateDust(arrivals) };
}

function plainTransfers({ transfers }: BlockContent, { side, book }: ScanContext): ScannedTransfer[] {
  const asset = getCoin(side);
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

/**
 * The transfers of tokens to a relayer wallet that belong to no burn, since each burn also transfers its tokens to it.
 */
function tokenTransfers(
  { logs }: BlockContent,
  events: readonly BridgeEvent[],
  { book, side }: ScanContext,
): ScannedTransfer[] {
  const burns = new Map<string, number>();
  for (const { name, txHash, args } of events) {
    if (name !== 'Withdraw') continue;
    const key = [txHash, args['token'], args['sender'], args['amount']].join(' ');
    burns.set(key, (burns.get(key) ?? 0) + 1);
  }
  return logs.flatMap((log) => {
    const [topic, from, to] = log.topics;
    if (topic !== TRANSFER || from === undefined || to === undefined) return [];
    const asset = findAssetByToken(book, side, log.address);
    if (asset === null) throw new ImpossibleEventError(`Token ${log.address} on ${side} is not in the address book`);
    const [payer, wallet, amount] = [addressIn(from), addressIn(to), BigInt(log.data)];
    const key = [log.transactionHash, lower(log.address), payer, amount].join(' ');
    const left = burns.get(key) ?? 0;
    if (left > 0) burns.set(key, left - 1);
    if (left > 0 || amount === 0n) return [];
    const { transactionHash: txHash, logIndex: callIndex } = log;
    return [{ txHash, asset, callIndex, payer, ...receiver(wallet, book), amount, memo: null }];
  });
}

function addressIn(word: Hex): Address {
  return lower(`0x${word.slice(-40)}`);
}
