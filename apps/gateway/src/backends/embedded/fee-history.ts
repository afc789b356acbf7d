import { setImmediate } from 'node:timers/promises';
import {
  BASE_FEE_PER_GAS,
  PartnerChainError,
  FEE_LEVELS,
  type PartnerChain,
  type ReceiptRecord,
} from '@causeway/partner-chain';
import { LRUCache } from 'lru-cache';
import type { Hex } from 'viem';
import { findBlockNumber, type BlockParam } from './block-handlers.js';
import { quantity } from './format-transactions.js';

/** The minimum price of blob gas (EIP-4844). No block has blobs, so it never rises. */
const BLOB_BASE_FEE = quantity(1);

/** Methods about prices. The suggested price is the standard level of the fee schedule. */
export function feeHandlers(chain: PartnerChain) {
  const readTips = tipReader(chain);
  return {
    eth_gasPrice: () => quantity(FEE_LEVELS.standard.gasPrice),
    eth_blobBaseFee: () => BLOB_BASE_FEE,
    eth_maxPriorityFeePerGas: () => quantity(FEE_LEVELS.standard.maxPriorityFeePerGas),
    eth_feeHistory: async (blockCount: Hex, newest: BlockParam, percentiles: readonly number[] = []) => {
      const last = findBlockNumber(chain, newest);
      if (last === null) throw new PartnerChainError('NOT_FOUND', 'the newest requested block does not exist');
      const count = Math.min(Number(blockCount), last + 1);
      const numbers = Array.from({ length: count }, (_, index) => last - count + 1 + index);
      const headers = numbers.map((blockNumber) => chain.reader.block(blockNumber)?.header);
      return {
        oldestBlock: quantity(last - count + 1),
        baseFeePerGas: Array.from({ length: count + 1 }, () => quantity(BASE_FEE_PER_GAS)),
        gasUsedRatio: headers.map((header) =>
          header === undefined ? 0 : Number(header.gasUsed) / Number(header.gasLimit),
        ),
        baseFeePerBlobGas: Array.from({ length: count + 1 }, () => BLOB_BASE_FEE),
        blobGasUsedRatio: numbers.map(() => 0),
        // Like geth, without percentiles there are no rewards.
        ...(percentiles.length === 0
          ? {}
          : { reward: (await readTips(numbers)).map((each) => computeRewards(each, percentiles).map(quantity)) }),
      };
    },
  };
}

/** Maximum cached distinct tips; each block counts as one more. */
const MAX_KEPT_TIPS = 100_000;
/** Time limit for one response. Blocks read by then stay cached, so that the next attempt continues from there. */
const MAX_READ_MS = 5_000;

/** Reads the tips of blocks through a cache: wallets ask for the same newest blocks repeatedly. */
function tipReader(chain: PartnerChain): (blockNumbers: readonly number[]) => Promise<(readonly TippedGas[])[]> {
  const kept = new LRUCache<number, readonly TippedGas[]>({
    maxSize: MAX_KEPT_TIPS,
    sizeCalculation: (tips) => 1 + tips.length,
  });
  return async (blockNumbers) => {
    const end = performance.now() + MAX_READ_MS;
    const result: (readonly TippedGas[])[] = [];
    for (const blockNumber of blockNumbers) {
      if (performance.now() > end)
        throw new PartnerChainError('UNAVAILABLE', 'these blocks are long; retry, or request fewer');
      let tips = kept.get(blockNumber);
      if (tips === undefined) {
        // Lets other work of this thread run first.
        await setImmediate();
        tips = listTips(chain.reader.receiptRecords(blockNumber));
        kept.set(blockNumber, tips);
      }
      result.push(tips);
    }
    return result;
  };
}

interface TippedGas {
  /** Wei per unit of gas. */
  readonly tip: bigint;
  readonly gas: number;
}

/** Lists the tips of a block's transactions, in rising order. */
export function listTips(receipts: readonly Pick<ReceiptRecord, 'effectiveGasPrice' | 'gasUsed'>[]): TippedGas[] {
  const gasByTip = new Map<bigint, number>();
  for (const { effectiveGasPrice, gasUsed } of receipts) {
    const tip = effectiveGasPrice - BASE_FEE_PER_GAS;
    gasByTip.set(tip, (gasByTip.get(tip) ?? 0) + Number(gasUsed));
  }
  return [...gasByTip].map(([tip, gas]) => ({ tip, gas })).toSorted((a, b) => Number(a.tip - b.tip));
}

/** Computes the tips at rising percentiles (0 … 100) of a block's gas, in wei per unit of gas. 0 for an empty block. */
export function computeRewards(tips: readonly TippedGas[], percentiles: readonly number[]): bigint[] {
  const total = tips.reduce((sum, { gas }) => sum + gas, 0);
  let index = 0;
  let gasUpTo = tips[0]?.gas ?? 0;
  return percentiles.map((percentile) => {
    const threshold = (total * percentile) / 100;
    while (gasUpTo < threshold && index < tips.length - 1) {
      index += 1;
      gasUpTo += tips[index]?.gas ?? 0;
    }
    return tips[index]?.tip ?? 0n;
  });
}
