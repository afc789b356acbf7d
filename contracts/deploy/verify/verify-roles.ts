import { zeroAddress, zeroHash, type Address, type PublicClient } from 'viem';
import { bridgeLockAbi } from '../../generated/abi.js';
import type { Owners } from '../plan-deployment.js';
import { expectSame } from './expect-same.js';
import { roleHolders } from './role-holders.js';

/**
 * Compares who holds the roles of BridgeLock or BridgeMint with who was meant to: exactly they, and nobody is about to
 * become admin. So a deployer that was not meant to hold a role holds none.
 *
 * @throws Error naming the first difference.
 */
export async function verifyRoles(
  client: PublicClient,
  contract: { name: string; address: Address; deployedAtBlock: number },
  owners: Owners & { adminDelaySeconds: number; deployer?: Address },
): Promise<void> {
  // The roles of BridgeMint are the same.
  const read = { address: contract.address, abi: bridgeLockAbi } as const;
  const holders = await roleHolders(client, contract.address, contract.deployedAtBlock);
  const roles = {
    admin: zeroHash,
    guardian: await client.readContract({ ...read, functionName: 'GUARDIAN_ROLE' }),
    policyManager: await client.readContract({ ...read, functionName: 'POLICY_MANAGER_ROLE' }),
  };
  for (const [name, role] of Object.entries(roles) as [keyof typeof roles, `0x${string}`][]) {
    expectSame(`${name} of ${contract.name}`, [...(holders.get(role) ?? [])], owners[name]);
    const holds = await client.readContract({ ...read, functionName: 'hasRole', args: [role, owners[name]] });
    expectSame(`right of ${owners[name]} as ${name} of ${contract.name}`, holds, true);
    const { deployer } = owners;
    if (deployer === undefined || deployer.toLowerCase() === owners[name].toLowerCase()) continue;
    const left = await client.readContract({ ...read, functionName: 'hasRole', args: [role, deployer] });
    expectSame(`right of the deployer as ${name} of ${contract.name}`, left, false);
  }
  expectSame(`number of roles of ${contract.name}`, holders.size, Object.keys(roles).length);
  const [pending] = await client.readContract({ ...read, functionName: 'pendingDefaultAdmin' });
  expectSame(`next admin of ${contract.name}`, pending, zeroAddress);
  const delay = await client.readContract({ ...read, functionName: 'defaultAdminDelay' });
  expectSame(`delay of a new admin of ${contract.name}`, delay, owners.adminDelaySeconds);
}
