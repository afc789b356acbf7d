import type { TransferCall, UnsignedCall } from '@causeway/protocol';
import type { Address } from 'viem';

/** Converts a call for a response. `description` is one sentence for the user. */
export function toUnsignedCall(
  description: string,
  chainId: number,
  from: Address,
  { to, data, value, gas }: TransferCall,
): UnsignedCall {
  return { description, chainId, from, to, data, value: `${value}`, gas: `${gas}` };
}
