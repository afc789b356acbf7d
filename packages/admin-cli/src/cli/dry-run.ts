import { formatUnits, zeroAddress } from 'viem';
import type { Asset } from '@causeway/contracts/assets';
import {
  CHAIN_NAMES,
  listSettings,
  type AssetSettings,
  type ChainName,
  type DeploymentConfig,
  type DeploymentPlan,
  type SimulatedDeployment,
} from '@causeway/contracts/deploy';
import { formatWithUnit, formatDuration, formatRate } from '@causeway/governance';

/** Describes a simulated deployment to an operator: addresses, keys, limits and fees of both contracts. */
export function describeDeployment(
  config: DeploymentConfig,
  { plan, contracts, withoutFactory }: SimulatedDeployment,
): readonly string[] {
  return [
    ...withoutFactory.map(
      (side) =>
        `The factory on ${side} does not exist yet: if the chain refuses the deterministic-deployment proxy, ` +
        'the addresses will differ.',
    ),
    ...contracts.map(
      ({ side, name, address, exists }) => `${name} on ${side}: ${address}${exists ? ' (already exists)' : ''}`,
    ),
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
    `  admin: ${admin}, ${owner === undefined ? 'the deployer' : `a timelock with a delay of ${delay}, owned by ${owner}`}`,
    `  guardian: ${config.guardian[side]}, through the Sentinel ${guardian}`,
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
    ...(threshold === 0 ? ["  with a threshold of 0 the relayer's key is enough to deliver, within the limits"] : []),
    ...(minimumThreshold === 0
      ? ['  the deployment fixes this minimum: the admin can later return to a threshold of 0']
      : []),
  ];
}

function describeExitWindow({ exitWindowSeconds: seconds }: DeploymentConfig): string {
  return `exit window: ${seconds === 0 ? 'none, so the contracts can never have successors' : formatDuration(seconds)}`;
}

function describeAsset(asset: Asset, settings: AssetSettings, { nativeUnit }: DeploymentConfig): string[] {
  const unit = formatWithUnit(asset, 10n ** BigInt(settings.unitExponent));
  const limits = ({ capacity, windowSeconds, maxAmount }: AssetSettings['limits']) =>
    `capacity ${formatWithUnit(asset, capacity)}, window ${formatDuration(windowSeconds)}, ` +
    `maximum amount ${formatWithUnit(asset, maxAmount)}`;
  const fees = ({ bps, minFee, minAmount }: AssetSettings['feePolicy']) =>
    `rate ${formatRate(bps)}, minimum fee ${formatWithUnit(asset, minFee)}, ` +
    `minimum amount ${formatWithUnit(asset, minAmount)}`;
  return [
    `${asset}, limits in units of ${unit}`,
    `  limits: ${limits(settings.limits)}`,
    `  ceilings: ${limits(settings.limitCeiling)} (the shortest window)`,
    `  fees: ${fees(settings.feePolicy)}`,
    `  ceilings: ${fees(settings.feeCeiling)}`,
    ...(asset === 'XCN' ? [`  native unit: ${formatUnits(nativeUnit, 18)} XCN`] : []),
  ];
}
