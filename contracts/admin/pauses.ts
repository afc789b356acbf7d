import { bridgeLockAbi, bridgeMintAbi } from '../generated/abi.js';
import type { AddressBook } from '../deploy/address-book.js';
import { clientOn, contractsOf, type AdminCall, type Clients } from './calls.js';

/** A direction of the bridge, or both. */
export type Direction = 'ethereum-to-partner' | 'partner-to-ethereum' | 'both';

/** Flags of one contract: inbound is what users begin there, outbound is what the relayer delivers there. */
interface Flags {
  readonly inbound: boolean;
  readonly outbound: boolean;
}

/** Pauses a direction in both contracts. A direction that is already paused stays paused. */
export function pause(book: AddressBook, direction: Direction): AdminCall[] {
  const { lock, mint } = contractsOf(book);
  const flags = flagsOf(direction);
  const call = { functionName: 'pause', role: 'guardian' } as const;
  return [
    { ...lock, ...call, args: [flags.lock.inbound, flags.lock.outbound] },
    { ...mint, ...call, args: [flags.mint.inbound, flags.mint.outbound] },
  ];
}

/**
 * Lifts the pause of a direction in the contracts whose nodes are named, and leaves the other direction unchanged. A
 * contract that runs the direction already needs no call.
 */
export async function unpause(book: AddressBook, direction: Direction, clients: Clients): Promise<AdminCall[]> {
  const { lock, mint } = contractsOf(book);
  const flags = flagsOf(direction);
  const calls: AdminCall[] = [];
  const add = (contract: typeof lock, paused: Flags, lifted: Flags) => {
    if (!(paused.inbound && lifted.inbound) && !(paused.outbound && lifted.outbound)) return;
    const args = [paused.inbound && !lifted.inbound, paused.outbound && !lifted.outbound];
    calls.push({ ...contract, functionName: 'setPause', role: 'admin', args });
  };
  if (clients.ethereum !== undefined) {
    const client = await clientOn(clients, lock);
    const read = { address: lock.to, abi: bridgeLockAbi } as const;
    const inbound = await client.readContract({ ...read, functionName: 'depositsPaused' });
    const outbound = await client.readContract({ ...read, functionName: 'releasesPaused' });
    add(lock, { inbound, outbound }, flags.lock);
  }
  if (clients.partner !== undefined) {
    const client = await clientOn(clients, mint);
    const read = { address: mint.to, abi: bridgeMintAbi } as const;
    const inbound = await client.readContract({ ...read, functionName: 'burnsPaused' });
    const outbound = await client.readContract({ ...read, functionName: 'mintsPaused' });
    add(mint, { inbound, outbound }, flags.mint);
  }
  return calls;
}

/**
 * A direction in terms of both contracts: deposits and mints lead to the partner chain, burns and releases to Ethereum.
 */
function flagsOf(direction: Direction): Readonly<Record<'lock' | 'mint', Flags>> {
  const toPartner = direction !== 'partner-to-ethereum';
  const toEthereum = direction !== 'ethereum-to-partner';
  return {
    lock: { inbound: toPartner, outbound: toEthereum },
    mint: { inbound: toEthereum, outbound: toPartner },
  };
}
