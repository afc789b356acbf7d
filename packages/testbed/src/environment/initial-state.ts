import { deploymentConfigSchema, type DeploymentConfig } from '@causeway/contracts/deploy';
import { PREDEPLOYS, type GenesisInput } from '@causeway/partner-chain';
import { ASSETS, assetInfo, DEFAULT_FEE_POLICIES, type AddressBook, type Asset } from '@causeway/protocol';
import { testUsdcAbi, testXcnAbi } from '@causeway/protocol/abi';
import { parseEther, parseUnits } from 'viem';
import type { TestAccounts } from './accounts.js';
import type { ChainClients } from './clients.js';

const HOUR_SECONDS = 3_600;
/** In whole coins. Enough for every trial, and low enough to reach it on purpose. */
const OUTFLOW_PER_HOUR = { ETH: 1_000n, USDC: 5_000_000n, XCN: 50_000_000n } as const;

/** The relayer's balance of native XCN at the genesis: it pays deposits of XCN out of it. In wei. */
const XCN_FLOAT = parseEther('100000000');
const XCN_OF_EACH_ACCOUNT = parseEther('1000000');
const TOKENS_OF_EACH_USER = { USDC: parseUnits('1000000', 6), XCN: parseUnits('10000000', 18) } as const;

/** What Alice deposits before a new environment is ready, in atomic units: enough for several withdrawals. */
export const FIRST_DEPOSITS: Readonly<Record<Asset, bigint>> = {
  ETH: parseUnits('10', 18),
  USDC: parseUnits('10000', 6),
  XCN: parseUnits('100000', 18),
};

/** The configuration of a local deployment: the specification's fees, test tokens, 8 decimals of XCN inside the EVM. */
export function localDeployment(accounts: TestAccounts): DeploymentConfig {
  const forEachAsset = <T>(make: (asset: Asset) => T) =>
    Object.fromEntries(ASSETS.map((asset) => [asset, make(asset)]));
  return deploymentConfigSchema.parse({
    environment: 'local',
    relayer: accounts.relayer.address,
    guardian: accounts.guardian.address,
    treasury: accounts.treasury.address,
    adminDelaySeconds: 0,
    nativeUnit: assetInfo('XCN').granularity.toString(),
    feePolicies: forEachAsset((asset) => {
      const { bps, minFee, minAmount } = DEFAULT_FEE_POLICIES[asset];
      return { bps, minFee: minFee.toString(), minAmount: minAmount.toString() };
    }),
    outflowLimits: forEachAsset((asset) => ({
      capacity: (OUTFLOW_PER_HOUR[asset] * 10n ** BigInt(assetInfo(asset).decimals)).toString(),
      windowSeconds: HOUR_SECONDS,
    })),
  });
}

/** The genesis of the partner chain: every account has XCN, the relayer the float. */
export function partnerGenesis(accounts: TestAccounts): GenesisInput {
  const balances = Object.entries(accounts).map(([name, { address }]) => {
    const balance = name === 'relayer' ? XCN_FLOAT : XCN_OF_EACH_ACCOUNT;
    return [address, { balance: balance.toString() }] as const;
  });
  return { alloc: { ...PREDEPLOYS, ...Object.fromEntries(balances) } };
}

/** Mints test tokens to both users on Ethereum. Every account has ETH from the node and XCN from the genesis. */
export async function fundUsers(book: AddressBook, accounts: TestAccounts, ethereum: ChainClients): Promise<void> {
  const { deployer, alice, bob } = accounts;
  const wallet = ethereum.walletOf(deployer);
  const first = await ethereum.client.getTransactionCount({ address: deployer.address });
  const tokens = [
    { address: book.ethereum.tokens.USDC, abi: testUsdcAbi, amount: TOKENS_OF_EACH_USER.USDC },
    { address: book.ethereum.tokens.XCN, abi: testXcnAbi, amount: TOKENS_OF_EACH_USER.XCN },
  ];
  const mints = [alice, bob].flatMap((user) => tokens.map((token) => ({ ...token, to: user.address })));
  const hashes = await Promise.all(
    mints.map(({ address, abi, to, amount }, index) =>
      wallet.writeContract({ address, abi, functionName: 'mint', args: [to, amount], nonce: first + index }),
    ),
  );
  for (const hash of hashes) await ethereum.client.waitForTransactionReceipt({ hash });
}
