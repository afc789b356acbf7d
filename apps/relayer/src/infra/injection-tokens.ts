// Injection tokens for values that have no class of their own.

/** `Configuration` */
export const CONFIGURATION = Symbol('Configuration');

/** pino's `Logger` */
export const LOGGER = Symbol('Logger');

/** `Signer` of the relayer wallet */
export const SIGNER = Symbol('Signer');

/** `BridgeChains` */
export const CHAINS = Symbol('BridgeChains');

/** `Store` */
export const STORE = Symbol('Store');
