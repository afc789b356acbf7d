import { bridgeLockAbi, bridgeMintAbi } from '../../generated/abi.js';
import type { AddressBook } from '../../deploy/address-book.js';
import { directionAtEnds, type Direction } from '../direction.js';
import { endsOf } from '../ends-of.js';
import { expectChain } from '../expect-chain.js';
import type { OperateInput } from '../operate-input.js';
import type { OperatorCall } from '../operator-call.js';

/**
 * Lets a direction run again at the ends whose nodes are given, and leaves the other direction as the contracts have it now. An
 * end where it runs already needs no call.
 */
export async function unpause(
  book: AddressBook,
  direction: Direction,
  { ethereum, partner }: OperateInput['clients'],
): Promise<OperatorCall[]> {
  const { lock, mint } = endsOf(book);
  const at = directionAtEnds(direction);
  const calls: OperatorCall[] = [];
  const add = (end: typeof lock, paused: Pauses, runs: Pauses) => {
    if (!(paused.inbound && runs.inbound) && !(paused.outbound && runs.outbound)) return;
    const args = [paused.inbound && !runs.inbound, paused.outbound && !runs.outbound];
    calls.push({ ...end, functionName: 'setPause', office: 'admin', args });
  };
  if (ethereum !== undefined) {
    await expectChain(ethereum, lock);
    const of = { address: lock.to, abi: bridgeLockAbi } as const;
    const inbound = await ethereum.readContract({ ...of, functionName: 'depositsPaused' });
    const outbound = await ethereum.readContract({ ...of, functionName: 'releasesPaused' });
    add(lock, { inbound, outbound }, at.lock);
  }
  if (partner !== undefined) {
    await expectChain(partner, mint);
    const of = { address: mint.to, abi: bridgeMintAbi } as const;
    const inbound = await partner.readContract({ ...of, functionName: 'burnsPaused' });
    const outbound = await partner.readContract({ ...of, functionName: 'mintsPaused' });
    add(mint, { inbound, outbound }, at.mint);
  }
  return calls;
}

interface Pauses {
  readonly inbound: boolean;
  readonly outbound: boolean;
}
