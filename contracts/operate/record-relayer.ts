import { isAddressEqual, type Address } from 'viem';
import type { AddressBook } from '../deploy/address-book.js';
import { readAddressBook, writeAddressBook } from '../deploy/address-book-file.js';
import { CHAIN_NAMES } from './chain-name.js';
import type { OperateInput } from './operate-input.js';
import { readRelayers } from './read-relayers.js';

/** A rotation, as far as the address book is concerned. */
export interface RecordRelayerInput {
  readonly bookFile: string;
  readonly newRelayer: Address;
  /** Of both chains, or it cannot be known that both ends have the new relayer. */
  readonly clients: OperateInput['clients'];
  /** Left out of a dry run. */
  readonly writes: boolean;
  readonly onLine: (line: string) => void;
}

/**
 * Writes the new relayer into the address book once both ends have it, and says whether it did: the API and the relayer read
 * it there. Until then the book names the old one, which still delivers at one end at least.
 */
export async function recordRelayer(input: RecordRelayerInput): Promise<void> {
  const { bookFile, newRelayer, writes, onLine } = input;
  const book = readAddressBook(bookFile);
  if (isAddressEqual(book.relayer, newRelayer)) return;
  const missing = await endsWithout(book, input);
  if (missing.length > 0) {
    onLine(`${bookFile} still names the relayer ${book.relayer}: ${missing.join('; ')}.`);
    onLine('Repeat this command, with the nodes of both chains, when both ends have the new one.');
  } else if (writes) {
    writeAddressBook(bookFile, { ...book, relayer: newRelayer.toLowerCase() as Address });
    onLine(
      `Both ends have the relayer ${newRelayer}: ${bookFile} names it now. Restart the API and the relayer with it.`,
    );
  } else {
    onLine(`Both ends have the relayer ${newRelayer}: with --send, ${bookFile} will name it, too.`);
  }
}

async function endsWithout(book: AddressBook, { clients, newRelayer }: RecordRelayerInput): Promise<string[]> {
  const missing: string[] = [];
  for (const chain of CHAIN_NAMES) {
    const client = clients[chain];
    try {
      const { [chain]: relayer } = await readRelayers(book, { [chain]: client });
      if (relayer === undefined) missing.push(`the node of ${chain} was not named`);
      else if (!isAddressEqual(relayer, newRelayer)) missing.push(`on ${chain} it is ${relayer}`);
    } catch (error) {
      // What was sent was sent: a node that does not answer only keeps the book as it is.
      missing.push(`on ${chain} it is not known: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return missing;
}
