/** Which way an operation goes (specification, Resources). */
export const DIRECTIONS = ['ETHEREUM_TO_PARTNER', 'PARTNER_TO_ETHEREUM'] as const;

/** From Ethereum to the partner chain, or back. */
export type Direction = (typeof DIRECTIONS)[number];
