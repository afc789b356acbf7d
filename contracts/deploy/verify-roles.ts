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
interface OwnedContract {
  readonly name: string;
  readonly side: ChainName;
  readonly address: Address;
  readonly deployedAtBlock: number;
}

/**
 * Compares the owners of one bridge contract with the configuration. Exactly its owners hold a role, no transfer of the
 * admin role is pending, and an admin that the configuration names owns a timelock.
 *
 * @throws Error naming the first difference.
 */
export async function verifyOwners(
  client: PublicClient,
  contract: OwnedContract,
  config: DeploymentConfig,
  deployer: Address,
): Promise<void> {
  const { name, side, address, deployedAtBlock: sinceBlock } = contract;
  const { adminDelaySeconds } = config;
  // The roles of BridgeMint are the same.
  const bridge = { address, abi: bridgeLockAbi } as const;
  const owner = config.admin?.[side];
  const guardian = config.guardian[side];
  const admin = owner ? await client.readContract({ ...bridge, functionName: 'defaultAdmin' }) : deployer;
  const guardianRole = await client.readContract({ ...bridge, functionName: 'GUARDIAN_ROLE' });
  const policyRole = await client.readContract({ ...bridge, functionName: 'POLICY_MANAGER_ROLE' });
  const roles = {
    admin: { role: zeroHash, holders: [admin] },
    guardian: { role: guardianRole, holders: [guardian] },
    'policy manager': { role: policyRole, holders: [config.policyManager?.[side] ?? deployer] },
  };
  await verifyRoles(client, { name, address, sinceBlock, roles }, deployer);
  const [pending] = await client.readContract({ ...bridge, functionName: 'pendingDefaultAdmin' });
  expectSame(`next admin of ${name}`, pending, zeroAddress);
  const delay = await client.readContract({ ...bridge, functionName: 'defaultAdminDelay' });
  expectSame(`delay of a new admin of ${name}`, delay, adminDelaySeconds);
  if (owner === undefined) return;

  const timelock = { address: admin, abi: adminTimelockAbi } as const;
  await expectCode(client, `the admin of ${name}`, admin, adminTimelockCode);
  const wait = await client.readContract({ ...timelock, functionName: 'getMinDelay' });
  expectSame(`delay of the admin of ${name}`, wait, adminDelaySeconds);
  const [proposer, executor, canceller] = await Promise.all([
    client.readContract({ ...timelock, functionName: 'PROPOSER_ROLE' }),
    client.readContract({ ...timelock, functionName: 'EXECUTOR_ROLE' }),
    client.readContract({ ...timelock, functionName: 'CANCELLER_ROLE' }),
  ]);
  const timelockRoles = {
    admin: { role: zeroHash, holders: [admin] },
    proposer: { role: proposer, holders: [owner] },
    executor: { role: executor, holders: [owner] },
    canceller: { role: canceller, holders: [owner, guardian] },
  };
  await verifyRoles(
    client,
    { name: `the admin timelock of ${name}`, address: admin, sinceBlock, roles: timelockRoles },
    deployer,
  );
}

/** A contract with roles, and their configured holders. */
interface RolesOfContract {
  readonly name: string;
  readonly address: Address;
  /** The first block that can hold an event of the contract. */
  readonly sinceBlock: number;
  readonly roles: Readonly<Record<string, { readonly role: Hex; readonly holders: readonly Address[] }>>;
}

/**
 * Compares the holders of a contract's roles with the configured ones; both sets must be equal. `hasRole` is called as
 * well, because a node could leave events out: so a deployer without a configured role certainly holds none.
 *
 * @throws Error naming the first difference.
 */
async function verifyRoles(client: PublicClient, contract: RolesOfContract, deployer: Address): Promise<void> {
  const held = await roleHolders(client, contract.address, contract.sinceBlock);
  // hasRole is the same function in every contract with roles.
  const hasRole = async (role: Hex, account: Address) =>
    client.readContract({
      address: contract.address,
      abi: bridgeLockAbi,
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
