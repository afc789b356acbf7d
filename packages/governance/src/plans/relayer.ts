import { isAddressEqual, zeroAddress, type Address } from 'viem';
import type { AddressBook } from '@causeway/contracts/address-book';
import {
  getContracts,
  getSentinel,
  namedContracts,
  getViewParameters,
  type AdminCall,
  type Clients,
} from '../calls/calls.js';
import { accountEffect, shownAccount } from './keys.js';

/**
 * Replaces the relayer, the same wallet on both chains, in the contracts for which a node was given. A contract that
 * already has the new relayer needs no call.
 */
export async function rotateRelayer(book: AddressBook, newRelayer: Address, clients: Clients): Promise<AdminCall[]> {
  const calls: AdminCall[] = [];
  for (const { contract, client } of await namedContracts(book, clients)) {
    const relayer = await client.readContract({ ...getViewParameters(contract), functionName: 'relayer' });
    if (isAddressEqual(relayer, newRelayer)) continue;
    const effect = accountEffect(contract, 'relayer', 'relayer', newRelayer);
    calls.push({ ...contract, functionName: 'setRelayer', args: [newRelayer], role: 'admin', effect });
  }
  return calls;
}

/** Makes the announced standby the relayer on both chains. Reads nothing, since it is for an emergency. */
export function activateStandby(book: AddressBook): AdminCall[] {
  return Object.values(getContracts(book)).map((contract) => ({
    ...getSentinel(contract),
    functionName: 'activateStandby',
    args: [],
    role: 'guardian',
    effect: async (client) => {
      const [relayer, standby] = [
        await client.readContract({ ...getViewParameters(contract), functionName: 'relayer' }),
        await client.readContract({ ...getViewParameters(contract), functionName: 'standby' }),
      ];
      const shown = (active: Address, announced: Address) => ({
        relayer: shownAccount(active),
        standby: shownAccount(announced),
      });
      return { before: shown(relayer, standby), after: shown(standby, zeroAddress) };
    },
  }));
}
