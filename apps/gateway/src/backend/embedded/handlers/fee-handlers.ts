import { PartnerChainError, BASE_FEE_PER_GAS, FEE_LEVELS, type PartnerChain } from '@causeway/partner-chain';
import type { BlockParam } from '../block-param.js';
import { BlockTips } from '../block-tips.js';
import { findBlockNumber } from '../find-block.js';
import { quantity } from '../format/quantity.js';
import type { Handlers } from './handlers.js';
import { rewardsOf } from '../rewards-of.js';

/** Most blocks that one eth_feeHistory tells of, as geth's. */
const MOST_BLOCKS = 1_024;

/** Prices: the standard level of the fee schedule is what is suggested. */
export function feeHandlers(chain: PartnerChain): Handlers {
  const tips = new BlockTips(chain);
  return {
    eth_gasPrice: () => quantity(FEE_LEVELS.standard.gasPrice),
    eth_maxPriorityFeePerGas: () => quantity(FEE_LEVELS.standard.maxPriorityFeePerGas),
    eth_feeHistory: async (blockCount: `0x${string}`, newest: BlockParam, percentiles: readonly number[] = []) => {
      const last = findBlockNumber(chain, newest);
      if (last === null) throw new PartnerChainError('NOT_FOUND', 'the newest block asked for is not there');
      const asked = Number(BigInt.asUintN(53, BigInt(blockCount)));
      const count = Math.min(asked, MOST_BLOCKS, last + 1);
      const numbers = Array.from({ length: count }, (_, index) => last - count + 1 + index);
      const headers = numbers.map((blockNumber) => chain.reader.block(blockNumber)?.header);
      return {
        oldestBlock: quantity(last - count + 1),
        baseFeePerGas: Array.from({ length: count + 1 }, () => quantity(BASE_FEE_PER_GAS)),
        gasUsedRatio: headers.map((header) =>
          header === undefined ? 0 : Number(header.gasUsed) / Number(header.gasLimit),
        ),
        // As with geth there are no rewards where none are asked for.
        ...(percentiles.length === 0
          ? {}
          : { reward: (await tips.of(numbers)).map((each) => rewardsOf(each, percentiles).map(quantity)) }),
      };
    },
  };
}
