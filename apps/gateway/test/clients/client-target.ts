import type { Hex } from 'viem';

/** A chain as a client sees it: nothing but addresses of the gateway and a key with money. */
export interface ClientTarget {
  readonly httpUrl: string;
  readonly wsUrl: string;
  /** Owns at least 100 coins, and nobody else uses it meanwhile. */
  readonly privateKey: Hex;
  readonly chainId: number;
  /** Milliseconds between two blocks; 0 when one is made for every transaction. */
  readonly blockTimeMs: number;
}
