import { deploymentConfigSchema, type DeploymentConfig } from '@causeway/contracts/deploy';
import { ASSETS, assetInfo, DEFAULT_FEE_POLICIES } from '@causeway/protocol';
import type { TestAccounts } from './test-accounts.js';

const HOUR_SECONDS = 3_600;
/** In whole coins; ample for trying things, small enough to see the limit at work. */
const OUTFLOW_PER_HOUR = { ETH: 1_000n, USDC: 5_000_000n, XCN: 50_000_000n } as const;

/** The deployment of a test world: the specification's fees, test tokens, and 8 decimals of XCN inside the partner chain's EVM. */
export function localDeployment(accounts: TestAccounts): DeploymentConfig {
  const perAsset = <T>(make: (asset: (typeof ASSETS)[number]) => T) =>
    Object.fromEntries(ASSETS.map((asset) => [asset, make(asset)]));
  return deploymentConfigSchema.parse({
    environment: 'local',
    relayer: accounts.relayer.address,
    guardian: accounts.guardian.address,
    treasury: accounts.treasury.address,
    adminDelaySeconds: 0,
    nativeUnit: assetInfo('XCN').granularity.toString(),
    feePolicies: perAsset((asset) => {
      const { bps, minFee, minAmount } = DEFAULT_FEE_POLICIES[asset];
      return { bps, minFee: minFee.toString(), minAmount: minAmount.toString() };
    }),
    outflowLimits: perAsset((asset) => ({
      capacity: (OUTFLOW_PER_HOUR[asset] * 10n ** BigInt(assetInfo(asset).decimals)).toString(),
      windowSeconds: HOUR_SECONDS,
    })),
  });
}
