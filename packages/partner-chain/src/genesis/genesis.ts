import { z } from 'zod';
import { WEI_PER_UNIT } from '../units/native-unit.js';

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
  .transform((text) => text.toLowerCase() as `0x${string}`);

/** An amount in wei, written as decimal or 0x-hex text; whole units of 8 decimals only. */
const weiAmount = z
  .string()
  .regex(/^(0x[0-9a-fA-F]{1,64}|\d{1,78})$/, 'must be an amount in wei, decimal or 0x-hex')
  .transform(BigInt)
  .refine((wei) => wei % WEI_PER_UNIT === 0n, `must be a multiple of ${WEI_PER_UNIT} wei, one unit inside the EVM`);

const hexData = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/, 'must be 0x-hex')
  .transform((text) => text as `0x${string}`);

/** What the chain begins with: a JSON file like Ethereum's genesis files. */
export const genesisSchema = z.strictObject({
  /** Seconds since 1970 of block 0. */
  timestamp: z.number().int().min(0).default(0),
  /** Address -> what it has in block 0. */
  alloc: z
    .record(
      address,
      z.strictObject({
        balance: weiAmount.default(0n),
        nonce: z.number().int().min(0).default(0),
        code: hexData.default('0x'),
      }),
    )
    .default({}),
});

/** A genesis as it is written: amounts as text, anything may be left out. */
export type GenesisInput = z.input<typeof genesisSchema>;
export type Genesis = z.output<typeof genesisSchema>;
