import { z } from 'zod';

const units = z.string().regex(/^\d+$/).transform(BigInt);
const address = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)]);

// What the contracts keep: 12 significant digits below 2^96, and 24 bits of seconds.
const outflow = z.object({
  /** Atomic units that may leave at once. */
  capacity: units
    .refine((capacity) => capacity < 2n ** 96n, 'must be below 2^96')
    .refine((capacity) => /^\d{1,12}0*$/.test(capacity.toString()), 'must not have more than 12 significant digits'),
  /** Seconds in which that refills. */
  windowSeconds: z
    .int()
    .positive()
    .max(2 ** 24 - 1),
});

const policy = z
  .object({ bps: z.int().min(0).max(9_999), minFee: units, minAmount: units })
  .refine(({ minFee, minAmount }) => minAmount > minFee, 'minAmount must be above minFee');

/** What is reviewed before a deployment. Amounts are strings of atomic units. */
export const deploymentConfigSchema = z.object({
  environment: z.enum(['local', 'testnet', 'mainnet']),
  relayer: address,
  guardian: address,
  treasury: address,
  /** Seconds between the announcement and the acceptance of a new admin. */
  adminDelaySeconds: z.int().nonnegative(),
  nativeUnit: units,
  /** Tokens on Ethereum; left out, test tokens that anyone may mint are deployed. */
  tokens: z.object({ USDC: address, XCN: address }).optional(),
  feePolicies: z.object({ ETH: policy, USDC: policy, XCN: policy }),
  outflowLimits: z.object({ ETH: outflow, USDC: outflow, XCN: outflow }),
});

/** A checked deployment configuration. */
export type DeploymentConfig = z.output<typeof deploymentConfigSchema>;
