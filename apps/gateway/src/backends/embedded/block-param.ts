import type { Hex } from 'viem';

/** Tags of the Ethereum JSON-RPC. */
export type BlockTag = 'latest' | 'earliest' | 'pending' | 'safe' | 'finalized';

/** A block as a caller names it: number, tag, or by EIP-1898. */
export type BlockParam =
  Hex | BlockTag | { readonly blockNumber: Hex } | { readonly blockHash: Hex; readonly requireCanonical?: boolean };
