import { isAddressEqual, type Address, type Hex, type PublicClient } from 'viem';
import { bridgeFactoryAbi } from '../../generated/abi.js';
import type { PlannedContract } from './deploy-once.js';

/**
 * Compares the transaction that a contract came from with the one that would deploy it. Its code alone does not tell what its
 * constructor left in storage: with a stolen key of the deployer, a role or a balance of the thief's.
 *
 * @param data the call to the factory that deploys what is meant, arguments included.
 * @throws Error naming the contract when it came from another one.
 */
export async function expectCreation(
  client: PublicClient,
  factory: Address,
  { name, address, salt }: PlannedContract,
  data: Hex,
): Promise<void> {
  const of = { address: factory, abi: bridgeFactoryAbi } as const;
  const block = await client.readContract({ ...of, functionName: 'deployedAtBlock', args: [address] });
  const logs = await client.getContractEvents({
    ...of,
    eventName: 'Deployed',
    args: { salt },
    fromBlock: block,
    toBlock: block,
    strict: true,
  });
  const log = logs.find(({ args }) => isAddressEqual(args.deployed, address));
  const found = log && (await client.getTransaction({ hash: log.transactionHash }));
  if (found?.to && isAddressEqual(found.to, factory) && found.input === data) return;
  throw new Error(`${name} at ${address} came from another constructor, or from other arguments, than is meant`);
}
