import { keccak256, stringToHex, zeroAddress, type Abi, type Address, type Hex } from 'viem';
import { SPECIFIED_ASSETS, type Asset } from './assets.js';
import {
  adminTimelockAbi,
  bridgedTokenAbi,
  bridgeLockAbi,
  bridgeMintAbi,
  sentinelAbi,
  testUsdcAbi,
  testXcnAbi,
} from '../generated/abi.js';
import {
  adminTimelockBytecode,
  bridgedTokenBytecode,
  bridgeLockBytecode,
  bridgeMintBytecode,
  sentinelBytecode,
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

/** The contracts of a deployment, with addresses and constructor arguments. */
export interface DeploymentPlan {
  readonly bridgeLock: PlannedContract;
  readonly bridgeMint: PlannedContract;
  readonly bridgedTokens: Readonly<Record<'ETH' | 'USDC', PlannedContract> & Record<Asset, PlannedContract>>;
  /** On Ethereum. */
  readonly tokens: Readonly<Record<'USDC' | 'XCN', Address> & Record<Asset, Address>>;
  readonly owners: { readonly ethereum: Owners; readonly partner: Owners };
  /**
   * All contracts in the order of their deployment. Timelock and Sentinel come after the contract that they govern, so
   * the address book's deployedAtBlock covers them.
   */
  readonly contracts: { readonly ethereum: readonly PlannedContract[]; readonly partner: readonly PlannedContract[] };
}

/**
 * Amounts of an asset are multiples of ten to the power of this. Further assets have all their decimals on both chains.
 */
function granularityExponent(asset: Asset): number {
  return asset === 'XCN' ? SPECIFIED_ASSETS.XCN.decimals - SPECIFIED_ASSETS.XCN.displayDecimals : 0;
}

/** The accounts that govern a contract. */
interface Owners {
  readonly admin: Address;
  /** A Sentinel. */
  readonly guardian: Address;
  readonly policyManager: Address;
}

/**
 * Computes a deployment offline. Addresses depend only on the factory, the deployer, the environment and the salt, so
 * the constructors of both bridge contracts and their tokens receive each other's addresses, and no key sets anything
 * afterwards.
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
  const planGovernors = (side: 'ethereum' | 'partner', on: PlannedSide, bridge: Address) => {
    const offices = [config.admin?.[side] ?? on.deployer, config.guardian[side], config.recovery[side]];
    const timelock: PlannedContract = {
      ...place(on, 'AdminTimelock'),
      abi: adminTimelockAbi,
      bytecode: adminTimelockBytecode,
      args: [config.adminDelaySeconds, ...offices],
    };
    const sentinel: PlannedContract = {
      ...place(on, 'Sentinel'),
      abi: sentinelAbi,
      bytecode: sentinelBytecode,
      args: [timelock.address, bridge, config.pausers],
    };
    const owners: Owners = {
      // In a local configuration without an owner, the deployer is the admin.
      admin: config.admin === undefined ? on.deployer : timelock.address,
      guardian: sentinel.address,
      policyManager: config.policyManager[side],
    };
    return { owners, contracts: [timelock, sentinel] };
  };
  const governors = {
    ethereum: planGovernors('ethereum', ethereum, lock.address),
    partner: planGovernors('partner', partner, mint.address),
  };
  const owners = { ethereum: governors.ethereum.owners, partner: governors.partner.owners };
  const setup = (peer: Address, peerChainId: number, keys: Owners) => ({
    peerChainId: BigInt(peerChainId),
    peer,
    ...keys,
    relayer: config.relayer,
    standby: config.standby ?? zeroAddress,
    attesters: config.attesters,
    threshold: BigInt(config.threshold),
    minimumThreshold: BigInt(config.minimumThreshold),
    exitWindow: config.exitWindowSeconds,
  });
  const toLimits = ({ capacity, windowSeconds, maxAmount }: AssetSettings['limits']) => ({
    capacity,
    window: BigInt(windowSeconds),
    maxAmount,
  });
  const settings = listSettings(config);
  // A chain's native coin is listed as the zero address.
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
  return {
    tokens,
    owners,
    bridgeLock,
    bridgeMint,
    bridgedTokens,
    contracts: {
      ethereum: [...Object.values(testTokens ?? {}), bridgeLock, ...governors.ethereum.contracts],
      partner: [bridgeMint, ...Object.values(bridgedTokens), ...governors.partner.contracts],
    },
  };
}
