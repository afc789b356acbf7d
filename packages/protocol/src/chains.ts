import { getToken, type AddressBook } from '@causeway/contracts/address-book';
import { listAssets, type Asset } from '@causeway/contracts/assets';
import { defineChain, type Address, type Chain } from 'viem';
import type { Direction } from './assets.js';

/** The three environments of the bridge. */
export const ENVIRONMENTS = ['local', 'testnet', 'mainnet'] as const;

/** One of the environments. */
export type Environment = (typeof ENVIRONMENTS)[number];

/** A side of the bridge. */
export type Side = 'ethereum' | 'partner';

/** The chains of an environment and its defaults. The services' configuration may replace the defaults. */
export interface ChainProfile {
  readonly environment: Environment;
  readonly ethereumChainId: number;
  readonly partnerChainId: number;
  /** As wallets show them. */
  readonly chainNames: Readonly<Record<Side, string>>;
  /** Confirmations after which a transaction counts as final (specification, Limits). */
  readonly requiredConfirmations: { readonly ethereum: number; readonly partner: number };
  /** Security hold of withdrawals, in seconds (specification, Limits). */
  readonly holdSeconds: number;
  /** Seconds between blocks, for estimates only. */
  readonly blockSeconds: { readonly ethereum: number; readonly partner: number };
  /** Seconds without a block after which a chain stands still; null for never. */
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
    // A development chain may make blocks for transactions only.
    stillAfterSeconds: null,
  },
};

/** The profile of an environment. */
export function chainProfile(environment: Environment): ChainProfile {
  return PROFILES[environment];
}

/** Where Multicall3 is on every chain. On the partner chain its `getEthBalance` answers wei. */
const MULTICALL3: Address = '0xca11bde05977b3631167028862be2a173976ca11';

/** A partner chain, and where its JSON-RPC is. */
export interface PartnerChainTerms {
  readonly environment: Environment;
  readonly rpcUrl: string;
  readonly webSocketUrl?: string;
}

/**
 * Defines the partner chain for viem and wagmi. XCN has 18 decimals here, as in all of JSON-RPC; amounts inside the EVM
 * have 8. Fees are left to viem, whose estimate is 1.2 times the base fee and the tip that the gateway proposes.
 */
export function definePartnerChain({ environment, rpcUrl, webSocketUrl }: PartnerChainTerms): Chain {
  const { partnerChainId, chainNames, blockSeconds } = PROFILES[environment];
  return defineChain({
    id: partnerChainId,
    name: chainNames.partner,
    nativeCurrency: { name: 'XCN', symbol: 'XCN', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl], ...(webSocketUrl === undefined ? {} : { webSocket: [webSocketUrl] }) } },
    contracts: { multicall3: { address: MULTICALL3 } },
    blockTime: blockSeconds.partner * 1_000,
    testnet: environment !== 'mainnet',
  });
}

/** The chain ids of all environments: to recognize a signature that was made for another environment. */
export const KNOWN_CHAIN_IDS: readonly number[] = [
  ...new Set(Object.values(PROFILES).flatMap((profile) => [profile.ethereumChainId, profile.partnerChainId])),
];

/**
 * Confirmations of a block. The block itself counts as the first. Never negative, even when a node's head falls back
 * behind the block.
 */
export function confirmations(headBlock: bigint, includingBlock: bigint): number {
  const count = headBlock - includingBlock + 1n;
  // A block height, far below 2^53.
  return count < 0n ? 0 : globalThis.Number(count);
}

/** The terms that the duration of a transfer depends on. */
export interface TimingTerms {
  readonly ethereumConfirmations: number;
  readonly partnerConfirmations: number;
  readonly holdSeconds: number;
  readonly blockSeconds: { readonly ethereum: number; readonly partner: number };
}

/**
 * Seconds a transfer is likely to take: finality on the origin chain, the hold of withdrawals, then finality on the
 * destination chain.
 */
export function estimateSeconds(direction: Direction, terms: TimingTerms): number {
  const ethereum = terms.ethereumConfirmations * terms.blockSeconds.ethereum;
  const partner = terms.partnerConfirmations * terms.blockSeconds.partner;
  return Math.ceil(ethereum + partner + (direction === 'PARTNER_TO_ETHEREUM' ? terms.holdSeconds : 0));
}

/** The asset of a token on a side; null for a token that the bridge does not know. */
export function findAssetByToken(book: AddressBook, side: Side, token: Address): Asset | null {
  const wanted = token.toLowerCase();
  return listAssets().find((asset) => getToken(book, side, asset).toLowerCase() === wanted) ?? null;
}
