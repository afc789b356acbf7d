import { zeroAddress, zeroHash, type Address, type PublicClient } from 'viem';
import { adminTimelockAbi, bridgeLockAbi } from '../../generated/abi.js';
import { adminTimelockCode } from '../../generated/deployed-code.js';
import type { DeploymentConfig } from '../deployment-config.js';
import { expectCode } from './expect-code.js';
import { expectSame } from './expect-same.js';
import { verifyRoles } from './verify-roles.js';

/** One end of the bridge on its chain. */
export interface OwnedContract {
  readonly name: string;
  readonly side: 'ethereum' | 'partner';
  readonly address: Address;
  readonly deployedAtBlock: number;
}

/**
 * Compares who rules one end of the bridge with the configuration: exactly its owners hold a role, nobody is about to become
 * admin, and where the configuration names an admin, it stands behind a timelock.
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
  const end = { address, abi: bridgeLockAbi } as const;
  const owner = config.admin?.[side];
  const guardian = config.guardian[side];
  const admin = owner ? await client.readContract({ ...end, functionName: 'defaultAdmin' }) : deployer;
  const guardianRole = await client.readContract({ ...end, functionName: 'GUARDIAN_ROLE' });
  const policyRole = await client.readContract({ ...end, functionName: 'POLICY_MANAGER_ROLE' });
  const roles = {
    admin: { role: zeroHash, holders: [admin] },
    guardian: { role: guardianRole, holders: [guardian] },
    'policy manager': { role: policyRole, holders: [config.policyManager?.[side] ?? deployer] },
  };
  await verifyRoles(client, { name, address, sinceBlock, roles }, deployer);
  const [pending] = await client.readContract({ ...end, functionName: 'pendingDefaultAdmin' });
  expectSame(`next admin of ${name}`, pending, zeroAddress);
  const delay = await client.readContract({ ...end, functionName: 'defaultAdminDelay' });
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
  const offices = {
    admin: { role: zeroHash, holders: [admin] },
    proposer: { role: proposer, holders: [owner] },
    executor: { role: executor, holders: [owner] },
    canceller: { role: canceller, holders: [owner, guardian] },
  };
  await verifyRoles(
    client,
    { name: `the admin timelock of ${name}`, address: admin, sinceBlock, roles: offices },
    deployer,
  );
}
