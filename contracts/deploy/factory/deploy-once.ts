import { encodeDeployData, encodeFunctionData, type Abi, type Address, type Hex } from 'viem';
import { bridgeFactoryAbi } from '../../generated/abi.js';
import type { DeployTarget } from '../deploy-target.js';
import { sendAndWait } from '../send-and-wait.js';
import { expectCreation } from './expect-creation.js';

/** A contract to deploy. */
export interface PlannedContract {
  readonly name: string;
  readonly address: Address;
  readonly salt: Hex;
  readonly abi: Abi;
  readonly bytecode: Hex;
  readonly args: readonly unknown[];
}

/**
 * Deploys a contract unless its address has code already, from a run that was interrupted.
 *
 * @throws viem's errors with the constructor's reason when it reverts; Error when what is there came from another constructor.
 */
export async function deployOnce(
  target: DeployTarget,
  factory: Address,
  contract: PlannedContract,
  step: (step: string) => void,
): Promise<void> {
  const { wallet, client } = target;
  const creation = encodeDeployData({ abi: contract.abi, bytecode: contract.bytecode, args: [...contract.args] });
  const data = encodeFunctionData({ abi: bridgeFactoryAbi, functionName: 'deploy', args: [contract.salt, creation] });
  if (await client.getCode({ address: contract.address })) {
    await expectCreation(client, factory, contract, data);
    step(`${contract.name} is at ${contract.address} already`);
    return;
  }
  // The factory cannot tell why a constructor reverts; asked directly, it says so.
  await client.estimateGas({ account: wallet.account, data: creation });
  await sendAndWait(target, `Deploying ${contract.name}`, { to: factory, data });
  step(`${contract.name} at ${contract.address}`);
}
