import { keccak256, stringToHex, zeroAddress, type Abi, type Address, type Hex } from 'viem';
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
import type { DeploymentConfig } from './deployment-config.js';
import { addressOfSalt } from './factory.js';

/** Every amount of XCN is a multiple of ten to the power of this: the partner chain's EVM has 8 of its 18 decimals. */
export const XCN_GRANULARITY_EXPONENT = 10;

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
interface DeploymentPlan {
  readonly bridgeLock: PlannedContract;
  readonly bridgeMint: PlannedContract;
  readonly bridgedTokens: { readonly ETH: PlannedContract; readonly USDC: PlannedContract };
  /** Deployed when the configuration does not name tokens. */
  readonly testTokens: { readonly USDC: PlannedContract; readonly XCN: PlannedContract } | null;
  /** On Ethereum. */
  readonly tokens: { readonly USDC: Address; readonly XCN: Address };
  /** Hold the admin role, if the configuration names an admin. */
  readonly adminTimelocks: { readonly ethereum: PlannedContract | null; readonly partner: PlannedContract | null };
  readonly owners: { readonly ethereum: Owners; readonly partner: Owners };
}

/** The holders of a contract's roles. */
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
    return { name, salt, address: addressOfSalt(factory, deployer, salt) };
  };
  const testTokens = config.tokens
    ? null
    : {
        USDC: { ...place(ethereum, 'TestUSDC'), abi: testUsdcAbi, bytecode: testUsdcBytecode, args: [] },
        XCN: { ...place(ethereum, 'TestXCN'), abi: testXcnAbi, bytecode: testXcnBytecode, args: [] },
      };
  const tokens = config.tokens ?? {
    USDC: place(ethereum, 'TestUSDC').address,
    XCN: place(ethereum, 'TestXCN').address,
  };
  const lock = place(ethereum, 'BridgeLock');
  const mint = place(partner, 'BridgeMint');
  const [eth, usdc] = [place(partner, 'BridgedETH'), place(partner, 'BridgedUSDC')];
  const timelock = (side: 'ethereum' | 'partner', on: PlannedSide): PlannedContract | null => {
    const owner = config.admin?.[side];
    if (owner === undefined) return null;
    const args = [config.adminDelaySeconds, owner, config.guardian[side]];
    return { ...place(on, 'AdminTimelock'), abi: adminTimelockAbi, bytecode: adminTimelockBytecode, args };
  };
  const adminTimelocks = { ethereum: timelock('ethereum', ethereum), partner: timelock('partner', partner) };
  const ownersOf = (side: 'ethereum' | 'partner', { deployer }: PlannedSide): Owners => ({
    admin: adminTimelocks[side]?.address ?? deployer,
    guardian: config.guardian[side],
    policyManager: config.policyManager?.[side] ?? deployer,
  });
  const owners = { ethereum: ownersOf('ethereum', ethereum), partner: ownersOf('partner', partner) };
  const setup = (peer: Address, peerChainId: number, { admin, guardian, policyManager }: Owners) => ({
    peerChainId: BigInt(peerChainId),
    peer,
    relayer: config.relayer,
    admin,
    adminDelay: config.adminDelaySeconds,
    guardian,
    policyManager,
  });
  const listed = (asset: 'ETH' | 'USDC' | 'XCN', token: Address) => ({
    token,
    granularityExponent: asset === 'XCN' ? XCN_GRANULARITY_EXPONENT : 0,
    capacity: config.outflowLimits[asset].capacity,
    window: config.outflowLimits[asset].windowSeconds,
  });
  const fee = (asset: 'ETH' | 'USDC' | 'XCN', token: Address) => ({ token, ...config.feePolicies[asset] });
  const bridged = { abi: bridgedTokenAbi, bytecode: bridgedTokenBytecode };
  return {
    testTokens,
    tokens,
    adminTimelocks,
    owners,
    bridgeLock: {
      ...lock,
      abi: bridgeLockAbi,
      bytecode: bridgeLockBytecode,
      args: [
        setup(mint.address, partner.chainId, owners.ethereum),
        [listed('ETH', zeroAddress), listed('USDC', tokens.USDC), listed('XCN', tokens.XCN)],
        tokens.XCN,
        config.treasury,
      ],
    },
    bridgeMint: {
      ...mint,
      abi: bridgeMintAbi,
      bytecode: bridgeMintBytecode,
      args: [
        setup(lock.address, ethereum.chainId, owners.partner),
        [listed('ETH', eth.address), listed('USDC', usdc.address), listed('XCN', zeroAddress)],
        [fee('ETH', eth.address), fee('USDC', usdc.address), fee('XCN', zeroAddress)],
        config.nativeUnit,
      ],
    },
    bridgedTokens: {
      ETH: { ...eth, ...bridged, args: ['Bridged Ether', 'ETH', 18, mint.address] },
      USDC: { ...usdc, ...bridged, args: ['Bridged USD Coin', 'USDC', 6, mint.address] },
    },
  };
}
