import type { Address } from 'viem';
import { setAssets } from './assets.js';
import { getFurtherAssets } from './asset-settings.js';
import { CHAIN_NAMES, type ChainName } from './chains.js';
import { expectChains, type DeployBridgeInput } from './deploy-bridge.js';
import { encodeCreation, expectConstructor } from './deploy-contract.js';
import { findFactory } from './factory.js';
import { planDeployment, type DeploymentPlan } from './plan-deployment.js';

/** The contracts that a deployment would create. */
export interface SimulatedDeployment {
  readonly plan: DeploymentPlan;
  readonly contracts: readonly {
    readonly side: ChainName;
    readonly name: string;
    readonly address: Address;
    readonly exists: boolean;
  }[];
  /** Chains without a factory. A chain that refuses the deterministic-deployment proxy will have other addresses. */
  readonly withoutFactory: readonly ChainName[];
}

/**
 * Plans a deployment and runs its constructors without sending anything.
 *
 * @throws Error naming what the deployment would refuse: a role of the deployer, a wrong chain or native unit, or a
 * constructor that reverts, with its decoded error.
 */
export async function simulateDeployment(input: DeployBridgeInput): Promise<SimulatedDeployment> {
  const { config } = input;
  await expectChains(input);
  setAssets(getFurtherAssets(config));
  const withoutFactory: ChainName[] = [];
  const readSide = async (side: ChainName) => {
    const { client, wallet } = input[side];
    const { address: factory, exists } = await findFactory(input[side], config.factory[side]);
    if (!exists) withoutFactory.push(side);
    return { chainId: await client.getChainId(), deployer: wallet.account.address, factory };
  };
  const plan = planDeployment(config, await readSide('ethereum'), await readSide('partner'));
  const contracts = [];
  for (const side of CHAIN_NAMES) {
    for (const contract of plan.contracts[side]) {
      const { name, address } = contract;
      const exists = (await input[side].client.getCode({ address })) !== undefined;
      if (!exists) await expectConstructor(input[side], contract, encodeCreation(contract));
      contracts.push({ side, name, address, exists });
    }
  }
  return { plan, contracts, withoutFactory };
}
