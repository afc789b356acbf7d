import { existsSync } from 'node:fs';
import { isAddressEqual, type Address } from 'viem';
import { z } from 'zod';
import { describeIssues, parseJsonFile } from './address-book-file.js';
import { assetSettings, checkAssetSettings } from './asset-settings.js';

/** With a shorter delay the guardian could not notice and cancel a scheduled admin call. */
const LEAST_ADMIN_DELAY = {
  testnet: { seconds: 3_600, words: 'an hour' },
  mainnet: { seconds: 86_400, words: 'a day' },
} as const;

/** Settings that only the local environment may omit. */
const EXPLICIT = ['admin', 'tokens', 'attesters', 'threshold', 'minimumThreshold', 'exitWindowSeconds'] as const;

/** Users who check once a month must see a succession before the first hand-over. */
const LEAST_EXIT_WINDOW = 30 * 86_400;

/** Each attestation carries the whole set, so the contracts bound its size. */
const MOST_ATTESTERS = 9;

/** The placeholder of an address in the example configurations, such as <RELAYER_ADDRESS>. */
const PLACEHOLDER = /^<[A-Z_]+>$/;

const address = z
  .templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)])
  .refine((given) => BigInt(given) !== 0n, 'must not be the zero address');

/** One address for both chains, or one each. */
const owner = z
  .union([address, z.strictObject({ ethereum: address, partner: address })])
  .transform((given) => (typeof given === 'string' ? { ethereum: given, partner: given } : given));

const signatures = z.int().min(0).max(MOST_ATTESTERS);

/** The deployment configuration. Amounts are strings of atomic units. */
export const deploymentConfigSchema = z
  .strictObject({
    environment: z.enum(['local', 'testnet', 'mainnet']),
    /** Names a deployment: another salt gives the same deployer other addresses. */
    salt: z.string().min(1).default('1'),
    relayer: address,
    /** The relayer that a guardian may activate once, the same wallet on both chains. None when omitted. */
    standby: address.optional(),
    /**
     * Owner of the timelock that is the admin of each bridge contract; use a multi-signature wallet. Only the local
     * environment may omit it: the deployer is then the admin.
     */
    admin: owner.optional(),
    /** The guardian's office of that timelock, a cold key: cancels calls, chooses pausers, activates the standby. */
    guardian: owner,
    /** Its third office, a cold key that only votes. */
    recovery: owner,
    /** Accounts that may pause both contracts, such as that of the relayer's watch: hot keys, with coin for gas. */
    pausers: z.array(address).default([]),
    policyManager: owner,
    treasury: address,
    /** Members of the attester set, the same on both chains. Only the local environment may omit it, for none. */
    attesters: z.array(address).max(MOST_ATTESTERS).optional(),
    /** Attester signatures that a call needs to move value. Only the local environment may omit it, for 0. */
    threshold: signatures.optional(),
    /** The threshold never goes below this. Only the local environment may omit it, for 0. */
    minimumThreshold: signatures.optional(),
    /**
     * Seconds between the announcement of a successor and the first hand-over, fixed by the deployment. 0 forbids
     * successions permanently. Only the local environment may omit it, for 0.
     */
    exitWindowSeconds: z.int().nonnegative().optional(),
    /** Seconds between scheduling an admin call and executing it, the handover to another admin included. */
    adminDelaySeconds: z.int().nonnegative(),
    nativeUnit: z.string().regex(/^\d+$/).transform(BigInt),
    /**
     * Tokens on Ethereum. Only the local environment may omit them: it then deploys test tokens that anyone can mint.
     */
    tokens: z.strictObject({ USDC: address, XCN: address }).optional(),
    /** The factory's address on a chain that refuses the deterministic-deployment proxy. */
    factory: z.strictObject({ ethereum: address.optional(), partner: address.optional() }).default({}),
    ...assetSettings,
  })
  .superRefine((given, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    for (const [first, second] of sharedAccounts(listRoles(given))) refuse(second, `must not also be the ${first}`);
    const { environment, attesters = [], threshold = 0, minimumThreshold = 0, exitWindowSeconds = 0 } = given;
    if (new Set(attesters.map((one) => one.toLowerCase())).size < attesters.length) {
      refuse('attesters', 'must not name an account twice');
    }
    if (threshold > attesters.length) refuse('threshold', `must not be above the ${attesters.length} attesters`);
    if (threshold < minimumThreshold) refuse('threshold', 'must not be below minimumThreshold');
    checkAssetSettings(given, refuse);
    if (environment === 'local') return;
    for (const name of EXPLICIT) if (given[name] === undefined) refuse(name, `is required for ${environment}`);
    if (exitWindowSeconds > 0 && exitWindowSeconds < LEAST_EXIT_WINDOW) {
      refuse('exitWindowSeconds', `must be 0 or at least 30 days for ${environment}`);
    }
    const { seconds, words } = LEAST_ADMIN_DELAY[environment];
    if (given.adminDelaySeconds < seconds) refuse('adminDelaySeconds', `must be at least ${words} for ${environment}`);
  })
  .transform(({ attesters = [], threshold = 0, minimumThreshold = 0, exitWindowSeconds = 0, ...rest }) => ({
    ...rest,
    // The contracts require ascending order.
    attesters: attesters.toSorted((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1)),
    threshold,
    minimumThreshold,
    exitWindowSeconds,
  }));

/** A checked deployment configuration. */
export type DeploymentConfig = z.output<typeof deploymentConfigSchema>;

/**
 * Reads the configuration of an environment from a file.
 *
 * @throws Error in one line that names the missing or wrong fields, and what to do.
 */
export function readDeploymentConfig(file: string, environment: string): DeploymentConfig {
  if (!existsSync(file)) throw new Error(`${file} does not exist: fill in a copy of ${environment}.example.json`);
  const raw = parseJsonFile(file);
  const open = placeholdersIn(raw);
  if (open.length > 0) {
    throw new Error(`${file} is not filled in: replace the placeholders of ${open.join(', ')} with addresses`);
  }
  const config = deploymentConfigSchema.safeParse(raw);
  if (!config.success) throw new Error(`${file} is not a valid configuration: ${describeIssues(config.error)}`);
  const { data } = config;
  if (data.environment !== environment) throw new Error(`${file} is for ${data.environment}, not ${environment}`);
  return data;
}

/**
 * Refuses a deployer to which the configuration gives a role on either chain, since a deployer's key is on an online
 * machine. In the local environment the deployer may be the admin, but hold no other role.
 *
 * @throws Error naming the role.
 */
export function refuseDeployer(
  config: DeploymentConfig,
  deployers: { readonly ethereum: Address; readonly partner: Address },
): void {
  for (const [role, holders] of Object.entries(listRoles(config))) {
    if (config.environment === 'local' && role === 'admin') continue;
    for (const deployer of [deployers.ethereum, deployers.partner]) {
      if (!holders.some((holder) => isAddressEqual(holder, deployer))) continue;
      throw new Error(
        `The deployer ${deployer} must not be the ${role} of ${config.environment}: deploy with another key`,
      );
    }
  }
}

type Owners = Readonly<Record<'ethereum' | 'partner', Address>>;

/** The parts of a configuration that name accounts. */
interface NamedAccounts {
  readonly admin?: Owners | undefined;
  readonly recovery: Owners;
  readonly policyManager: Owners;
  readonly guardian: Owners;
  readonly relayer: Address;
  readonly standby?: Address | undefined;
  readonly treasury: Address;
  readonly pausers?: readonly Address[] | undefined;
  readonly attesters?: readonly Address[] | undefined;
}

/** The accounts of each role, on both chains. */
function listRoles(config: NamedAccounts): Readonly<Record<string, readonly Address[]>> {
  const { admin, recovery, policyManager, guardian, relayer, standby, treasury } = config;
  const { pausers = [], attesters = [] } = config;
  return {
    relayer: [relayer],
    standby: standby === undefined ? [] : [standby],
    admin: Object.values(admin ?? {}),
    recovery: Object.values(recovery),
    policyManager: Object.values(policyManager),
    guardian: Object.values(guardian),
    pausers: [...pausers],
    treasury: [treasury],
    attesters: [...attesters],
  };
}

/** Pairs of roles that share an account, each pair once, in the order of the roles. */
function sharedAccounts(roles: Readonly<Record<string, readonly Address[]>>): (readonly [string, string])[] {
  const all = Object.entries(roles);
  return all.flatMap(([first, holders], index) =>
    all
      .slice(index + 1)
      .filter(([, others]) => others.some((other) => holders.some((holder) => isAddressEqual(holder, other))))
      .map(([second]) => [first, second] as const),
  );
}

/** Paths of the fields that still hold a placeholder of an example. */
function placeholdersIn(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return PLACEHOLDER.test(value) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => placeholdersIn(child, path === '' ? key : `${path}.${key}`));
}
