/** Ten to the power of this divides every amount of XCN: the partner chain's EVM has 8 of its 18 decimals. */
export const XCN_GRANULARITY_EXPONENT = 10;
