import { formatUnits, zeroAddress } from 'viem';
import { formatAmount, formatDuration, formatRate } from '../cli/amounts.js';
import { setAssets, type Asset } from '../cli/assets.js';
import { getFurtherAssets, listSettings, type AssetSettings } from './asset-settings.js';
import { CHAIN_NAMES, type ChainName } from './chains.js';
import { encodeCreation, expectChains, expectConstructor, type DeployBridgeInput } from './deploy-bridge.js';
import type { DeploymentConfig } from './deployment-config.js';
import { findFactory } from './factory.js';
import { planDeployment, type DeploymentPlan } from './plan-deployment.js';

/**
 * Shows a deployment and runs its constructors without sending anything.
 *
 * @returns lines for the operator: addresses, keys, limits and fees of both contracts.
 * @throws Error naming what the deployment would refuse: a role of the deployer, another chain or native unit, or a
 * constructor with its decoded error.
 */
export async function dryRunDeployment(input: DeployBridgeInput): Promise<readonly string[]> {
  const { config } = input;
  await expectChains(input);
  setAssets(getFurtherAssets(config));
  const notes: string[] = [];
  const readSide = async (side: ChainName) => {
    const { client, wallet } = input[side];
    const { address: factory, exists } = await findFactory(input[side], config.factory[side]);
    if (!exists) {
      notes.push(
        `The factory on ${side} does not exist yet: where the chain refuses the deterministic-deployment proxy, ` +
          'the addresses will be others.',
      );
    }
    return { chainId: await client.getChainId(), deployer: wallet.account.address, factory };
  };
  const plan = planDeployment(config, await readSide('ethereum'), await readSide('partner'));
  for (const side of CHAIN_NAMES) {
    for (const contract of plan.contracts[side]) {
      const exists = (await input[side].client.getCode({ address: contract.address })) !== undefined;
      if (!exists) await expectConstructor(input[side], contract, encodeCreation(contract));
      notes.push(`${contract.name} on ${side}: ${contract.address}${exists ? ' (exists already)' : ''}`);
    }
  }
  return [
    ...notes,
    ...CHAIN_NAMES.flatMap((side) => describeKeys(side, config, plan)),
    ...describeAttesters(config),
    describeExitWindow(config),
    ...listSettings(config).flatMap(([asset, settings]) => describeAsset(asset, settings, config)),
  ];
}

function describeKeys(side: ChainName, config: DeploymentConfig, { owners }: DeploymentPlan): string[] {
  const { admin, guardian, policyManager } = owners[side];
  const { pausers } = config;
  const owner = config.admin?.[side];
  const delay = formatDuration(config.adminDelaySeconds);
  return [
    `keys on ${side}`,
    `  admin: ${admin}, ${owner === undefined ? 'the deployer itself' : `a timelock of ${delay} owned by ${owner}`}`,
    `  guardian: ${config.guardian[side]}, by the Sentinel ${guardian}`,
    `  recovery: ${config.recovery[side]}`,
    `  pausers: ${pausers.length === 0 ? 'none: only the guardian pauses' : pausers.join(', ')}`,
    `  policy manager: ${policyManager}`,
    `  relayer: ${config.relayer}`,
    `  standby: ${config.standby ?? `none (${zeroAddress})`}`,
    ...(side === 'ethereum' ? [`  treasury: ${config.treasury}`] : []),
  ];
}

function describeAttesters({ attesters, threshold, minimumThreshold }: DeploymentConfig): string[] {
  return [
    `attesters: ${attesters.length === 0 ? 'none' : attesters.join(', ')}`,
    `  threshold: ${threshold}, never below ${minimumThreshold}`,
    ...(threshold === 0 ? ["  with a threshold of 0 the relayer's key alone delivers, within the limits"] : []),
    ...(minimumThreshold === 0 ? ['  the minimum is fixed by the deployment: later the admin may return to 0'] : []),
  ];
}

function describeExitWindow({ exitWindowSeconds: seconds }: DeploymentConfig): string {
  return `exit window: ${seconds === 0 ? 'none, so the contracts never have successors' : formatDuration(seconds)}`;
}

function describeAsset(asset: Asset, settings: AssetSettings, { nativeUnit }: DeploymentConfig): string[] {
  const unit = formatAmount(10n ** BigInt(settings.unitExponent), asset);
  const limits = ({ capacity, windowSeconds, maxAmount }: AssetSettings['limits']) =>
    `capacity ${formatAmount(capacity, asset)}, window ${formatDuration(windowSeconds)}, ` +
    `maximum amount ${formatAmount(maxAmount, asset)}`;
  const fees = ({ bps, minFee, minAmount }: AssetSettings['feePolicy']) =>
    `rate ${formatRate(bps)}, minimum fee ${formatAmount(minFee, asset)}, ` +
    `minimum amount ${formatAmount(minAmount, asset)}`;
  return [
    `${asset}, limits in units of ${unit}`,
    `  limits: ${limits(settings.limits)}`,
    `  ceilings: ${limits(settings.limitCeiling)} (the window is the shortest)`,
    `  fees: ${fees(settings.feePolicy)}`,
    `  ceilings: ${fees(settings.feeCeiling)}`,
    ...(asset === 'XCN' ? [`  native unit: ${formatUnits(nativeUnit, 18)} XCN`] : []),
  ];
}
