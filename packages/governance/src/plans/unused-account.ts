import { isAddressEqual, type Address, type PublicClient } from 'viem';
import { getViewParameters, PlanRefusedError, readOffices, readTimelock, type CalledContract } from '../calls/calls.js';

const ROLES = ['owner', 'pendingOwner', 'guardian', 'policyManager', 'relayer', 'standby'] as const;

/**
 * Refuses an account that has a role or an office on a chain, or was its relayer: one stolen key must not hold two
 * roles.
 *
 * @throws PlanRefusedError naming the account's role.
 */
export async function expectUnused(client: PublicClient, contract: CalledContract, account: Address): Promise<void> {
  const view = getViewParameters(contract);
  const where = `${contract.contract} on ${contract.chain}`;
  const isTaken = (holder: Address) => isAddressEqual(holder, account);
  const refuse = (use: string) => {
    throw new PlanRefusedError(`${account} ${use}: choose an account without another role`);
  };
  for (const role of ROLES) {
    if (isTaken(await client.readContract({ ...view, functionName: role }))) refuse(`is ${role} of ${where}`);
  }
  if (contract.contract === 'BridgeLock' && isTaken(await client.readContract({ ...view, functionName: 'treasury' })))
    refuse(`is treasury of ${where}`);
  const [, attesters] = await client.readContract({ ...view, functionName: 'attesters' });
  if (attesters.some(isTaken)) refuse(`is an attester of ${where}`);
  const { to } = await readTimelock(client, contract);
  const held = (await readOffices(client, to)).find((one) => isTaken(one.account));
  if (held !== undefined) refuse(`is ${held.office} of the admin timelock on ${contract.chain}`);
  if (await client.readContract({ ...view, functionName: 'isRelayerWallet', args: [account] }))
    refuse(`was a relayer wallet of ${where}`);
}
