const FLOOR_GAS_PER_TOKEN = 10n;
const TOKENS_PER_NONZERO_BYTE = 4n;
const TRANSACTION_GAS = 21_000n;

/** The least a transaction with this data pays, whatever it runs (EIP-7623). */
export function floorGas(data: Uint8Array): bigint {
  let tokens = 0n;
  for (const byte of data) tokens += byte === 0 ? 1n : TOKENS_PER_NONZERO_BYTE;
  return TRANSACTION_GAS + FLOOR_GAS_PER_TOKEN * tokens;
}
