/** Injection tokens of what has no class of its own. */
export const CONFIGURATION = Symbol('Configuration');
export const LOGGER = Symbol('Logger');
export const SIGNER = Symbol('Signer');
export const CHAINS = Symbol('BridgeChains');
export const STORE = Symbol('Store');
