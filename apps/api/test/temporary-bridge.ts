import { deployBridge, deploymentConfigSchema } from '@causeway/contracts/deploy';
import { assetInfo, ASSETS, DEFAULT_FEE_POLICIES, type AddressBook, type Asset } from '@causeway/protocol';
import { ETHEREUM, PARTNER, startAnvil, testAccount, type Anvil } from '@causeway/test-kit';

/** Two development chains with the contracts of the bridge. Account 0 of the test mnemonic is the admin. */
export interface TemporaryBridge {
  readonly ethereum: Anvil;
  readonly partner: Anvil;
  readonly book: AddressBook;
  readonly stop: () => Promise<void>;
}

/** In whole coins. */
const OUTFLOW_CAPACITY = { ETH: 1_000n, USDC: 5_000_000n, XCN: 50_000_000n } as const;

/** Starts both chains and deploys the contracts. Anvil plays the partner chain, so XCN has 18 decimals in its EVM. */
export async function temporaryBridge(): Promise<TemporaryBridge> {
  const [ethereum, partner] = await Promise.all([startAnvil({ chainId: ETHEREUM }), startAnvil({ chainId: PARTNER })]);
  const perAsset = <T>(make: (asset: Asset) => T) => Object.fromEntries(ASSETS.map((asset) => [asset, make(asset)]));
  const config = deploymentConfigSchema.parse({
    environment: 'local',
    relayer: testAccount(1).address,
    guardian: testAccount(2).address,
    treasury: testAccount(3).address,
    adminDelaySeconds: 0,
    nativeUnit: '1',
    feePolicies: perAsset((asset) => {
      const { bps, minFee, minAmount } = DEFAULT_FEE_POLICIES[asset];
      return { bps, minFee: minFee.toString(), minAmount: minAmount.toString() };
    }),
    outflowLimits: perAsset((asset) => ({
      capacity: (OUTFLOW_CAPACITY[asset] * 10n ** BigInt(assetInfo(asset).decimals)).toString(),
      windowSeconds: 3_600,
    })),
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
