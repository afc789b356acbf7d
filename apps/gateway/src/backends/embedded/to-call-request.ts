import type { CallRequest } from '@causeway/partner-chain';
import { zeroAddress, type Hex } from 'viem';

/** What eth_call and eth_estimateGas are given: a transaction of which anything may be left out. */
export interface RpcCall {
  readonly from?: Hex;
  readonly to?: Hex | null;
  readonly gas?: Hex;
  readonly gasPrice?: Hex;
  readonly maxFeePerGas?: Hex;
  readonly value?: Hex;
  readonly input?: Hex;
  readonly data?: Hex;
  readonly accessList?: readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[];
  readonly authorizationList?: NonNullable<CallRequest['authorizationList']>;
}

/** The same in the chain's terms. */
export function toCallRequest(call: RpcCall): CallRequest {
  return {
    from: call.from ?? zeroAddress,
    to: call.to ?? null,
    value: BigInt(call.value ?? 0),
    data: call.input ?? call.data ?? '0x',
    gas: call.gas === undefined ? null : BigInt(call.gas),
    gasPrice: BigInt(call.gasPrice ?? call.maxFeePerGas ?? 0),
    accessList: call.accessList ?? [],
    authorizationList: call.authorizationList ?? [],
  };
}
