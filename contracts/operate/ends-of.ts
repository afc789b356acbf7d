import { bridgeLockAbi, bridgeMintAbi } from '../generated/abi.js';
import type { AddressBook } from '../deploy/address-book.js';
import type { OperatorCall } from './operator-call.js';

/** Both ends of a bridge, as far as a call has them in common. */
export function endsOf(
  book: AddressBook,
): Readonly<Record<'lock' | 'mint', Pick<OperatorCall, 'chain' | 'chainId' | 'contract' | 'to' | 'abi'>>> {
  const { ethereum, partner } = book;
  return {
    lock: {
      chain: 'ethereum',
      chainId: ethereum.chainId,
      contract: 'BridgeLock',
      to: ethereum.bridgeLock,
      abi: bridgeLockAbi,
    },
    mint: {
      chain: 'partner',
      chainId: partner.chainId,
      contract: 'BridgeMint',
      to: partner.bridgeMint,
      abi: bridgeMintAbi,
    },
  };
}
