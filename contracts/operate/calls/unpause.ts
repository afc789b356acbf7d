import type { PublicClient } from 'viem';
import { bridgeLockAbi, bridgeMintAbi } from '../../generated/abi.js';
import type { AddressBook } from '../../deploy/address-book.js';
import { directionAtEnds, type Direction } from '../direction.js';
import { endsOf } from '../ends-of.js';
import type { OperatorCall } from '../operator-call.js';

/** Lets a direction run again at both ends, and leaves the other as the contracts have it now. */
export async function unpause(
  book: AddressBook,
  direction: Direction,
  clients: { readonly ethereum: PublicClient; readonly partner: PublicClient },
): Promise<OperatorCall[]> {
  const { lock, mint } = endsOf(book);
  const at = directionAtEnds(direction);
  const ofLock = { address: lock.to, abi: bridgeLockAbi } as const;
  const ofMint = { address: mint.to, abi: bridgeMintAbi } as const;
  const [deposits, releases, burns, mints] = await Promise.all([
    clients.ethereum.readContract({ ...ofLock, functionName: 'depositsPaused' }),
    clients.ethereum.readContract({ ...ofLock, functionName: 'releasesPaused' }),
    clients.partner.readContract({ ...ofMint, functionName: 'burnsPaused' }),
    clients.partner.readContract({ ...ofMint, functionName: 'mintsPaused' }),
  ]);
  const call = { functionName: 'setPause', office: 'admin' } as const;
  return [
    { ...lock, ...call, args: [deposits && !at.lock.inbound, releases && !at.lock.outbound] },
    { ...mint, ...call, args: [burns && !at.mint.inbound, mints && !at.mint.outbound] },
  ];
}
