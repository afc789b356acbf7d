import { bridgedTokenBytecode, stackAccountCode } from '@causeway/contracts/bytecode';
import { deploymentConfigSchema, type DeploymentConfig } from '@causeway/contracts/deploy';
import { PREDEPLOYS, type GenesisInput } from '@causeway/partner-chain';
import { assetInfo, DEFAULT_FEE_POLICIES, getToken, type AddressBook } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeMintAbi, testUsdcAbi, testXcnAbi } from '@causeway/protocol/abi';
import { parseEther, parseUnits, type Address } from 'viem';
import { attesterAccounts, faucetAccount, SMART_ACCOUNT, type TestAccounts } from './accounts.js';
import type { ChainClients, EthereumClients } from './clients.js';
import type { EnvironmentOptions } from './options.js';

const ASSETS = ['ETH', 'USDC', 'XCN'] as const;
const HOUR_SECONDS = 3_600;
/** Whole coins. Enough for every trial, and low enough to reach on purpose. One operation can use all of it. */
const OUTFLOW_PER_HOUR = { ETH: 1_000n, USDC: 5_000_000n, XCN: 50_000_000n } as const;
/** The policy manager can raise limits and fees up to this multiple of the first ones. */
const CEILING = 5n;
/** Exponents of ten. Limits are whole multiples of these units, in atomic units, and below 2^32 of them. */
const UNIT_EXPONENTS = { ETH: 13, USDC: 4, XCN: 17 } as const;

const XCN_OF_EACH_ACCOUNT = parseEther('1000000');
/** The deployer pays the float, the faucet and tests. */
const XCN_OF_DEPLOYER = parseEther('100000000');
const TOKENS_OF_EACH_USER = { USDC: parseUnits('1000000', 6), XCN: parseUnits('10000000', 18) } as const;

/** The faucet's holdings at the start of a stack. The deployer pays its XCN on the partner chain. */
const FAUCET_FUNDS = {
  ETH: parseEther('10000'),
  USDC: parseUnits('10000000', 6),
  XCN: parseUnits('100000000', 18),
  partnerXcn: parseEther('500000'),
} as const;
/** Kept by the deployer for gas. */
const XCN_FOR_GAS = parseEther('100000');

/** Alice's deposits before a new environment is ready, in atomic units. They suffice for several withdrawals. */
export const FIRST_DEPOSITS = {
  ETH: parseUnits('10', 18),
  USDC: parseUnits('10000', 6),
  XCN: parseUnits('100000', 18),
} as const;

/** Further assets with their tokens on Ethereum. */
type FurtherAssets = Readonly<Record<string, EnvironmentOptions['assets'][string] & { readonly token: Address }>>;

/** Deploys a token on Ethereum for each further asset. The deployer mints it. */
export async function deployTestTokens(
  assets: EnvironmentOptions['assets'],
  { deployer }: TestAccounts,
  { getWallet, client }: ChainClients,
): Promise<FurtherAssets> {
  const deployed: [string, FurtherAssets[string]][] = [];
  for (const [asset, entry] of Object.entries(assets)) {
    const args = [entry.name, asset, entry.decimals, deployer.address] as const;
    const hash = await getWallet(deployer).deployContract({
      abi: bridgedTokenAbi,
      bytecode: bridgedTokenBytecode,
      args,
    });
    const { contractAddress: token } = await client.waitForTransactionReceipt({ hash });
    if (!token) throw new Error(`The test token of ${asset} was not deployed: ${hash} reverted`);
    deployed.push([asset, { ...entry, token }]);
  }
  return Object.fromEntries(deployed);
}

type AttesterTerms = Pick<EnvironmentOptions, 'attesters' | 'threshold'>;

/** The configuration of a local deployment: the specification's fees, test tokens, 8 decimals of XCN in the EVM. */
export function localDeployment(
  accounts: TestAccounts,
  adminDelaySeconds: number,
  assets: FurtherAssets,
  attesters: AttesterTerms = { attesters: 0, threshold: 0 },
): DeploymentConfig {
  const forEachAsset = <T>(make: (asset: (typeof ASSETS)[number]) => T) =>
    Object.fromEntries(ASSETS.map((asset) => [asset, make(asset)]));
  const policies = (factor: bigint) =>
    forEachAsset((asset) => {
      const { bps, minFee, minAmount } = DEFAULT_FEE_POLICIES[asset];
      return {
        bps: bps * Number(factor),
        minFee: (minFee * factor).toString(),
        minAmount: (minAmount * factor).toString(),
      };
    });
  const limits = (factor: bigint, windowSeconds: number) =>
    forEachAsset((asset) => {
      const most = (factor * OUTFLOW_PER_HOUR[asset] * 10n ** BigInt(assetInfo(asset).decimals)).toString();
      return { capacity: most, windowSeconds, maxAmount: most };
    });
  return deploymentConfigSchema.parse({
    environment: 'local',
    relayer: accounts.relayer.address,
    guardian: accounts.guardian.address,
    recovery: accounts.recovery.address,
    pausers: [accounts.pauser.address],
    policyManager: accounts.policyManager.address,
    treasury: accounts.treasury.address,
    ...(adminDelaySeconds === 0 ? {} : { admin: accounts.deployer.address }),
    adminDelaySeconds,
    attesters: attesterAccounts(attesters.attesters).map(({ address }) => address),
    threshold: attesters.threshold,
    nativeUnit: assetInfo('XCN').granularity.toString(),
    unitExponents: UNIT_EXPONENTS,
    feePolicies: policies(1n),
    feeCeilings: policies(CEILING),
    limits: limits(1n, HOUR_SECONDS),
    limitCeilings: limits(CEILING, 60),
    assets,
  });
}

/**
 * The genesis of the partner chain: every account has XCN, and the deployer also has the float. Alice also owns a smart
 * account.
 *
 * @param float in wei.
 */
export function partnerGenesis(accounts: TestAccounts, float: bigint): GenesisInput {
  const balances = Object.entries(accounts).map(([name, { address }]) => {
    const balance = name === 'deployer' ? XCN_OF_DEPLOYER + float : XCN_OF_EACH_ACCOUNT;
    return [address, { balance: balance.toString() }] as const;
  });
  const smartAccount = { balance: XCN_OF_EACH_ACCOUNT.toString(), code: stackAccountCode };
  return { alloc: { ...PREDEPLOYS, ...Object.fromEntries(balances), [SMART_ACCOUNT]: smartAccount } };
}

/**
 * Moves the float from the deployer into BridgeMint, which pays deposits of XCN out of it.
 *
 * @param float in wei.
 */
export async function fundFloat(
  book: AddressBook,
  { deployer }: TestAccounts,
  partner: ChainClients,
  float: bigint,
): Promise<void> {
  const hash = await partner.getWallet(deployer).writeContract({
    address: book.partner.bridgeMint,
    abi: bridgeMintAbi,
    functionName: 'topUp',
    value: float,
  });
  const { status } = await partner.client.waitForTransactionReceipt({ hash });
  if (status !== 'success') throw new Error(`The float was not funded: ${hash} reverted`);
}

/** Mints test tokens to both users on Ethereum. Every account has ETH from the node and XCN from the genesis. */
export async function fundUsers(book: AddressBook, accounts: TestAccounts, ethereum: ChainClients): Promise<void> {
  const { deployer, alice, bob } = accounts;
  const wallet = ethereum.getWallet(deployer);
  const first = await ethereum.client.getTransactionCount({ address: deployer.address });
  const tokens = [
    { address: book.ethereum.tokens.USDC, abi: testUsdcAbi, amount: TOKENS_OF_EACH_USER.USDC },
    { address: book.ethereum.tokens.XCN, abi: testXcnAbi, amount: TOKENS_OF_EACH_USER.XCN },
    ...Object.keys(book.assets ?? {}).map((asset) => {
      const amount = parseUnits('1000000', assetInfo(asset).decimals);
      return { address: getToken(book, 'ethereum', asset), abi: bridgedTokenAbi, amount };
    }),
  ];
  const mints = [alice, bob].flatMap((user) => tokens.map((token) => ({ ...token, to: user.address })));
  const hashes = await Promise.all(
    mints.map(({ address, abi, to, amount }, index) =>
      wallet.writeContract({ address, abi, functionName: 'mint', args: [to, amount], nonce: first + index }),
    ),
  );
  for (const hash of hashes) await ethereum.client.waitForTransactionReceipt({ hash });
}

/**
 * Tops up the faucet's wallet at each start, so that a state from a run without a faucet works too. Any account can
 * mint the test tokens.
 */
export async function fundFaucet(
  book: AddressBook,
  { deployer }: TestAccounts,
  ethereum: EthereumClients,
  partner: ChainClients,
): Promise<void> {
  const faucet = faucetAccount();
  const { address } = faucet;
  await ethereum.test.setBalance({ address, value: FAUCET_FUNDS.ETH });
  for (const asset of ['USDC', 'XCN'] as const) {
    const token = { address: book.ethereum.tokens[asset], abi: testXcnAbi } as const;
    const held = await ethereum.client.readContract({ ...token, functionName: 'balanceOf', args: [address] });
    if (held >= FAUCET_FUNDS[asset]) continue;
    const args = [address, FAUCET_FUNDS[asset] - held] as const;
    const hash = await ethereum.getWallet(faucet).writeContract({ ...token, functionName: 'mint', args });
    await ethereum.client.waitForTransactionReceipt({ hash });
  }
  const [held, left] = (await Promise.all(
    [address, deployer.address].map(async (owner) => partner.client.getBalance({ address: owner })),
  )) as [bigint, bigint];
  const spare = left - XCN_FOR_GAS;
  const missing = FAUCET_FUNDS.partnerXcn - held;
  const value = missing < spare ? missing : spare;
  if (value <= 0n) return;
  const hash = await partner.getWallet(deployer).sendTransaction({ to: address, value });
  await partner.client.waitForTransactionReceipt({ hash });
}
