import {
  BaseError,
  ContractFunctionRevertedError,
  decodeErrorResult,
  RpcRequestError,
  type Abi,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';

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
  | { readonly kind: 'reverted'; readonly errorName: string }
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
    const answer = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcRequestError) : null;
    if (!(answer instanceof RpcRequestError)) return { kind: 'unreachable', reason: describe(error) };
    if (/insufficient (funds|balance)|out of funds|exceeds balance/i.test(answer.details))
      return { kind: 'insufficient-funds' };
    return { kind: 'reverted', errorName: nameOfRevert(answer, abi) ?? answer.details };
  }
}

function nameOfRevert(answer: RpcRequestError, abi: Abi): string | null {
  const { data } = answer;
  if (typeof data !== 'string' || !/^0x[0-9a-f]{8}/i.test(data)) return null;
  try {
    return decodeErrorResult({ abi, data: data as Hex }).errorName;
  } catch (error) {
    // A selector the ABI does not have: an error of a token, not of the bridge.
    return error instanceof BaseError || error instanceof ContractFunctionRevertedError ? data.slice(0, 10) : null;
  }
}

function describe(error: unknown): string {
  return error instanceof BaseError ? error.shortMessage : String(error);
}
