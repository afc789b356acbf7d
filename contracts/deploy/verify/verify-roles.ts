import type { Address, Hex, PublicClient } from 'viem';
import { bridgeLockAbi } from '../../generated/abi.js';
import { expectSame } from './expect-same.js';
import { roleHolders } from './role-holders.js';

/** A contract with roles, and who was meant to hold them. */
export interface RolesOfContract {
  readonly name: string;
  readonly address: Address;
  /** The first block that can hold an event of it. */
  readonly sinceBlock: number;
  readonly roles: Readonly<Record<string, { readonly role: Hex; readonly holders: readonly Address[] }>>;
}

/**
 * Compares who holds the roles of a contract with who was meant to: exactly they. So a deployer that was not meant to hold
 * a role holds none; the contract is asked that as well, since events are only what a node tells.
 *
 * @throws Error naming the first difference.
 */
export async function verifyRoles(client: PublicClient, contract: RolesOfContract, deployer: Address): Promise<void> {
  const held = await roleHolders(client, contract.address, contract.sinceBlock);
  // Every contract with roles answers this alike.
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
  const taken = [...held].filter(([, accounts]) => accounts.size > 0).length;
  expectSame(`number of roles of ${contract.name}`, taken, Object.keys(contract.roles).length);
}
