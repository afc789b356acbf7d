import { BaseError, decodeErrorResult, type Abi, type Address, type Hex, type PublicClient } from 'viem';
import { NodeRefusedError } from '../rpc/chain-error.js';
import { classifyRpcError } from '../rpc/classify-rpc-error.js';

/** A call that is not sent. */
export interface Call {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
}

/** What the call would do. */
export type Simulation =
  | { readonly kind: 'ok'; readonly gas: bigint }
  /**
   * `errorName`: of a custom error of the ABI, `Error` or `Panic` of Solidity, the selector of an error that the ABI does
   * not have, or the words of the node. `reason`: the text of a `require`, or the words of the node. `data`: what was
   * returned, when the node tells it.
   */
  | { readonly kind: 'reverted'; readonly errorName: string; readonly reason?: string; readonly data?: Hex }
  | { readonly kind: 'insufficient-funds' }
  | { readonly kind: 'unreachable'; readonly reason: string };

/**
 * Tries a call on the newest block.
 *
 * @param abi names the custom errors.
 * @returns with `ok`, the gas it needs and a fifth more.
 */
export async function simulate(client: PublicClient, call: Call, abi: Abi): Promise<Simulation> {
  try {
    const gas = await client.estimateGas({ account: call.from, to: call.to, data: call.data, value: call.value });
    return { kind: 'ok', gas: gas + gas / 5n };
  } catch (error) {
    const failure = classifyRpcError(error);
    if (!(failure instanceof NodeRefusedError)) return { kind: 'unreachable', reason: failure.message };
    return sortRefusal(failure, abi);
  }
}

/** A revert comes first: its words are the contract's and may speak of balances, too. */
function sortRefusal({ rpcCode, reason, data }: NodeRefusedError, abi: Abi): Simulation {
  const returned = revertData(data);
  if (returned !== null) return { kind: 'reverted', data: returned, ...decode(returned, abi, reason) };
  // Code 3: an EVM error, as geth and all that follow it give it.
  const byContract = rpcCode === 3 || /revert/i.test(reason);
  if (!byContract && /insufficient ?(funds|balance)|out of funds|exceeds balance|upfront cost exceeds/i.test(reason)) {
    return { kind: 'insufficient-funds' };
  }
  return { kind: 'reverted', errorName: reason, reason };
}

/** As hex, in words ("Reverted 0x..."), or inside an object, as nodes have it. Null: nothing that names an error. */
function revertData(data: unknown): Hex | null {
  if (typeof data === 'object' && data !== null && 'data' in data) return revertData(data.data);
  if (typeof data !== 'string') return null;
  const [hex] = /0x[0-9a-f]{8,}$/i.exec(data) ?? [];
  return hex === undefined ? null : (hex as Hex);
}

function decode(data: Hex, abi: Abi, words: string): { errorName: string; reason: string } {
  try {
    const { errorName, args } = decodeErrorResult({ abi, data });
    return { errorName, reason: errorName === 'Error' ? String(args?.[0]) : words };
  } catch (error) {
    // Of a token, not of the bridge; or cut off. The selector says as much as there is to say.
    if (!(error instanceof BaseError)) throw error;
    return { errorName: data.slice(0, 10), reason: words };
  }
}
