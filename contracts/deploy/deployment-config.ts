import { isAddressEqual, type Address } from 'viem';
import { z } from 'zod';

/** Below it, nobody who watches could stop an announced call. */
const LEAST_ADMIN_DELAY = {
  testnet: { seconds: 3_600, words: 'an hour' },
  mainnet: { seconds: 86_400, words: 'a day' },
} as const;

const units = z.string().regex(/^\d+$/).transform(BigInt);
const address = z
  .templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)])
  .refine((given) => BigInt(given) !== 0n, 'must not be the zero address');

/** One address for both chains, or one each. */
const owner = z
  .union([address, z.strictObject({ ethereum: address, partner: address })])
  .transform((given) => (typeof given === 'string' ? { ethereum: given, partner: given } : given));

// What the contracts keep: 12 significant digits below 2^96, and 24 bits of seconds.
const outflow = z.strictObject({
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
  .strictObject({ bps: z.int().min(0).max(9_999), minFee: units, minAmount: units })
  .refine(({ minFee, minAmount }) => minAmount > minFee, 'minAmount must be above minFee');

/** What is reviewed before a deployment. Amounts are strings of atomic units. */
export const deploymentConfigSchema = z
  .strictObject({
    environment: z.enum(['local', 'testnet', 'mainnet']),
    /** Names a deployment: with another one the same deployer gets other addresses. */
    salt: z.string().min(1).default('1'),
    relayer: address,
    /**
     * Owner of the timelock that holds the admin role of each end, best a multi-signature wallet. Left out in the local
     * environment only: then the deployer is the admin itself.
     */
    admin: owner.optional(),
    /** Left out in the local environment only: the deployer. */
    policyManager: owner.optional(),
    guardian: owner,
    treasury: address,
    /** Seconds between the announcement of anything that the admin does and its execution. */
    adminDelaySeconds: z.int().nonnegative(),
    nativeUnit: units,
    /** Tokens on Ethereum; left out in the local environment only: test tokens that anyone may mint are deployed. */
    tokens: z.strictObject({ USDC: address, XCN: address }).optional(),
    /** For a chain that refuses the deterministic-deployment proxy: where its factory is. */
    factory: z.strictObject({ ethereum: address.optional(), partner: address.optional() }).default({}),
    feePolicies: z.strictObject({ ETH: policy, USDC: policy, XCN: policy }),
    outflowLimits: z.strictObject({ ETH: outflow, USDC: outflow, XCN: outflow }),
  })
  .superRefine(({ environment, admin, policyManager, guardian, relayer, treasury, ...rest }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    for (const side of ['ethereum', 'partner'] as const) {
      const offices = [admin?.[side], policyManager?.[side], guardian[side], treasury];
      if (offices.some((office) => office !== undefined && isAddressEqual(office, relayer))) {
        refuse('relayer', 'must not hold another office');
      }
    }
    if (environment === 'local') return;
    if (admin === undefined) refuse('admin', `is required for ${environment}`);
    if (policyManager === undefined) refuse('policyManager', `is required for ${environment}`);
    if (rest.tokens === undefined) refuse('tokens', `is required for ${environment}`);
    if (admin && [admin.ethereum, admin.partner].some((one) => Object.values(guardian).some(sameAs(one)))) {
      refuse('guardian', 'must not be the admin');
    }
    const { seconds, words } = LEAST_ADMIN_DELAY[environment];
    if (rest.adminDelaySeconds < seconds) refuse('adminDelaySeconds', `must be ${words} or more for ${environment}`);
  });

/** A checked deployment configuration. */
export type DeploymentConfig = z.output<typeof deploymentConfigSchema>;

function sameAs(one: Address): (other: Address) => boolean {
  return (other) => isAddressEqual(one, other);
}
