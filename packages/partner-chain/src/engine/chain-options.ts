import { z } from 'zod';
import { LAZY_ACCOUNT_GAS } from '../execution/lazy-account-gas.js';
import { genesisSchema } from '../genesis/genesis.js';
import { DEFAULT_POOL_LIMITS } from '../mempool/pool-limits.js';

/** How an embedded partner chain is set up. */
export const chainOptionsSchema = z.strictObject({
  /** Where the chain is kept; one process writes to it at a time. */
  dataDirectory: z.string().min(1),
  /** 8901 is the testnet's, 327 the mainnet's. */
  chainId: z.number().int().min(1).default(8901),
  /** What a new chain begins with; an existing one must have begun with the same. */
  genesis: genesisSchema.prefault({}),
  /** Milliseconds from block to block; 0 makes a block when there is something to put in it. */
  blockIntervalMs: z.number().int().min(0).max(3_600_000).default(2_000),
  /** The most gas in a block. */
  blockGasLimit: z.bigint().min(30_000n).default(60_000_000n),
  /** Milliseconds of execution after which a block is closed, full or not. */
  executionBudgetMs: z.number().int().min(1).default(1_500),
  /** Gas for each account that a transaction brings into being, over its ordinary gas. */
  lazyAccountGas: z.bigint().min(0n).default(LAZY_ACCOUNT_GAS),
  /** Confirmations after which those who use the chain, the bridge above all, take a block for final; its own block counts as the first. */
  confirmations: z.number().int().min(1).default(6),
  /** Who gets the fees: the one validator. */
  validator: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
    .transform((text) => text.toLowerCase() as `0x${string}`)
    .default('0x00000000000000000000000000000000000fee00'),
  pool: z
    .strictObject({
      transactions: z.number().int().min(1),
      bytes: z.number().int().min(1),
      perSender: z.number().int().min(1),
    })
    .default({ ...DEFAULT_POOL_LIMITS }),
});

/** Options as a caller gives them: only the directory must be there. */
export type ChainOptionsInput = z.input<typeof chainOptionsSchema>;
export type ChainOptions = z.output<typeof chainOptionsSchema>;
