/** Where a call is carried out: in the chain's own threads; on this thread, one at a time, since it takes long; or at once. */
export type LaneName = 'threads' | 'heavy' | 'none';

const LANES: Readonly<Record<string, LaneName>> = {
  eth_call: 'threads',
  eth_estimateGas: 'threads',
  eth_getLogs: 'threads',
  eth_feeHistory: 'heavy',
  eth_getBlockReceipts: 'heavy',
  debug_traceTransaction: 'heavy',
};
const BLOCKS = new Set(['eth_getBlockByNumber', 'eth_getBlockByHash']);
/** Logs from which on a receipt is a long one; a transaction may leave forty thousand. */
const MANY_LOGS = 256;

/** @param logCount how many logs the transaction of a hash left. */
export function laneOf(method: string, params: readonly unknown[], logCount: (hash: unknown) => number): LaneName {
  // Blocks with whole transactions, and the pending block, for which the pool is looked through.
  if (BLOCKS.has(method)) return params[1] === true || params[0] === 'pending' ? 'heavy' : 'none';
  if (method === 'eth_getTransactionReceipt') return logCount(params[0]) > MANY_LOGS ? 'heavy' : 'none';
  return LANES[method] ?? 'none';
}
