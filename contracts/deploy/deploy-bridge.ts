import type { Address } from 'viem';
import { bridgeFactoryAbi } from '../generated/abi.js';
import type { AddressBook } from './address-book.js';
import { CHAIN_IDS } from './chain-ids.js';
import type { DeployTarget } from './deploy-target.js';
import type { DeploymentConfig } from './deployment-config.js';
import { deployOnce, type PlannedContract } from './factory/deploy-once.js';
import { ensureFactory } from './factory/ensure-factory.js';
import { planDeployment } from './plan-deployment.js';
import { expectSame } from './verify/expect-same.js';
import { refuseDeployer } from './verify/refuse-deployer.js';
import { verifyDeployment } from './verify/verify-deployment.js';
import { verifyNativeUnit } from './verify/verify-native-unit.js';

/** What a deployment needs. The wallets' accounts only pay, unless the local environment leaves owners out. */
export interface DeployBridgeInput {
  readonly config: DeploymentConfig;
  readonly ethereum: DeployTarget;
  readonly partner: DeployTarget;
  /** Hears of every step, for people who wait. */
  readonly onStep?: (step: string) => void;
}

/**
 * Deploys both ends of the bridge and their tokens at addresses that depend on the deployers, the factories, the environment
 * and the salt of the configuration only, and reads everything back. Roles, tokens, limits and fees are set by the
 * constructors. What an earlier run deployed is kept, so a run that was interrupted is repeated.
 *
 * @throws Error when a transaction reverts or what is on the chain is not what was meant.
 */
export async function deployBridge({ config, ethereum, partner, onStep }: DeployBridgeInput): Promise<AddressBook> {
  const step = onStep ?? (() => undefined);
  const deployers = { ethereum: ethereum.wallet.account.address, partner: partner.wallet.account.address };
  refuseDeployer(config, deployers);
  for (const [side, target] of Object.entries({ ethereum, partner })) {
    const meant = CHAIN_IDS[config.environment][side as 'ethereum' | 'partner'];
    expectSame(`id of the ${side} chain`, await target.client.getChainId(), meant);
  }
  // Before anything is deployed that would have the wrong one for ever.
  await verifyNativeUnit(partner.client, deployers.partner, config.nativeUnit);
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
  const { testTokens, bridgeLock, bridgeMint, bridgedTokens, adminTimelocks: timelocks } = plan;
  const onEthereum = [...Object.values(testTokens ?? {}), bridgeLock, timelocks.ethereum];
  const onPartner = [bridgeMint, ...Object.values(bridgedTokens), timelocks.partner];
  // The timelocks come after the ends whose admin they are: what the address book calls the first block covers both.
  const sides = await Promise.allSettled([
    deploy(
      ethereum,
      factories.ethereum,
      onEthereum.filter((contract) => contract !== null),
    ),
    deploy(
      partner,
      factories.partner,
      onPartner.filter((contract) => contract !== null),
    ),
  ]);
  // Both sides have come to rest: nothing is sent any more when this fails.
  for (const side of sides) if (side.status === 'rejected') throw side.reason;
  const book: AddressBook = {
    environment: config.environment,
    ethereum: {
      chainId: ethereumChainId,
      bridgeLock: lower(bridgeLock.address),
      tokens: { USDC: lower(plan.tokens.USDC), XCN: lower(plan.tokens.XCN) },
      deployedAtBlock: await blockOf(ethereum, factories.ethereum, bridgeLock),
    },
    partner: {
      chainId: partnerChainId,
      bridgeMint: lower(bridgeMint.address),
      tokens: { ETH: lower(bridgedTokens.ETH.address), USDC: lower(bridgedTokens.USDC.address) },
      deployedAtBlock: await blockOf(partner, factories.partner, bridgeMint),
      nativeUnit: config.nativeUnit.toString(),
    },
    relayer: lower(config.relayer),
  };
  step('reading it back');
  await verifyDeployment({ book, config, deployers, ethereum, partner });
  return book;
}

async function blockOf({ client }: DeployTarget, factory: Address, { address }: PlannedContract): Promise<number> {
  const contract = { address: factory, abi: bridgeFactoryAbi, functionName: 'deployedAtBlock' } as const;
  return Number(await client.readContract({ ...contract, args: [address] }));
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address;
}
