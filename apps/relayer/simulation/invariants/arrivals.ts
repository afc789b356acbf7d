import { assetInfo, computeRefundId, getCoin, getToken, listAssets, type Asset, type Side } from '@causeway/protocol';
import { bridgedTokenAbi } from '@causeway/protocol/abi';
import { encodeEventTopics, type Address, type Hex } from 'viem';
import { BOOK } from '../bridge.ts';
import type { Mined, SimulatedBlock } from '../chain/blocks.ts';
import type { Message } from '../chain/evm.ts';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import { ENDING } from '../environment/people.ts';

/** An amount sent to the relayer wallet on the current branch, in atomic units. */
export interface Arrival {
  readonly side: Side;
  readonly asset: Asset;
  readonly block: SimulatedBlock;
  readonly txHash: Hex;
  /** The relayer's index: of the message, or of the log of a token. */
  readonly callIndex: number;
  readonly payer: Address;
  readonly amount: bigint;
  /** Whether transactions, logs or mirrors show it. On Ethereum the relayer reads no call tree. */
  readonly isVisible: boolean;
}

const [TRANSFER] = encodeEventTopics({ abi: bridgedTokenAbi, eventName: 'Transfer' });
const wallet = BOOK.relayer;

/** Reads everything that arrived at the wallet from the blocks themselves. */
export function readArrivals(chain: SimulatedChain, side: Side): Arrival[] {
  const arrivals: Arrival[] = [];
  for (let number = 1; number <= chain.head.number; number++) {
    const block = chain.blockAt(number);
    let logIndex = 0;
    for (const mined of block.mined) {
      // Returns of its own transactions' value do not count as arrivals.
      if (mined.succeeded && mined.transaction.from !== wallet)
        for (const arrival of [...coinIn(mined, side, chain.input.coinUnit), ...tokensIn(mined, side, logIndex)])
          arrivals.push({ side, block, txHash: mined.transaction.hash, ...arrival });
      logIndex += mined.logs.length;
    }
  }
  return arrivals;
}

/** The id of the refund that an arrival would get. */
export function getRefundId({ side, txHash, asset, callIndex }: Arrival): Hex {
  return computeRefundId({ chainId: BOOK[side].chainId, txHash, asset, callIndex });
}

/** Whether the bridge keeps an arrival without a refund. */
export function isDust({ asset, amount }: Arrival): boolean {
  return amount < assetInfo(asset).dust;
}

type Found = Pick<Arrival, 'asset' | 'callIndex' | 'payer' | 'amount' | 'isVisible'>;

function coinIn({ messages }: Mined, side: Side, coinUnit: bigint): Found[] {
  return standing(messages).flatMap(([{ from, to, value, depth }, callIndex]) => {
    const hasEnded = to === ENDING;
    if ((to !== wallet && !hasEnded) || value === 0n) return [];
    const isVisible = !hasEnded && (depth === 0 || side === 'partner');
    return [{ asset: getCoin(side), callIndex, payer: from, amount: value * coinUnit, isVisible }];
  });
}

/** The messages that neither failed nor are inside a failed one, with their indexes. */
function standing(messages: readonly Message[]): (readonly [Message, number])[] {
  let failedDepth = Infinity;
  return messages.flatMap((message, index) => {
    if (message.depth > failedDepth) return [];
    failedDepth = message.succeeded ? Infinity : message.depth;
    return message.succeeded ? [[message, index] as const] : [];
  });
}

/** Only a direct call of the token is a mistake; a burn goes through the bridge. */
function tokensIn({ transaction: { to }, logs }: Mined, side: Side, firstLogIndex: number): Found[] {
  const asset = listAssets().find((each) => each !== getCoin(side) && getToken(BOOK, side, each) === to);
  if (asset === undefined) return [];
  return logs.flatMap(({ topics: [topic, from, receiver], data }, index) => {
    if (topic !== TRANSFER || receiver?.slice(-40) !== wallet.slice(2)) return [];
    const payer: Address = `0x${from?.slice(-40) ?? ''}`;
    return [{ asset, callIndex: firstLogIndex + index, payer, amount: BigInt(data), isVisible: true }];
  });
}
