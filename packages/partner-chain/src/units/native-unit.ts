/**
 * The coin has 18 decimals in JSON-RPC and 8 inside the EVM: one unit inside the EVM is 10^10 wei outside
 * (specification "JSON-RPC gateway", decimals rule).
 */
export const WEI_PER_UNIT = 10n ** 10n;
