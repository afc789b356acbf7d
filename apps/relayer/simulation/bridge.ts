import type { AddressBook, Asset } from '@causeway/protocol';
import { keccak256, parseEther, parseUnits, stringToHex, type Address, type Hex } from 'viem';
import { Account } from './chain/account.ts';
import type { Contracts } from './chain/execution.ts';
import { SimulatedChain, type ChainInput } from './chain/simulated-chain.ts';
import type { Limits } from './contracts/bridge-tokens.ts';
import { deploymentOf, FACTORY, type DeploymentTerms } from './contracts/deployment.ts';

/** The accounts that have a role. Their keys are the same in every simulation. */
export const ROLES = {
  admin: new Account('admin'),
  guardian: new Account('guardian'),
  policyManager: new Account('policy manager'),
  treasury: new Account('treasury'),
  relayer: new Account('relayer'),
} as const;

/** How both chains begin. */
export interface BridgeInput {
  /** Of the first block, in seconds. */
  readonly timestamp: number;
  /** Accounts with coin on both chains. */
  readonly funded: readonly Address[];
  /** Contracts of users, by chain. */
  readonly contracts?: { readonly ethereum?: Contracts; readonly partner?: Contracts };
  readonly terms?: Partial<DeploymentTerms>;
}

/** Both chains with the contracts of the bridge, deployed in block 1. */
export interface SimulatedBridge {
  readonly book: AddressBook;
  readonly ethereum: SimulatedChain;
  readonly partner: SimulatedChain;
}

/** A transaction of an account, as far as it differs from the usual one. `value` in wei of the RPC. */
export interface Sending {
  readonly to: Address;
  readonly data?: Hex;
  readonly value?: bigint;
  readonly gas?: bigint;
  readonly nonce?: number;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
}

/** What each funded account begins with on both chains, in wei. */
export const COIN_OF_EACH = parseEther('1000000');
const USUAL_GAS = 2_000_000n;
const addressOf = (name: string): Address => `0x${keccak256(stringToHex(name)).slice(-40)}`;

/** The address book of every simulation. */
export const BOOK: AddressBook = {
  environment: 'local',
  ethereum: {
    chainId: 31_337,
    bridgeLock: addressOf('BridgeLock'),
    tokens: { USDC: addressOf('TestUSDC'), XCN: addressOf('TestXCN') },
    deployedAtBlock: 1,
  },
  partner: {
    chainId: 8_901,
    bridgeMint: addressOf('BridgeMint'),
    tokens: { ETH: addressOf('BridgedETH'), USDC: addressOf('BridgedUSDC') },
    deployedAtBlock: 1,
    nativeUnit: (10n ** 10n).toString(),
  },
  relayer: ROLES.relayer.address,
};

const hourly = (capacity: bigint): Limits => ({ capacity, window: 3_600n, maxAmount: capacity });

/** What leaves in an hour, as in the local deployment. */
const LIMITS: Readonly<Record<Asset, Limits>> = {
  ETH: hourly(parseEther('1000')),
  USDC: hourly(parseUnits('5000000', 6)),
  XCN: hourly(parseEther('50000000')),
};

const CHAINS = {
  ethereum: { chainId: BOOK.ethereum.chainId, blockSeconds: 12, baseFeePerGas: 10n ** 9n, coinUnit: 1n },
  partner: { chainId: BOOK.partner.chainId, blockSeconds: 2, baseFeePerGas: 10n ** 11n, coinUnit: 10n ** 10n },
} as const;

/** Creates both chains and deploys the contracts. */
export function simulatedBridge({ timestamp, funded, contracts, terms }: BridgeInput): SimulatedBridge {
  const { relayer, admin, guardian, policyManager, treasury } = ROLES;
  const deployed = deploymentOf({
    book: BOOK,
    roles: {
      admin: admin.address,
      guardian: guardian.address,
      policyManager: policyManager.address,
      treasury: treasury.address,
    },
    limits: LIMITS,
    limitCeilings: LIMITS,
    ...terms,
  });
  const holders = [relayer, admin, guardian, policyManager].map(({ address }) => address);
  const balances = new Map([...holders, ...funded].map((account) => [account, COIN_OF_EACH] as const));
  const start = (side: 'ethereum' | 'partner') => {
    const input: ChainInput = {
      ...CHAINS[side],
      timestamp,
      gasLimit: 30_000_000n,
      contracts: new Map([...deployed[side], ...(contracts?.[side] ?? [])]),
      balances,
    };
    const chain = new SimulatedChain(input);
    send(chain, admin, { to: FACTORY, gas: 5_000_000n });
    chain.mine(timestamp + input.blockSeconds);
    return chain;
  };
  return { book: BOOK, ethereum: start('ethereum'), partner: start('partner') };
}

/**
 * Signs and submits a transaction of an account.
 *
 * @returns its hash.
 * @throws PoolError
 */
export function send(chain: SimulatedChain, from: Account, { to, data, value, ...terms }: Sending): Hex {
  const { raw } = from.sign({
    chainId: chain.input.chainId,
    nonce: terms.nonce ?? chain.pendingNonce(from.address),
    to,
    value: value ?? 0n,
    input: data ?? '0x',
    gas: terms.gas ?? USUAL_GAS,
    maxFeePerGas: terms.maxFeePerGas ?? 2n * chain.baseFeePerGas + chain.tip,
    maxPriorityFeePerGas: terms.maxPriorityFeePerGas ?? chain.tip,
  });
  return chain.submit(raw);
}
