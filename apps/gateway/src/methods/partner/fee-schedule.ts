import { BASE_FEE_PER_GAS, FEE_LEVELS, GAS_REFERENCES, LAZY_ACCOUNT_GAS, type FeeLevel } from '@causeway/partner-chain';
import { z } from 'zod';
import type { Backend } from '../../backends/backend.js';
import { quantity, quantity64 } from '../../schemas/primitives.js';
import { request } from '../forward.js';

const level = z.strictObject({
  gasPrice: quantity.describe('Wei for a unit of gas, base fee included.'),
  maxPriorityFeePerGas: quantity.describe('Wei of it for the producer of the block.'),
  confirmationSeconds: z
    .strictObject({ min: z.number().nonnegative(), max: z.number().nonnegative() })
    .describe('When a transaction at this price is confirmed.'),
});

/** The result of partner_getFeeSchedule. */
export const feeSchedule = z
  .strictObject({
    baseFeePerGas: quantity.describe('Wei, of the latest block.'),
    levels: z.strictObject({ low: level, standard: level, fast: level, instant: level }),
    gasLimits: z
      .strictObject({
        simpleTransfer: quantity64,
        newAccountTransfer: quantity64,
        erc20Transfer: quantity64,
        contractDeploy: quantity64.describe('And above.'),
        complexInteraction: quantity64.describe('And above.'),
      })
      .describe('For orientation; ask eth_estimateGas for a transaction.'),
  })
  .meta({ id: 'FeeSchedule', title: 'fee schedule' });

const blockWithBaseFee = z.object({ baseFeePerGas: quantity.optional() });

/**
 * The specification's "Gas references", the gas of a new account on this chain, and the base fee of the latest block.
 */
export async function readFeeSchedule(backend: Backend): Promise<z.infer<typeof feeSchedule>> {
  const latest = await request(backend, blockWithBaseFee, 'eth_getBlockByNumber', ['latest', false]);
  const { low, standard, fast, instant } = FEE_LEVELS;
  return {
    baseFeePerGas: latest.baseFeePerGas ?? toHex(BASE_FEE_PER_GAS),
    levels: { low: toLevel(low), standard: toLevel(standard), fast: toLevel(fast), instant: toLevel(instant) },
    gasLimits: {
      simpleTransfer: toHex(GAS_REFERENCES.simpleTransfer),
      newAccountTransfer: toHex(GAS_REFERENCES.simpleTransfer + (backend.lazyAccountGas ?? LAZY_ACCOUNT_GAS)),
      erc20Transfer: toHex(GAS_REFERENCES.erc20Transfer),
      contractDeploy: toHex(GAS_REFERENCES.contractDeploy),
      complexInteraction: toHex(GAS_REFERENCES.complexInteraction),
    },
  };
}

function toLevel({ gasPrice, maxPriorityFeePerGas, confirmationSeconds }: FeeLevel): z.infer<typeof level> {
  return {
    gasPrice: toHex(gasPrice),
    maxPriorityFeePerGas: toHex(maxPriorityFeePerGas),
    confirmationSeconds: { min: confirmationSeconds.min, max: confirmationSeconds.max },
  };
}

function toHex(value: bigint): string {
  return `0x${value.toString(16)}`;
}
