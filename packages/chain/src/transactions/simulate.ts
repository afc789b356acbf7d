import { BaseError, decodeErrorResult, type Abi, type Address, type Hex, type PublicClient } from 'viem';
import { classifyRpcError, NodeRefusedError } from '../rpc/chain-error.js';

/** A call to simulate. `value` in wei of the RPC. */
interface Call {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
}

/**
 * The outcome of a simulated call.
 *
 * - `returned`: the return data of the call.
 * - `errorName`: the custom error of the ABI, `Error` or `Panic` of Solidity, the selector of an error outside the ABI,
 *   or the message of the node.
 * - `reason`: the text of a `require`, or the message of the node.
 * - `data`: the revert data, if the node returns it.
 */
export type Simulation =
  | { readonly kind: 'ok'; readonly gas: bigint; readonly returned: Hex }
  | { readonly kind: 'reverted'; readonly errorName: string; readonly reason?: string; readonly data?: Hex }
  | { readonly kind: 'insufficient-funds' }
  | { readonly kind: 'unreachable'; readonly reason: string };

/**
 * Simulates a call on the pending block, after the transactions in flight. Sends one HTTP batch.
 *
 * @param abi names the custom errors.
 * @returns for `ok`, `gas` is the estimate plus a fifth.
 */
export async function simulate(client: PublicClient, call: Call, abi: Abi): Promise<Simulation> {
  const { from: account, to, data, value } = call;
  const request = { account, to, data, value, blockTag: 'pending' } as const;
  try {
    const [gas, result] = await Promise.all([client.estimateGas(request), client.call(request)]);
    return { kind: 'ok', gas: gas + gas / 5n, returned: result.data ?? '0x' };
  } catch (error) {
    const failure = classifyRpcError(error);
    if (!(failure instanceof NodeRefusedError)) return { kind: 'unreachable', reason: failure.message };
    return classifyRefusal(failure, abi);
  }
}

/** Classifies a refusal. Reverts come first, because a contract's message may mention balances too. */
function classifyRefusal({ rpcCode, reason, data }: NodeRefusedError, abi: Abi): Simulation {
  const returned = revertData(data);
  if (returned !== null) return { kind: 'reverted', data: returned, ...decode(returned, abi, reason) };
  // geth and nodes that follow it send code 3 for an EVM error.
  const byContract = rpcCode === 3 || /revert/i.test(reason);
  if (!byContract && /insufficient ?(funds|balance)|out of funds|exceeds balance|upfront cost exceeds/i.test(reason)) {
    return { kind: 'insufficient-funds' };
  }
  return { kind: 'reverted', errorName: reason, reason };
}

/**
 * Finds the revert data in the failure of a call; null if the node returned none, or did not run the call.
 *
 * @throws the error itself if it does not come from a node.
 */
export function findRevertData(error: unknown): Hex | null {
  const failure = classifyRpcError(error);
  return failure instanceof NodeRefusedError ? revertData(failure.data) : null;
}

/** Nodes send hex, text ("Reverted 0x...") or an object. Null without the four bytes of a selector. */
function revertData(data: unknown): Hex | null {
  if (typeof data === 'object' && data !== null && 'data' in data) return revertData(data.data);
  if (typeof data !== 'string') return null;
  const [hex] = /0x[0-9a-f]{8,}$/i.exec(data) ?? [];
  return hex === undefined ? null : (hex as Hex);
}

function decode(data: Hex, abi: Abi, message: string): { errorName: string; reason: string } {
  try {
    const { errorName, args } = decodeErrorResult({ abi, data });
    return { errorName, reason: errorName === 'Error' ? String(args?.[0]) : message };
  } catch (error) {
    // An error outside the ABI, such as a token's, or truncated data: only the selector is known.
    if (!(error instanceof BaseError)) throw error;
    return { errorName: data.slice(0, 10), reason: message };
  }
}
