import type { ChainConnection } from '@causeway/chain';
import type { Address } from 'viem';

/** One of the two chains, as the stages see it. */
export interface BridgeChain {
  readonly side: 'ethereum' | 'partner';
  readonly chainId: number;
  readonly connection: ChainConnection;
  /** BridgeLock on Ethereum, BridgeMint on the partner chain. */
  readonly bridge: Address;
  readonly deployedAtBlock: bigint;
  /** Confirmations after which a block of this chain is final. */
  readonly confirmations: number;
}

/** Both chains. */
export interface BridgeChains {
  readonly ethereum: BridgeChain;
  readonly partner: BridgeChain;
}

/** Both chains in a list, for the stages that do the same on each. */
export function eachChain(chains: BridgeChains): readonly BridgeChain[] {
  return [chains.ethereum, chains.partner];
}
