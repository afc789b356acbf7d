import { getToken, type AddressBook } from '@causeway/contracts/address-book';
import { listAssets, type Asset } from '@causeway/contracts/assets';
import type { Address, Chain } from 'viem';
import type { Direction } from './assets.js';

/** The three environments of the bridge. */
export const ENVIRONMENTS = ['local', 'testnet', 'mainnet'] as const;

/** One of the environments. */
export type Environment = (typeof ENVIRONMENTS)[number];

/** A side of the bridge. */
export type Side = 'ethereum' | 'partner';

/** The chains of an environment and its defaults, which the services' configuration can override. */
export interface ChainProfile {
  readonly environment: Environment;
  readonly ethereumChainId: number;
  readonly partnerChainId: number;
  /** Names for wallets. */
  readonly chainNames: Readonly<Record<Side, string>>;
  /** Confirmations that make a transaction final (specification, Limits). */
  readonly requiredConfirmations: { readonly ethereum: number; readonly partner: number };
  /** Security hold of withdrawals, in seconds (specification, Limits). */
  readonly holdSeconds: number;
  /** Seconds between blocks, for estimates only. */
  readonly blockSeconds: { readonly ethereum: number; readonly partner: number };
  /** Seconds without a new block after which a chain counts as halted; null for never. */
  readonly stillAfterSeconds: { readonly ethereum: number; readonly partner: number } | null;
}

const COMMON = {
  requiredConfirmations: { ethereum: 12, partner: 6 },
  holdSeconds: 3_600,
  blockSeconds: { ethereum: 12, partner: 2 },
  stillAfterSeconds: { ethereum: 120, partner: 60 },
} as const;

const PROFILES: Readonly<Record<Environment, ChainProfile>> = {
  mainnet: {
    environment: 'mainnet',
    ethereumChainId: 1,
    partnerChainId: 327,
    chainNames: { ethereum: 'Ethereum', partner: 'Partner chain' },
    ...COMMON,
  },
  testnet: {
    environment: 'testnet',
    ethereumChainId: 11_155_111,
    partnerChainId: 8_901,
    chainNames: { ethereum: 'Sepolia', partner: 'Partner chain testnet' },
    ...COMMON,
  },
  local: {
    environment: 'local',
    ethereumChainId: 31_337,
    partnerChainId: 8_901,
    chainNames: { ethereum: 'Local Ethereum', partner: 'Local partner chain' },
    ...COMMON,
    // A development chain may mine only when it has transactions.
    stillAfterSeconds: null,
  },
};

/** The profile of an environment. */
export function chainProfile(environment: Environment): ChainProfile {
  return PROFILES[environment];
}

/** Address of Multicall3 on every public chain. On the partner chain its `getEthBalance` returns wei. */
const MULTICALL3: Address = '0xca11bde05977b3631167028862be2a173976ca11';

/** A chain and the URLs of its JSON-RPC. */
export interface ChainTerms {
  readonly environment: Environment;
  readonly rpcUrl: string;
  readonly webSocketUrl?: string;
}

/**
 * Defines the partner chain for viem and wagmi. XCN has 18 decimals here, as everywhere in JSON-RPC, and 8 inside the
 * EVM. viem estimates fees: 1.2 times the base fee plus the tip that the gateway proposes.
 */
export function definePartnerChain(terms: ChainTerms): Chain {
  return {
    ...defineSide('partner', terms),
    nativeCurrency: { name: 'XCN', symbol: 'XCN', decimals: 18 },
    contracts: { multicall3: { address: MULTICALL3 } },
  };
}

/**
 * Defines the Ethereum of an environment for viem and wagmi: `mainnet` or `sepolia` of `viem/chains` with your node,
 * and without ENS.
 */
export function defineEthereumChain(terms: ChainTerms): Chain {
  return {
    ...defineSide('ethereum', terms),
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    // A development chain has no Multicall3.
    contracts: terms.environment === 'local' ? {} : { multicall3: { address: MULTICALL3 } },
  };
}

function defineSide(side: Side, { environment, rpcUrl, webSocketUrl }: ChainTerms) {
  const { ethereumChainId, partnerChainId, chainNames, blockSeconds } = PROFILES[environment];
  return {
    id: side === 'ethereum' ? ethereumChainId : partnerChainId,
    name: chainNames[side],
    rpcUrls: { default: { http: [rpcUrl], ...(webSocketUrl === undefined ? {} : { webSocket: [webSocketUrl] }) } },
    blockTime: blockSeconds[side] * 1_000,
    testnet: environment !== 'mainnet',
  };
}

/** The chain ids of all environments, to recognize a signature made for another environment. */
export const KNOWN_CHAIN_IDS: readonly number[] = [
  ...new Set(Object.values(PROFILES).flatMap((profile) => [profile.ethereumChainId, profile.partnerChainId])),
];

/**
 * Confirmations of a block, which itself counts as the first. Never negative, even when a node's head is behind the
 * block.
 */
export function confirmations(headBlock: bigint, includingBlock: bigint): number {
  const count = headBlock - includingBlock + 1n;
  // Block heights are far below 2^53.
  return count < 0n ? 0 : globalThis.Number(count);
}

/** The settings that determine how long a transfer takes. */
export interface TimingTerms {
  readonly ethereumConfirmations: number;
  readonly partnerConfirmations: number;
  readonly holdSeconds: number;
  readonly blockSeconds: { readonly ethereum: number; readonly partner: number };
}

/**
 * Estimates the seconds that a transfer takes: finality on the origin chain, the hold of a withdrawal, and finality on
 * the destination chain.
 */
export function estimateSeconds(direction: Direction, terms: TimingTerms): number {
  const ethereum = terms.ethereumConfirmations * terms.blockSeconds.ethereum;
  const partner = terms.partnerConfirmations * terms.blockSeconds.partner;
  return Math.ceil(ethereum + partner + (direction === 'PARTNER_TO_ETHEREUM' ? terms.holdSeconds : 0));
}

/** Returns the asset of a token on a side; null for an unknown token. */
export function findAssetByToken(book: AddressBook, side: Side, token: Address): Asset | null {
  const wanted = token.toLowerCase();
  return listAssets().find((asset) => getToken(book, side, asset).toLowerCase() === wanted) ?? null;
}
