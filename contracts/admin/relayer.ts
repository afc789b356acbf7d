import { isAddressEqual, type Address } from 'viem';
import { bridgeLockAbi } from '../generated/abi.js';
import type { AddressBook } from '../deploy/address-book.js';
import { readAddressBook, writeAddressBook } from '../deploy/address-book-file.js';
import { CHAIN_NAMES, type ChainName } from '../deploy/chains.js';
import { clientOn, contractsOf, type AdminCall, type Clients } from './calls.js';

/** The input of recordRelayer. */
interface RecordRelayerInput {
  readonly bookFile: string;
  readonly newRelayer: Address;
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
  const relayers = await readRelayers(book, clients);
  const call = { functionName: 'setRelayer', args: [newRelayer], role: 'admin' } as const;
  return Object.values(contractsOf(book)).flatMap((contract) => {
    const relayer = relayers[contract.chain];
    return relayer === undefined || isAddressEqual(relayer, newRelayer) ? [] : [{ ...contract, ...call }];
  });
}

/**
 * Writes the new relayer into the address book once both contracts have it, and prints whether it did. The API and the
 * relayer read it there. Until then the book keeps the old relayer, which still delivers on at least one chain.
 */
export async function recordRelayer(input: RecordRelayerInput): Promise<void> {
  const { bookFile, newRelayer, writes, onLine } = input;
  const book = readAddressBook(bookFile);
  if (isAddressEqual(book.relayer, newRelayer)) return;
  const missing = await contractsWithout(book, input);
  if (missing.length > 0) {
    onLine(`${bookFile} still names the relayer ${book.relayer}: ${missing.join('; ')}.`);
    onLine('Repeat this command with the nodes of both chains when both contracts have the new relayer.');
  } else if (writes) {
    writeAddressBook(bookFile, { ...book, relayer: newRelayer.toLowerCase() as Address });
    onLine(`Both contracts have the relayer ${newRelayer}: ${bookFile} names it now. Restart the API and the relayer.`);
  } else {
    onLine(`Both contracts have the relayer ${newRelayer}: with --send, ${bookFile} will name it, too.`);
  }
}

/** The current relayer of the contracts whose nodes are named. */
async function readRelayers(book: AddressBook, clients: Clients): Promise<Partial<Record<ChainName, Address>>> {
  const relayers: Partial<Record<ChainName, Address>> = {};
  for (const contract of Object.values(contractsOf(book))) {
    if (clients[contract.chain] === undefined) continue;
    const client = await clientOn(clients, contract);
    // BridgeMint has the same function.
    const read = { address: contract.to, abi: bridgeLockAbi, functionName: 'relayer' } as const;
    relayers[contract.chain] = await client.readContract(read);
  }
  return relayers;
}

async function contractsWithout(book: AddressBook, { clients, newRelayer }: RecordRelayerInput): Promise<string[]> {
  const missing: string[] = [];
  for (const chain of CHAIN_NAMES) {
    const client = clients[chain];
    try {
      const { [chain]: relayer } = client === undefined ? {} : await readRelayers(book, { [chain]: client });
      if (relayer === undefined) missing.push(`the node of ${chain} was not named`);
      else if (!isAddressEqual(relayer, newRelayer)) missing.push(`on ${chain} it is ${relayer}`);
    } catch (error) {
      // The calls are sent already: a node that does not answer only keeps the book unchanged.
      missing.push(`on ${chain} it is not known: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return missing;
}
