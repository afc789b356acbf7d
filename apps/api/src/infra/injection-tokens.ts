import type { ChainConnection } from '@causeway/chain';

/** Both chains. */
export interface Chains {
  readonly ethereum: ChainConnection;
  readonly partner: ChainConnection;
}

// Injection tokens for values without a class of their own.

/** The `Configuration` of the process. */
export const CONFIGURATION = Symbol('Configuration');
/** The `Chains`. */
export const CHAINS = Symbol('Chains');
/** The `Store` of @causeway/store. */
export const STORE = Symbol('Store');
