import type { Address } from 'viem';
import type { AddressBook } from '../../deploy/address-book.js';
import { endsOf } from '../ends-of.js';
import type { OperatorCall } from '../operator-call.js';

/** Replaces the relayer on both chains: one wallet, the same address. */
export function rotateRelayer(book: AddressBook, newRelayer: Address): OperatorCall[] {
  const { lock, mint } = endsOf(book);
  const call = { functionName: 'setRelayer', args: [newRelayer], office: 'admin' } as const;
  return [
    { ...lock, ...call },
    { ...mint, ...call },
  ];
}
