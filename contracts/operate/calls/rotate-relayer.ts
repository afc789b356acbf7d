import { isAddressEqual, type Address } from 'viem';
import type { AddressBook } from '../../deploy/address-book.js';
import { endsOf } from '../ends-of.js';
import type { OperateInput } from '../operate-input.js';
import type { OperatorCall } from '../operator-call.js';
import { readRelayers } from '../read-relayers.js';

/**
 * Replaces the relayer at the ends whose nodes are given: one wallet, the same address on both chains. An end that has it
 * already needs no call.
 */
export async function rotateRelayer(
  book: AddressBook,
  newRelayer: Address,
  clients: OperateInput['clients'],
): Promise<OperatorCall[]> {
  const relayers = await readRelayers(book, clients);
  const call = { functionName: 'setRelayer', args: [newRelayer], office: 'admin' } as const;
  return Object.values(endsOf(book)).flatMap((end) => {
    const relayer = relayers[end.chain];
    return relayer === undefined || isAddressEqual(relayer, newRelayer) ? [] : [{ ...end, ...call }];
  });
}
