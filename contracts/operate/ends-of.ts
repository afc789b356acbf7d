import { bridgeLockAbi, bridgeMintAbi } from '../generated/abi.js';
import type { AddressBook } from '../deploy/address-book.js';
import type { OperatorCall } from './operator-call.js';

/** Both ends of a bridge, as far as a call has them in common. */
export function endsOf(
  book: AddressBook,
): Readonly<Record<'lock' | 'mint', Pick<OperatorCall, 'chain' | 'contract' | 'to' | 'abi'>>> {
  return {
    lock: { chain: 'ethereum', contract: 'BridgeLock', to: book.ethereum.bridgeLock, abi: bridgeLockAbi },
    mint: { chain: 'partner', contract: 'BridgeMint', to: book.partner.bridgeMint, abi: bridgeMintAbi },
  };
}
