import type { Address } from 'viem';
import { bridgeFactoryAbi } from '../generated/abi.js';
import { setAssets } from './assets.js';
import type { AddressBook } from './address-book.js';
import { getFurtherAssets } from './asset-settings.js';
import { CHAIN_IDS, type DeployTarget } from './chains.js';
import { deployOnce } from './deploy-contract.js';
import { refuseDeployer, type DeploymentConfig } from './deployment-config.js';
import { expectNativeUnit, expectSame } from './expect.js';
import { ensureFactory } from './factory.js';
import { planDeployment, type PlannedContract } from './plan-deployment.js';
import { verifyDeployment } from './verify-deployment.js';

/**
 * The input of a deployment. The wallets' accounts only pay, except that they are the admin when a local configuration
 * has none.
 */
export interface DeployBridgeInput {
  readonly config: DeploymentConfig;
  readonly ethereum: DeployTarget;
  readonly partner: DeployTarget;
  /** Receives a line for each step. */
  readonly onStep?: (step: string) => void;
}

/**
 * Deploys both bridge contracts and their tokens, and verifies the result. The addresses depend only on the deployers,
 * the factories, the environment and the configuration's salt. The constructors set roles, tokens, limits and fees.
 * Contracts of an earlier run are kept, so an interrupted run can be repeated. Makes the configuration's assets those
 * of this process (`setAssets`).
 *
 * @throws Error when a constructor or a transaction reverts, or when a contract on the chain differs from the
 * configuration.
 */
export async function deployBridge(input: DeployBridgeInput): Promise<AddressBook> {
  const { config, ethereum, partner } = input;
  const step = input.onStep ?? (() => undefined);
  await expectChains(input);
  const deployers = { ethereum: ethereum.wallet.account.address, partner: partner.wallet.account.address };
  const factories = {
    ethereum: await ensureFactory(ethereum, config.factory.ethereum, step),
    partner: await ensureFactory(partner, config.factory.partner, step),
  };
  const [ethereumChainId, partnerChainId] = [ethereum.wallet.chain.id, partner.wallet.chain.id];
  const plan = planDeployment(
    config,
    { chainId: ethereumChainId, deployer: deployers.ethereum, factory: factories.ethereum },
    { chainId: partnerChainId, deployer: deployers.partner, factory: factories.partner },
  );
  const deploy = async (target: DeployTarget, factory: Address, contracts: readonly PlannedContract[]) => {
    for (const contract of contracts) await deployOnce(target, factory, contract, step);
  };
  const { bridgeLock, bridgeMint, bridgedTokens, tokens } = plan;
  const assets = getFurtherAssets(config);
  setAssets(assets);
  const sides = await Promise.allSettled([
    deploy(ethereum, factories.ethereum, plan.contracts.ethereum),
    deploy(partner, factories.partner, plan.contracts.partner),
  ]);
  // Both sides have settled, so nothing more is sent after this throws.
  for (const side of sides) if (side.status === 'rejected') throw side.reason;
  const book: AddressBook = {
    environment: config.environment,
    ethereum: {
      chainId: ethereumChainId,
      bridgeLock: lower(bridgeLock.address),
      sentinel: lower(plan.owners.ethereum.guardian),
      tokens: mapEach(tokens, lower),
      deployedAtBlock: await readDeploymentBlock(ethereum, factories.ethereum, bridgeLock),
    },
    partner: {
      chainId: partnerChainId,
      bridgeMint: lower(bridgeMint.address),
      sentinel: lower(plan.owners.partner.guardian),
      tokens: mapEach(bridgedTokens, ({ address }) => lower(address)),
      deployedAtBlock: await readDeploymentBlock(partner, factories.partner, bridgeMint),
      nativeUnit: config.nativeUnit.toString(),
    },
    relayer: lower(config.relayer),
    ...(Object.keys(assets).length > 0 && { assets }),
  };
  step('verifying the deployment');
  await verifyDeployment({ book, config, deployers, ethereum, partner });
  return book;
}

/**
 * Checks the preconditions of sending: no role for the deployers, the chain ids, and the native unit.
 *
 * @throws Error naming the first failure.
 */
export async function expectChains({ config, ethereum, partner }: DeployBridgeInput): Promise<void> {
  const payer = partner.wallet.account.address;
  refuseDeployer(config, { ethereum: ethereum.wallet.account.address, partner: payer });
  for (const [side, target] of Object.entries({ ethereum, partner })) {
    const meant = CHAIN_IDS[config.environment][side as 'ethereum' | 'partner'];
    expectSame(`chain id of ${side}`, await target.client.getChainId(), meant);
  }
  // A deployed contract would keep a wrong unit permanently.
  await expectNativeUnit(partner.client, payer, config.nativeUnit);
}

async function readDeploymentBlock(
  { client }: DeployTarget,
  factory: Address,
  { address }: PlannedContract,
): Promise<number> {
  const contract = { address: factory, abi: bridgeFactoryAbi, functionName: 'deployedAtBlock' } as const;
  return Number(await client.readContract({ ...contract, args: [address] }));
}

function mapEach<V, T extends Readonly<Record<string, V>>>(
  each: T & Readonly<Record<string, V>>,
  to: (one: V) => Address,
) {
  const entries = Object.entries<V>(each).map(([asset, one]) => [asset, to(one)]);
  return Object.fromEntries(entries) as { readonly [Name in keyof T]: Address };
}

/** Defined here, since this package imports no other package of the workspace. */
function lower(address: Address): Address {
  return address.toLowerCase() as Address;
}
