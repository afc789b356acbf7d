import { z } from 'zod';
import { quantity64 } from '../../schemas/quantity-64.js';

/** The result of partner_getNetworkStats. */
export const networkStats = z
  .strictObject({
    blockNumber: quantity64,
    averageBlockTimeMs: z.number().nonnegative().describe('0 while there is one block only.'),
    transactionsPerSecond: z.number().nonnegative(),
    gasUsedRatio: z.number().min(0).max(1).describe('Gas used of the gas that the blocks had room for.'),
    pendingTransactions: quantity64.describe('Transactions in the pending block, as eth_getBlockByNumber shows it.'),
    window: z
      .strictObject({ fromBlock: quantity64, toBlock: quantity64 })
      .describe('The blocks the figures are of: the last 32 at most.'),
  })
  .meta({ id: 'NetworkStats', title: 'network statistics' });
