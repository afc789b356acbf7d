import { keccak256, stringToHex, zeroAddress, type Abi, type Address, type Hex } from 'viem';
import type { Asset } from '../cli/amounts.js';
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
import { XCN_GRANULARITY_EXPONENT } from './asset-settings.js';
import type { DeploymentConfig } from './deployment-config.js';
import { addressOfSalt } from './factory.js';

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
  readonly bridgedTokens: { readonly ETH: PlannedContract; readonly USDC: PlannedContract };
  /** On Ethereum. */
  readonly tokens: { readonly USDC: Address; readonly XCN: Address };
  readonly owners: { readonly ethereum: Owners; readonly partner: Owners };
  /**
   * All contracts in the order of their deployment. The timelocks come after the contracts that they administer, so
   * deployedAtBlock of the address book covers both.
   */
  readonly contracts: { readonly ethereum: readonly PlannedContract[]; readonly partner: readonly PlannedContract[] };
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
    policyManager: config.policyManager[side],
  });
  const owners = { ethereum: ownersOf('ethereum', ethereum), partner: ownersOf('partner', partner) };
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
  const limitsOf = ({ capacity, windowSeconds, maxAmount }: DeploymentConfig['limits'][Asset]) => ({
    capacity,
    window: BigInt(windowSeconds),
    maxAmount,
  });
  const listed = (asset: Asset, token: Address) => ({
    token,
    granularityExponent: asset === 'XCN' ? XCN_GRANULARITY_EXPONENT : 0,
    unitExponent: config.unitExponents[asset],
    limits: limitsOf(config.limits[asset]),
    ceiling: limitsOf(config.limitCeilings[asset]),
  });
  const fee = (asset: Asset, token: Address) => ({
    token,
    policy: config.feePolicies[asset],
    ceiling: config.feeCeilings[asset],
  });
  const bridged = { abi: bridgedTokenAbi, bytecode: bridgedTokenBytecode };
  const bridgeLock: PlannedContract = {
    ...lock,
    abi: bridgeLockAbi,
    bytecode: bridgeLockBytecode,
    args: [
      setup(mint.address, partner.chainId, owners.ethereum),
      [listed('ETH', zeroAddress), listed('USDC', tokens.USDC), listed('XCN', tokens.XCN)],
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
      [listed('ETH', eth.address), listed('USDC', usdc.address), listed('XCN', zeroAddress)],
      [fee('ETH', eth.address), fee('USDC', usdc.address), fee('XCN', zeroAddress)],
      config.nativeUnit,
    ],
  };
  const bridgedTokens = {
    ETH: { ...eth, ...bridged, args: ['Bridged Ether', 'ETH', 18, mint.address] },
    USDC: { ...usdc, ...bridged, args: ['Bridged USD Coin', 'USDC', 6, mint.address] },
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
