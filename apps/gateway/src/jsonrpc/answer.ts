import type { Hex } from 'viem';
import type { RpcError } from './errors.js';

/** The texts of JSON-RPC answers (section 5 of its specification). `id` is JSON text, exactly as the caller wrote it. */
export const answer = {
  /** @throws TypeError or RangeError if the result cannot be written as JSON. */
  result(id: string, result: unknown): string {
    return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result) ?? 'null'}}`;
  },
  /** Hex needs no escaping. */
  hex(id: string, result: Hex): string {
    return `{"jsonrpc":"2.0","id":${id},"result":"${result}"}`;
  },
  error(id: string, error: RpcError): string {
    return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error.toBody())}}`;
  },
};
