import { existsSync } from 'node:fs';
import { isAddressEqual, type Address } from 'viem';
import { z } from 'zod';
import { describeIssues, parseJsonFile } from './address-book-file.js';

/** With a shorter delay nobody could notice and cancel a scheduled admin call. */
const LEAST_ADMIN_DELAY = {
  testnet: { seconds: 3_600, words: 'an hour' },
  mainnet: { seconds: 86_400, words: 'a day' },
} as const;

/** What the example configurations hold in place of an address, such as <RELAYER_ADDRESS>. */
const PLACEHOLDER = /^<[A-Z_]+>$/;

const units = z.string().regex(/^\d+$/).transform(BigInt);
const address = z
  .templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)])
  .refine((given) => BigInt(given) !== 0n, 'must not be the zero address');

/** One address for both chains, or one each. */
const owner = z
  .union([address, z.strictObject({ ethereum: address, partner: address })])
  .transform((given) => (typeof given === 'string' ? { ethereum: given, partner: given } : given));

// The contracts store a capacity of 12 significant digits below 2^96, and a window of 24 bits of seconds.
const outflow = z.strictObject({
  /** Atomic units that may leave within a moment. */
  capacity: units
    .refine((capacity) => capacity < 2n ** 96n, 'must be below 2^96')
    .refine((capacity) => /^\d{1,12}0*$/.test(capacity.toString()), 'must not have more than 12 significant digits'),
  /** Seconds in which a used-up capacity refills. */
  windowSeconds: z
    .int()
    .positive()
    .max(2 ** 24 - 1),
});

const policy = z
  .strictObject({ bps: z.int().min(0).max(9_999), minFee: units, minAmount: units })
  .refine(({ minFee, minAmount }) => minAmount > minFee, 'minAmount must be above minFee');

/** The configuration that people review before a deployment. Amounts are strings of atomic units. */
export const deploymentConfigSchema = z
  .strictObject({
    environment: z.enum(['local', 'testnet', 'mainnet']),
    /** Names a deployment: with another salt the same deployer gets other addresses. */
    salt: z.string().min(1).default('1'),
    relayer: address,
    /**
     * Owner of the timelock that holds the admin role of each bridge contract, best a multi-signature wallet. Optional
     * in the local environment only: then the deployer itself is the admin.
     */
    admin: owner.optional(),
    /** Optional in the local environment only: then the deployer. */
    policyManager: owner.optional(),
    guardian: owner,
    treasury: address,
    /** Seconds between scheduling an admin call and executing it. */
    adminDelaySeconds: z.int().nonnegative(),
    nativeUnit: units,
    /**
     * Tokens on Ethereum. Optional in the local environment only: then test tokens that anyone may mint are deployed.
     */
    tokens: z.strictObject({ USDC: address, XCN: address }).optional(),
    /** The factory's address on a chain that refuses the deterministic-deployment proxy. */
    factory: z.strictObject({ ethereum: address.optional(), partner: address.optional() }).default({}),
    feePolicies: z.strictObject({ ETH: policy, USDC: policy, XCN: policy }),
    outflowLimits: z.strictObject({ ETH: outflow, USDC: outflow, XCN: outflow }),
  })
  .superRefine(({ environment, admin, policyManager, guardian, relayer, treasury, ...rest }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    for (const side of ['ethereum', 'partner'] as const) {
      const holders = [admin?.[side], policyManager?.[side], guardian[side], treasury];
      if (holders.some((holder) => holder !== undefined && isAddressEqual(holder, relayer))) {
        refuse('relayer', 'must not hold another role');
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

/**
 * Reads the configuration of an environment from a file.
 *
 * @throws Error in one line that names the missing or wrong fields, and what to do.
 */
export function readDeploymentConfig(file: string, environment: string): DeploymentConfig {
  if (!existsSync(file)) {
    const example = `deploy/config/${environment}.example.json`;
    throw new Error(`${file} does not exist: copy ${example} to it and fill it in, or name another file by --config`);
  }
  const raw = parseJsonFile(file);
  const open = placeholdersIn(raw);
  if (open.length > 0) {
    throw new Error(`${file} is not filled in: replace the placeholders of ${open.join(', ')} by addresses`);
  }
  const config = deploymentConfigSchema.safeParse(raw);
  if (!config.success) throw new Error(`${file} is not a valid configuration: ${describeIssues(config.error)}`);
  const { data } = config;
  if (data.environment !== environment) throw new Error(`${file} is for ${data.environment}, not ${environment}`);
  return data;
}

/**
 * Refuses a deployer to which the configuration gives a role, on either chain. A deployer's key is on an online
 * machine; it may hold a role in the local environment only.
 *
 * @throws Error naming the role.
 */
export function refuseDeployer(
  config: DeploymentConfig,
  deployers: { readonly ethereum: Address; readonly partner: Address },
): void {
  const { environment, admin, policyManager, guardian, relayer, treasury } = config;
  if (environment === 'local') return;
  const roles = {
    admin: Object.values(admin ?? {}),
    policyManager: Object.values(policyManager ?? {}),
    guardian: Object.values(guardian),
    relayer: [relayer],
    treasury: [treasury],
  };
  for (const [role, holders] of Object.entries(roles)) {
    for (const deployer of [deployers.ethereum, deployers.partner]) {
      if (!holders.some((holder) => isAddressEqual(holder, deployer))) continue;
      throw new Error(`The deployer ${deployer} must not be the ${role} of ${environment}: deploy with another key`);
    }
  }
}

/** Paths of the fields that still hold a placeholder of an example. */
function placeholdersIn(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return PLACEHOLDER.test(value) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => placeholdersIn(child, path === '' ? key : `${path}.${key}`));
}

function sameAs(one: Address): (other: Address) => boolean {
  return (other) => isAddressEqual(one, other);
}
