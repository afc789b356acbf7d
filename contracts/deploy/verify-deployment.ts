import type { Address, PublicClient } from 'viem';
import { assetInfo } from './assets.js';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '../generated/abi.js';
import { bridgedTokenCode, bridgeLockCode, bridgeMintCode } from '../generated/deployed-code.js';
import { getToken, type AddressBook } from './address-book.js';
import { listSettings, type AssetSettings } from './asset-settings.js';
import { refuseDeployer, type DeploymentConfig } from './deployment-config.js';
import { expectCode, expectSame } from './expect.js';
import { verifyRoles, type BridgeContract } from './verify-roles.js';

/** A deployment and its configuration. */
export interface VerifyDeploymentInput {
  readonly book: AddressBook;
  readonly config: DeploymentConfig;
  /** They must hold no role, except that the deployer is the admin when a local configuration omits the owner. */
  readonly deployers: { readonly ethereum: Address; readonly partner: Address };
  readonly ethereum: { readonly client: PublicClient };
  readonly partner: { readonly client: PublicClient };
}

/**
 * Compares the contracts on the chains with the address book and the configuration: code, peers, keys, pauses, and
 * every token's listing, limits, fees and ceilings.
 *
 * @throws Error naming the first difference.
 */
export async function verifyDeployment(input: VerifyDeploymentInput): Promise<void> {
  const { book, config, deployers } = input;
  refuseDeployer(config, deployers);
  const bridges = [
    { name: 'BridgeLock', side: 'ethereum', address: book.ethereum.bridgeLock, ...book.ethereum },
    { name: 'BridgeMint', side: 'partner', address: book.partner.bridgeMint, ...book.partner },
  ] as const;
  const [lock, mint] = bridges;
  await expectCode(input.ethereum.client, lock.name, lock.address, bridgeLockCode);
  await expectCode(input.partner.client, mint.name, mint.address, bridgeMintCode);
  await verifyFixed(input.ethereum.client, lock, mint, config);
  await verifyFixed(input.partner.client, mint, lock, config);
  await verifyOwnSettings(input);
  await verifyBridgedTokens(input);
  for (const bridge of bridges) {
    const { client } = input[bridge.side];
    await verifyListings(client, bridge, input);
    // Services and users rely on the address book's relayer.
    await verifyRoles(client, bridge, { ...config, relayer: book.relayer }, deployers[bridge.side]);
  }
}

/** Verifies the settings that no account can change: the peer and the exit window. */
async function verifyFixed(
  client: PublicClient,
  { name, address }: BridgeContract,
  other: BridgeContract & { readonly chainId: number },
  { exitWindowSeconds }: DeploymentConfig,
): Promise<void> {
  // BridgeMint has the same functions.
  const bridge = { address, abi: bridgeLockAbi } as const;
  expectSame(`peer of ${name}`, await client.readContract({ ...bridge, functionName: 'peer' }), other.address);
  const chainId = await client.readContract({ ...bridge, functionName: 'peerChainId' });
  expectSame(`peer chain of ${name}`, chainId, other.chainId);
  const [exitWindow] = await client.readContract({ ...bridge, functionName: 'successionProgress' });
  expectSame(`exit window of ${name}`, exitWindow, exitWindowSeconds);
}

/** Verifies the settings that only one contract has: treasury, XCN, fees and their ceilings, native unit. */
async function verifyOwnSettings({ book, config, ethereum, partner }: VerifyDeploymentInput): Promise<void> {
  const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
  const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
  const treasury = await ethereum.client.readContract({ ...lock, functionName: 'treasury' });
  expectSame('treasury', treasury, config.treasury);
  const xcn = await ethereum.client.readContract({ ...lock, functionName: 'xcn' });
  expectSame('XCN of BridgeLock', xcn, book.ethereum.tokens.XCN);
  const nativeUnit = await partner.client.readContract({ ...mint, functionName: 'nativeUnit' });
  expectSame('native unit', nativeUnit, book.partner.nativeUnit);
  for (const [asset, { feePolicy, feeCeiling }] of listSettings(config)) {
    const args = [getToken(book, 'partner', asset)] as const;
    const policy = await partner.client.readContract({ ...mint, functionName: 'feePolicy', args });
    expectSame(`fee policy of ${asset}`, policy, feeValues(feePolicy));
    const ceiling = await partner.client.readContract({ ...mint, functionName: 'feeCeiling', args });
    expectSame(`fee ceiling of ${asset}`, ceiling, feeValues(feeCeiling));
  }
}

async function verifyBridgedTokens({ book, config, ethereum, partner }: VerifyDeploymentInput): Promise<void> {
  const { client } = partner;
  for (const [asset, { token: address, decimals }] of Object.entries(config.assets)) {
    const token = { address, abi: bridgedTokenAbi, functionName: 'decimals' } as const;
    expectSame(`decimals of ${asset} on Ethereum`, await ethereum.client.readContract(token), decimals);
  }
  for (const [asset, address] of Object.entries(book.partner.tokens)) {
    const token = { address, abi: bridgedTokenAbi } as const;
    await expectCode(client, `the bridged ${asset}`, address, bridgedTokenCode);
    const bridge = await client.readContract({ ...token, functionName: 'bridge' });
    expectSame(`bridge of the bridged ${asset}`, bridge, book.partner.bridgeMint);
    const decimals = await client.readContract({ ...token, functionName: 'decimals' });
    expectSame(`decimals of the bridged ${asset}`, decimals, assetInfo(asset).decimals);
    const symbol = await client.readContract({ ...token, functionName: 'symbol' });
    expectSame(`symbol of the bridged ${asset}`, symbol, asset);
  }
}

/** Verifies listing, unit, limits and ceilings of every asset in one contract. */
async function verifyListings(
  client: PublicClient,
  { name, side, address }: BridgeContract,
  { book, config }: VerifyDeploymentInput,
): Promise<void> {
  // BridgeMint has the same functions.
  const bridge = { address, abi: bridgeLockAbi } as const;
  for (const [asset, { unitExponent, limits, limitCeiling }] of listSettings(config)) {
    const args = [getToken(book, side, asset)] as const;
    const of = `of ${asset} in ${name}`;
    const unit = 10n ** BigInt(unitExponent);
    const settings = await client.readContract({ ...bridge, functionName: 'tokenSettings', args });
    expectSame(`listing ${of}`, settings, [true, true, assetInfo(asset).granularity, unit]);
    const { capacity, windowSeconds, maxAmount } = limits;
    const limit = await client.readContract({ ...bridge, functionName: 'outflowLimit', args });
    expectSame(`outflow limit ${of}`, limit, [capacity, windowSeconds]);
    const maximum = await client.readContract({ ...bridge, functionName: 'maxAmount', args });
    expectSame(`maximum amount ${of}`, maximum, maxAmount);
    const ceiling = await client.readContract({ ...bridge, functionName: 'limitCeiling', args });
    expectSame(
      `limit ceiling ${of}`,
      [ceiling.capacity, ceiling.window, ceiling.maxAmount],
      [limitCeiling.capacity, limitCeiling.windowSeconds, limitCeiling.maxAmount],
    );
  }
}

function feeValues({ bps, minFee, minAmount }: AssetSettings['feePolicy']): readonly unknown[] {
  return [bps, minFee, minAmount];
}
