import {
  BaseError,
  ContractFunctionRevertedError,
  encodeDeployData,
  encodeFunctionData,
  getContractError,
  isAddressEqual,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { bridgeFactoryAbi } from '../generated/abi.js';
import { sendAndWait, type DeployTarget } from './chains.js';
import type { PlannedContract } from './plan-deployment.js';

/** The creation code of a contract with its constructor arguments. */
export function encodeCreation({ abi, bytecode, args }: PlannedContract): Hex {
  return encodeDeployData({ abi, bytecode, args: [...args] });
}

/**
 * Simulates a constructor, since the factory does not return why one reverts.
 *
 * @throws Error with the constructor's decoded error when it reverts; viem's error when the node does not answer.
 */
export async function expectConstructor(
  { client, wallet }: DeployTarget,
  contract: Pick<PlannedContract, 'name' | 'abi'>,
  creation: Hex,
): Promise<void> {
  const error: unknown = await client.call({ account: wallet.account, data: creation }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) return;
  const decoded =
    error instanceof BaseError
      ? getContractError(error, { abi: contract.abi, args: [], functionName: 'constructor' }).walk(
          (cause) => cause instanceof ContractFunctionRevertedError,
        )
      : null;
  if (!(decoded instanceof ContractFunctionRevertedError)) throw error;
  const { errorName = decoded.shortMessage, args = [] } = decoded.data ?? {};
  throw new Error(`${contract.name} cannot be deployed: its constructor reverts with ${errorName}(${args.join(', ')})`);
}

/**
 * Deploys a contract, unless an earlier run deployed it.
 *
 * @throws Error with the constructor's error when it reverts, or when another constructor created the existing
 * contract.
 */
export async function deployOnce(
  target: DeployTarget,
  factory: Address,
  contract: PlannedContract,
  step: (step: string) => void,
): Promise<void> {
  const { client } = target;
  const creation = encodeCreation(contract);
  const data = encodeFunctionData({ abi: bridgeFactoryAbi, functionName: 'deploy', args: [contract.salt, creation] });
  if (await client.getCode({ address: contract.address })) {
    await expectCreation(client, factory, contract, data);
    step(`${contract.name} is already at ${contract.address}`);
    return;
  }
  await expectConstructor(target, contract, creation);
  await sendAndWait(target, `Deploying ${contract.name}`, { to: factory, data });
  step(`${contract.name} at ${contract.address}`);
}

/**
 * Compares the transaction that created a contract with the planned one. The code does not show what the constructor
 * wrote to storage: a thief with the deployer's key could have added a role or a balance.
 *
 * @param data the call to the factory that deploys the planned contract, arguments included.
 * @throws Error naming the contract when another transaction created it.
 */
async function expectCreation(
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
  throw new Error(`${name} at ${address} was created by another constructor or with other arguments than planned`);
}
