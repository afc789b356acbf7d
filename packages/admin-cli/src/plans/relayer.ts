import { isAddressEqual, zeroAddress, type Address } from 'viem';
import type { AddressBook } from '@causeway/contracts/address-book';
import { readAddressBook, writeAddressBook } from '@causeway/contracts/deploy';
import { CHAIN_NAMES } from '@causeway/contracts/deploy';
import {
  clientOn,
  contractOn,
  getContracts,
  getSentinel,
  namedContracts,
  getViewParameters,
  type AdminCall,
  type Clients,
} from '../calls/calls.js';
import { accountEffect, shownAccount } from './keys.js';

/** The input of recordRelayer. */
interface RecordRelayerInput {
  readonly bookFile: string;
  /** Both chains' clients: only then is it known that both contracts have the new relayer. */
  readonly clients: Clients;
  /** False in a dry run. */
  readonly writes: boolean;
  readonly onLine: (line: string) => void;
}

/**
 * Replaces the relayer in the contracts whose nodes are named: one wallet, the same address on both chains. A contract
 * that has the new relayer already needs no call.
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

/** Makes the announced standby the relayer, on both chains. Reads nothing, since it is for an emergency. */
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

/**
 * Writes the relayer into the address book once both contracts have the same one, and prints whether it did. The API
 * and the relayer read it there. Until then the book keeps the old relayer, which still delivers on at least one chain.
 */
export async function recordRelayer({ bookFile, clients, writes, onLine }: RecordRelayerInput): Promise<void> {
  const book = readAddressBook(bookFile);
  const relayers: Address[] = [];
  const reports: string[] = [];
  for (const chain of CHAIN_NAMES) {
    if (clients[chain] === undefined) {
      reports.push(`the node of ${chain} was not named`);
      continue;
    }
    try {
      const contract = contractOn(book, chain);
      const client = await clientOn(clients, contract);
      const relayer = await client.readContract({ ...getViewParameters(contract), functionName: 'relayer' });
      relayers.push(relayer);
      reports.push(`on ${chain} it is ${relayer}`);
    } catch (error) {
      // The calls are sent already: a node that does not answer only keeps the book unchanged.
      reports.push(`on ${chain} it is not known: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const [relayer, other] = relayers;
  if (relayer === undefined || other === undefined || !isAddressEqual(relayer, other)) {
    onLine(`${bookFile} still names the relayer ${book.relayer}: ${reports.join('; ')}.`);
    onLine('Repeat this command with the nodes of both chains when both contracts have the new relayer.');
  } else if (!isAddressEqual(relayer, book.relayer)) {
    if (writes) writeAddressBook(bookFile, { ...book, relayer: relayer.toLowerCase() as Address });
    const effect = writes ? `${bookFile} names it now. Restart the API and the relayer.` : undefined;
    onLine(`Both contracts have the relayer ${relayer}: ${effect ?? `with --send, ${bookFile} will name it, too.`}`);
  }
}
