import type { Address } from 'viem';
import { z } from 'zod';

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')
  .transform((text) => text.toLowerCase() as Address);

/** The addresses of the contracts of one environment. */
export const addressBookSchema = z.object({
  environment: z.enum(['local', 'testnet', 'mainnet']),
  ethereum: z.object({
    chainId: z.int().positive(),
    bridgeLock: address,
    tokens: z.object({ USDC: address, XCN: address }),
    /** Block of the deployment: scanning the chain starts here. */
    deployedAtBlock: z.int().nonnegative(),
  }),
  partner: z.object({
    chainId: z.int().positive(),
    bridgeMint: address,
    tokens: z.object({ ETH: address, USDC: address }),
    deployedAtBlock: z.int().nonnegative(),
    /** 18-decimal units of XCN in one unit of the partner EVM's msg.value. */
    nativeUnit: z.string().regex(/^[1-9]\d*$/),
  }),
  relayer: address,
});

/** The addresses of the contracts of one environment, in lower case. */
export type AddressBook = z.output<typeof addressBookSchema>;
