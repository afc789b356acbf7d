/** A chain of the bridge, and with it the end of the bridge there. */
export type ChainName = 'ethereum' | 'partner';

/** Both, in the order in which calls are made. */
export const CHAIN_NAMES: readonly ChainName[] = ['ethereum', 'partner'];
