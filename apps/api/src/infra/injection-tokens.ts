/** Injection tokens of what has no class of its own. */
export const CONFIGURATION = Symbol('Configuration');
export const CHAINS = Symbol('Chains');
export const STORE = Symbol('Store');
