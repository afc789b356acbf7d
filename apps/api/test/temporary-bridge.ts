import { deployBridge, deploymentConfigSchema } from '@causeway/contracts/deploy';
import { assetInfo, DEFAULT_FEE_POLICIES, type AddressBook } from '@causeway/protocol';
import { ETHEREUM, PARTNER, startAnvil, testAccount, type Anvil } from '@causeway/test-kit';

/** Two development chains with the contracts of the bridge. Account 0 of the test mnemonic is the admin. */
export interface TemporaryBridge {
  readonly ethereum: Anvil;
  readonly partner: Anvil;
  readonly book: AddressBook;
  readonly stop: () => Promise<void>;
}

const ASSETS = ['ETH', 'USDC', 'XCN'] as const;
/** In whole coins. One operation can use all of it. */
const OUTFLOW_CAPACITY = { ETH: 1_000n, USDC: 5_000_000n, XCN: 50_000_000n } as const;

/**
 * Starts both chains and deploys the contracts. The partner chain is an anvil, so XCN has 18 decimals in its EVM.
 *
 * @param over configuration fields, such as the owner of a timelock, which then is the admin.
 */
export async function temporaryBridge(over: object = {}): Promise<TemporaryBridge> {
  const [ethereum, partner] = await Promise.all([startAnvil({ chainId: ETHEREUM }), startAnvil({ chainId: PARTNER })]);
  const perAsset = <T>(make: (asset: (typeof ASSETS)[number]) => T) =>
    Object.fromEntries(ASSETS.map((asset) => [asset, make(asset)]));
  const policies = perAsset((asset) => {
    const { bps, minFee, minAmount } = DEFAULT_FEE_POLICIES[asset];
    return { bps, minFee: minFee.toString(), minAmount: minAmount.toString() };
  });
  const limits = perAsset((asset) => {
    const most = (OUTFLOW_CAPACITY[asset] * 10n ** BigInt(assetInfo(asset).decimals)).toString();
    return { capacity: most, windowSeconds: 3_600, maxAmount: most };
  });
  const config = deploymentConfigSchema.parse({
    environment: 'local',
    relayer: testAccount(1).address,
    guardian: testAccount(2).address,
    recovery: testAccount(8).address,
    pausers: [testAccount(9).address],
    treasury: testAccount(3).address,
    policyManager: testAccount(7).address,
    adminDelaySeconds: 0,
    nativeUnit: '1',
    unitExponents: { ETH: 13, USDC: 4, XCN: 17 },
    feePolicies: policies,
    feeCeilings: policies,
    limits,
    limitCeilings: limits,
    ...over,
  });
  const book = await deployBridge({ config, ethereum, partner });
  return {
    ethereum,
    partner,
    book,
    stop: async () => {
      await Promise.all([ethereum.stop(), partner.stop()]);
    },
  };
}
