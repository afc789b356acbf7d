import type { Lane } from './lane.js';

const LANES: Readonly<Record<string, Lane>> = {
  eth_call: 'execute',
  eth_estimateGas: 'execute',
  eth_getLogs: 'heavy',
  eth_getBlockReceipts: 'heavy',
  debug_traceTransaction: 'heavy',
  eth_sendRawTransaction: 'send',
};

/** The lane of a method. */
export function laneOf(method: string): Lane {
  return LANES[method] ?? 'read';
}
