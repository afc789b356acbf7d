/** What a unit of gas costs in wei: the base fee and the tip, within the sender's cap (EIP-1559). */
export function effectiveGasPrice(
  price: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint },
  baseFeePerGas: bigint,
): bigint {
  const withTip = baseFeePerGas + price.maxPriorityFeePerGas;
  return withTip < price.maxFeePerGas ? withTip : price.maxFeePerGas;
}
