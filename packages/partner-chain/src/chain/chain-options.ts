import { z } from 'zod';
import { genesisSchema } from '../blocks/genesis.js';
import { LAZY_ACCOUNT_GAS } from '../evm/fees.js';
import { DEFAULT_POOL_LIMITS } from '../mempool/mempool.js';

/** The options of an embedded partner chain. */
export const chainOptionsSchema = z.strictObject({
  /** The chain's directory; one process writes to it at a time. */
  dataDirectory: z.string().min(1),
  /** 8901 is the testnet's, 327 the mainnet's. At most 2^53 - 1. */
  chainId: z.number().int().min(1).default(8901),
  /** The initial state of a new chain. An existing chain must have the same genesis. */
  genesis: genesisSchema.prefault({}),
  /** Milliseconds between blocks; 0 makes a block whenever a transaction can be mined. */
  blockIntervalMs: z.number().int().min(0).max(3_600_000).default(2_000),
  /** Gas limit of a block. */
  blockGasLimit: z.bigint().min(30_000n).default(60_000_000n),
  /** Milliseconds of execution after which a block is closed, full or not. */
  executionBudgetMs: z.number().int().min(1).default(1_500),
  /** Gas for each account that a transaction creates lazily, in addition to its ordinary gas. */
  lazyAccountGas: z.bigint().min(0n).default(LAZY_ACCOUNT_GAS),
  /** Confirmations that make a block final for users of the chain; the block itself is the first. */
  confirmations: z.number().int().min(1).default(6),
  /** Maximum milliseconds that the newest block of an existing chain can be in the future; null for no limit. */
  clockToleranceMs: z.number().int().min(0).nullable().default(30_000),
  /** The only validator, which receives the fees. */
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

/** Options before parsing: only the directory is required. */
export type ChainOptionsInput = z.input<typeof chainOptionsSchema>;
export type ChainOptions = z.output<typeof chainOptionsSchema>;
