import { parseAbi, zeroAddress, zeroHash, type Address, type Hex, type PublicClient } from 'viem';
import { adminTimelockAbi, bridgeLockAbi } from '../generated/abi.js';
import { adminTimelockCode } from '../generated/deployed-code.js';
import type { ChainName } from './chains.js';
import type { DeploymentConfig } from './deployment-config.js';
import { expectCode, expectSame } from './expect.js';

const EVENTS = parseAbi([
  'event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)',
  'event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)',
]);
/** Public nodes answer eth_getLogs for about this range. */
const BLOCKS_PER_REQUEST = 10_000n;

/** One bridge contract. */
export interface BridgeContract {
  readonly name: string;
  readonly side: ChainName;
  readonly address: Address;
  readonly deployedAtBlock: number;
}

/**
 * Compares the keys of one bridge contract with the configuration: every role, the attesters, no pause, and no handover
 * in progress. An admin that the configuration names owns a timelock, which is the admin on the chain.
 *
 * @throws Error naming the first difference.
 */
export async function verifyRoles(
  client: PublicClient,
  contract: BridgeContract,
  config: DeploymentConfig,
  deployer: Address,
): Promise<void> {
  const { name, side, address } = contract;
  // BridgeMint has the same functions.
  const bridge = { address, abi: bridgeLockAbi } as const;
  const accounts = {
    relayer: config.relayer,
    standby: config.standby ?? zeroAddress,
    guardian: config.guardian[side],
    policyManager: config.policyManager[side],
    pendingOwner: zeroAddress,
  } as const;
  for (const [functionName, meant] of Object.entries(accounts)) {
    const role = functionName as keyof typeof accounts;
    expectSame(`${role} of ${name}`, await client.readContract({ ...bridge, functionName: role }), meant);
  }
  const attesters = await client.readContract({ ...bridge, functionName: 'attesters' });
  expectSame(`attester set of ${name}`, attesters, [1, config.attesters, config.threshold]);
  const minimum = await client.readContract({ ...bridge, functionName: 'minimumThreshold' });
  expectSame(`minimum threshold of ${name}`, minimum, config.minimumThreshold);
  const pauses = await client.readContract({ ...bridge, functionName: 'pauses' });
  expectSame(`pauses of ${name}`, pauses, [0, false, 0]);
  const admin = await client.readContract({ ...bridge, functionName: 'owner' });
  const owner = config.admin?.[side];
  if (owner === undefined) expectSame(`admin of ${name}`, admin, deployer);
  else await verifyTimelock(client, { ...contract, address: admin }, config, owner, deployer);
}

/** Compares the timelock that is the admin of a bridge contract with the configuration. */
async function verifyTimelock(
  client: PublicClient,
  { name, side, address, deployedAtBlock: sinceBlock }: BridgeContract,
  { adminDelaySeconds, guardian }: DeploymentConfig,
  owner: Address,
  deployer: Address,
): Promise<void> {
  const timelock = { address, abi: adminTimelockAbi } as const;
  await expectCode(client, `the admin of ${name}`, address, adminTimelockCode);
  const delay = await client.readContract({ ...timelock, functionName: 'getMinDelay' });
  expectSame(`delay of the admin of ${name}`, delay, adminDelaySeconds);
  const minimum = await client.readContract({ ...timelock, functionName: 'minimumDelay' });
  expectSame(`minimum delay of the admin of ${name}`, minimum, adminDelaySeconds);
  const [proposer, executor, canceller] = await Promise.all([
    client.readContract({ ...timelock, functionName: 'PROPOSER_ROLE' }),
    client.readContract({ ...timelock, functionName: 'EXECUTOR_ROLE' }),
    client.readContract({ ...timelock, functionName: 'CANCELLER_ROLE' }),
  ]);
  const roles = {
    admin: { role: zeroHash, holders: [address] },
    proposer: { role: proposer, holders: [owner] },
    executor: { role: executor, holders: [owner] },
    canceller: { role: canceller, holders: [owner, guardian[side]] },
  };
  await verifyHolders(client, { name: `the admin timelock of ${name}`, address, sinceBlock, roles }, deployer);
}

/** A timelock and the configured holders of its roles. */
interface RolesOfContract {
  readonly name: string;
  readonly address: Address;
  /** The first block that can hold an event of the contract. */
  readonly sinceBlock: number;
  readonly roles: Readonly<Record<string, { readonly role: Hex; readonly holders: readonly Address[] }>>;
}

/**
 * Compares the holders of a timelock's roles with the configured ones; both sets must be equal. `hasRole` is called as
 * well, because a node could leave events out: so a deployer without a configured role certainly holds none.
 *
 * @throws Error naming the first difference.
 */
async function verifyHolders(client: PublicClient, contract: RolesOfContract, deployer: Address): Promise<void> {
  const held = await roleHolders(client, contract.address, contract.sinceBlock);
  const hasRole = async (role: Hex, account: Address) =>
    client.readContract({
      address: contract.address,
      abi: adminTimelockAbi,
      functionName: 'hasRole',
      args: [role, account],
    });
  for (const [name, { role, holders }] of Object.entries(contract.roles)) {
    const meant = [...new Set(holders.map((holder) => holder.toLowerCase() as Address))].toSorted();
    expectSame(`${name} of ${contract.name}`, [...(held.get(role) ?? [])].toSorted(), meant);
    for (const holder of meant) {
      expectSame(`right of ${holder} as ${name} of ${contract.name}`, await hasRole(role, holder), true);
    }
    if (meant.includes(deployer.toLowerCase() as Address)) continue;
    expectSame(`right of the deployer as ${name} of ${contract.name}`, await hasRole(role, deployer), false);
  }
  const rolesHeld = [...held].filter(([, accounts]) => accounts.size > 0).length;
  expectSame(`number of roles of ${contract.name}`, rolesHeld, Object.keys(contract.roles).length);
}

/**
 * Reads the current holders of each role from a contract's events since its deployment.
 *
 * @returns lower-case addresses by role.
 */
async function roleHolders(
  client: PublicClient,
  address: Address,
  deployedAtBlock: number,
): Promise<ReadonlyMap<Hex, ReadonlySet<Address>>> {
  const holders = new Map<Hex, Set<Address>>();
  const head = await client.getBlockNumber({ cacheTime: 0 });
  for (let from = BigInt(deployedAtBlock); from <= head; from += BLOCKS_PER_REQUEST) {
    const last = from + BLOCKS_PER_REQUEST - 1n;
    const toBlock = last < head ? last : head;
    const logs = await client.getLogs({ address, events: EVENTS, fromBlock: from, toBlock, strict: true });
    for (const { eventName, args } of logs) {
      const accounts = holders.get(args.role) ?? new Set();
      const account = args.account.toLowerCase() as Address;
      if (eventName === 'RoleGranted') accounts.add(account);
      else accounts.delete(account);
      holders.set(args.role, accounts);
    }
  }
  return holders;
}
