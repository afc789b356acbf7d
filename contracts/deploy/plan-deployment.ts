import { keccak256, stringToHex, zeroAddress, type Abi, type Address, type Hex } from 'viem';
import { SPECIFIED_ASSETS, type Asset } from '../cli/assets.js';
import {
  adminTimelockAbi,
  bridgedTokenAbi,
  bridgeLockAbi,
  bridgeMintAbi,
  testUsdcAbi,
  testXcnAbi,
} from '../generated/abi.js';
import {
  adminTimelockBytecode,
  bridgedTokenBytecode,
  bridgeLockBytecode,
  bridgeMintBytecode,
  testUsdcBytecode,
  testXcnBytecode,
} from '../generated/bytecode.js';
import { listSettings, type AssetSettings } from './asset-settings.js';
import type { DeploymentConfig } from './deployment-config.js';
import { computeSaltAddress } from './factory.js';

/** A contract to deploy. */
export interface PlannedContract {
  readonly name: string;
  readonly address: Address;
  readonly salt: Hex;
  readonly abi: Abi;
  readonly bytecode: Hex;
  readonly args: readonly unknown[];
}

/** One side of a deployment before anything is deployed. */
interface PlannedSide {
  readonly chainId: number;
  readonly deployer: Address;
  readonly factory: Address;
}

/** The contracts of a deployment with their addresses and constructor arguments. */
export interface DeploymentPlan {
  readonly bridgeLock: PlannedContract;
  readonly bridgeMint: PlannedContract;
  readonly bridgedTokens: Readonly<Record<'ETH' | 'USDC', PlannedContract> & Record<Asset, PlannedContract>>;
  /** On Ethereum. */
  readonly tokens: Readonly<Record<'USDC' | 'XCN', Address> & Record<Asset, Address>>;
  readonly owners: { readonly ethereum: Owners; readonly partner: Owners };
  /**
   * All contracts in the order of their deployment. The timelocks come after the contracts that they administer, so
   * deployedAtBlock of the address book covers both.
   */
  readonly contracts: { readonly ethereum: readonly PlannedContract[]; readonly partner: readonly PlannedContract[] };
}

/** The power of ten whose multiples an asset is counted in. A further asset has all its decimals on both chains. */
function granularityExponent(asset: Asset): number {
  return asset === 'XCN' ? SPECIFIED_ASSETS.XCN.decimals - SPECIFIED_ASSETS.XCN.displayDecimals : 0;
}

/** The accounts that govern a contract. */
interface Owners {
  readonly admin: Address;
  readonly guardian: Address;
  readonly policyManager: Address;
}

/**
 * Computes a deployment without any chain. Addresses depend on the factory, the deployer, the environment and the salt
 * only. So the constructors of both bridge contracts and their tokens receive each other's addresses, and no key sets
 * anything afterwards.
 */
export function planDeployment(config: DeploymentConfig, ethereum: PlannedSide, partner: PlannedSide): DeploymentPlan {
  const place = ({ factory, deployer }: PlannedSide, name: string): { name: string; salt: Hex; address: Address } => {
    const salt = keccak256(stringToHex(`causeway/${config.environment}/${config.salt}/${name}`));
    return { name, salt, address: computeSaltAddress(factory, deployer, salt) };
  };
  const testTokens = config.tokens
    ? null
    : {
        USDC: { ...place(ethereum, 'TestUSDC'), abi: testUsdcAbi, bytecode: testUsdcBytecode, args: [] },
        XCN: { ...place(ethereum, 'TestXCN'), abi: testXcnAbi, bytecode: testXcnBytecode, args: [] },
      };
  const further = Object.entries(config.assets);
  const tokens: DeploymentPlan['tokens'] = {
    ...(config.tokens ?? {
      USDC: place(ethereum, 'TestUSDC').address,
      XCN: place(ethereum, 'TestXCN').address,
    }),
    ...Object.fromEntries(further.map(([asset, { token }]) => [asset, token])),
  };
  const lock = place(ethereum, 'BridgeLock');
  const mint = place(partner, 'BridgeMint');
  const timelock = (side: 'ethereum' | 'partner', on: PlannedSide): PlannedContract | null => {
    const { admin, guardian, recovery } = config;
    if (admin === undefined || recovery === undefined) return null;
    const args = [config.adminDelaySeconds, admin[side], guardian[side], recovery[side]];
    return { ...place(on, 'AdminTimelock'), abi: adminTimelockAbi, bytecode: adminTimelockBytecode, args };
  };
  const adminTimelocks = { ethereum: timelock('ethereum', ethereum), partner: timelock('partner', partner) };
  const getOwners = (side: 'ethereum' | 'partner', { deployer }: PlannedSide): Owners => ({
    admin: adminTimelocks[side]?.address ?? deployer,
    guardian: config.guardian[side],
    policyManager: config.policyManager[side],
  });
  const owners = { ethereum: getOwners('ethereum', ethereum), partner: getOwners('partner', partner) };
  const setup = (peer: Address, peerChainId: number, governors: Owners) => ({
    peerChainId: BigInt(peerChainId),
    peer,
    ...governors,
    relayer: config.relayer,
    standby: config.standby ?? zeroAddress,
    attesters: config.attesters,
    threshold: BigInt(config.threshold),
    minimumThreshold: BigInt(config.minimumThreshold),
  });
  const toLimits = ({ capacity, windowSeconds, maxAmount }: AssetSettings['limits']) => ({
    capacity,
    window: BigInt(windowSeconds),
    maxAmount,
  });
  const settings = listSettings(config);
  // The coin of a chain is listed as the zero address.
  const bridgedAddress = (asset: Asset) => bridgedTokens[asset]?.address ?? zeroAddress;
  const listed = (getTokenAddress: (asset: Asset) => Address) =>
    settings.map(([asset, { unitExponent, limits, limitCeiling }]) => ({
      token: getTokenAddress(asset),
      granularityExponent: granularityExponent(asset),
      unitExponent,
      limits: toLimits(limits),
      ceiling: toLimits(limitCeiling),
    }));
  const bridgedToken = (asset: Asset, name: string, decimals: number): PlannedContract => ({
    ...place(partner, `Bridged${asset}`),
    abi: bridgedTokenAbi,
    bytecode: bridgedTokenBytecode,
    args: [name, asset, decimals, mint.address],
  });
  const bridgedTokens: DeploymentPlan['bridgedTokens'] = {
    ETH: bridgedToken('ETH', 'Bridged Ether', SPECIFIED_ASSETS.ETH.decimals),
    USDC: bridgedToken('USDC', 'Bridged USD Coin', SPECIFIED_ASSETS.USDC.decimals),
    ...Object.fromEntries(further.map(([asset, { name, decimals }]) => [asset, bridgedToken(asset, name, decimals)])),
  };
  const bridgeLock: PlannedContract = {
    ...lock,
    abi: bridgeLockAbi,
    bytecode: bridgeLockBytecode,
    args: [
      setup(mint.address, partner.chainId, owners.ethereum),
      listed((asset) => tokens[asset] ?? zeroAddress),
      tokens.XCN,
      config.treasury,
    ],
  };
  const bridgeMint: PlannedContract = {
    ...mint,
    abi: bridgeMintAbi,
    bytecode: bridgeMintBytecode,
    args: [
      setup(lock.address, ethereum.chainId, owners.partner),
      listed(bridgedAddress),
      settings.map(([asset, { feePolicy: policy, feeCeiling: ceiling }]) => ({
        token: bridgedAddress(asset),
        policy,
        ceiling,
      })),
      config.nativeUnit,
    ],
  };
  const given = (contract: PlannedContract | null) => (contract === null ? [] : [contract]);
  return {
    tokens,
    owners,
    bridgeLock,
    bridgeMint,
    bridgedTokens,
    contracts: {
      ethereum: [...Object.values(testTokens ?? {}), bridgeLock, ...given(adminTimelocks.ethereum)],
      partner: [bridgeMint, ...Object.values(bridgedTokens), ...given(adminTimelocks.partner)],
    },
  };
}
