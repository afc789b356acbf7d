import {
  PartnerChainError,
  type AccountOverride,
  type BlockOverrides,
  type CallRequest,
  type StateOverrides,
} from '@causeway/partner-chain';
import { zeroAddress, type Hex } from 'viem';

/** A transaction to simulate. All fields are optional. */
export interface RpcCall {
  readonly from?: Hex;
  readonly to?: Hex | null;
  readonly gas?: Hex;
  readonly gasPrice?: Hex;
  readonly maxFeePerGas?: Hex;
  readonly maxPriorityFeePerGas?: Hex;
  readonly value?: Hex;
  readonly nonce?: Hex;
  readonly chainId?: Hex;
  readonly input?: Hex;
  readonly data?: Hex;
  readonly accessList?: readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[];
  readonly authorizationList?: NonNullable<CallRequest['authorizationList']>;
}

interface RpcAccountOverride {
  readonly balance?: Hex;
  readonly nonce?: Hex;
  readonly code?: Hex;
  readonly state?: Readonly<Record<Hex, Hex>>;
  readonly stateDiff?: Readonly<Record<Hex, Hex>>;
}

export type RpcStateOverrides = Readonly<Record<Hex, RpcAccountOverride>>;

export interface RpcBlockOverrides {
  readonly number?: Hex;
  readonly time?: Hex;
  readonly gasLimit?: Hex;
  readonly feeRecipient?: Hex;
  readonly prevRandao?: Hex;
  readonly baseFeePerGas?: Hex;
}

/** Converts a call to the chain's types. */
export function toCallRequest(
  call: RpcCall,
  stateOverrides?: RpcStateOverrides,
  blockOverrides?: RpcBlockOverrides,
): CallRequest {
  return {
    from: call.from ?? zeroAddress,
    to: call.to ?? null,
    value: BigInt(call.value ?? 0),
    data: call.input ?? call.data ?? '0x',
    gas: call.gas === undefined ? null : BigInt(call.gas),
    gasPrice: BigInt(call.gasPrice ?? call.maxFeePerGas ?? 0),
    maxPriorityFeePerGas: toPriorityFee(call),
    accessList: call.accessList ?? [],
    authorizationList: call.authorizationList ?? [],
    ...(stateOverrides === undefined ? {} : { stateOverrides: toStateOverrides(stateOverrides) }),
    ...(blockOverrides === undefined ? {} : { blockOverrides: toBlockOverrides(blockOverrides) }),
  };
}

/** A call with a fee cap but no tip pays no tip, as in geth; null if a gas price covers both. */
function toPriorityFee({ maxFeePerGas, maxPriorityFeePerGas }: RpcCall): bigint | null {
  if (maxPriorityFeePerGas !== undefined) return BigInt(maxPriorityFeePerGas);
  return maxFeePerGas === undefined ? null : 0n;
}

export function toStateOverrides(overrides: RpcStateOverrides): StateOverrides {
  return Object.fromEntries(
    Object.entries(overrides).map(([address, { balance, nonce, ...rest }]): [string, AccountOverride] => [
      address,
      {
        ...rest,
        ...(balance === undefined ? {} : { balance: BigInt(balance) }),
        ...(nonce === undefined ? {} : { nonce: BigInt(nonce) }),
      },
    ]),
  );
}

/** @throws PartnerChainError INVALID_PARAMS for a number or a time above 2^53. */
export function toBlockOverrides({ number, time, ...rest }: RpcBlockOverrides): BlockOverrides {
  const { gasLimit, feeRecipient, prevRandao, baseFeePerGas } = rest;
  return {
    ...(number === undefined ? {} : { number: toSafeNumber('number', number) }),
    ...(time === undefined ? {} : { time: toSafeNumber('time', time) }),
    ...(gasLimit === undefined ? {} : { gasLimit: BigInt(gasLimit) }),
    ...(feeRecipient === undefined ? {} : { feeRecipient }),
    ...(prevRandao === undefined ? {} : { prevRandao }),
    ...(baseFeePerGas === undefined ? {} : { baseFeePerGas: BigInt(baseFeePerGas) }),
  };
}

function toSafeNumber(field: string, value: Hex): number {
  if (BigInt(value) <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  throw new PartnerChainError('INVALID_PARAMS', `blockOverrides.${field} must be at most 2^53 - 1`);
}
