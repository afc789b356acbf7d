import { clientOn, contractOn, getViewParameters, type Clients } from '@causeway/governance';
import { CHAIN_NAMES, readAddressBook, writeAddressBook } from '@causeway/contracts/deploy';
import { isAddressEqual, type Address } from 'viem';

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
