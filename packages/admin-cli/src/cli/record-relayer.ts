import { clientOn, contractOn, getViewParameters, type Clients } from '@causeway/governance';
import { CHAIN_NAMES, readAddressBook, writeAddressBook } from '@causeway/contracts/deploy';
import { isAddressEqual, type Address } from 'viem';

/** The input of recordRelayer. */
interface RecordRelayerInput {
  readonly bookFile: string;
  /** Clients of both chains, to check that both contracts have the new relayer. */
  readonly clients: Clients;
  /** False in a dry run. */
  readonly writes: boolean;
  readonly onLine: (line: string) => void;
}

/**
 * Writes the relayer into the address book, where API and relayer read it, once both contracts have the same one, and
 * prints whether it did. Until then the book keeps the old relayer, which still delivers on at least one chain.
 */
export async function recordRelayer({ bookFile, clients, writes, onLine }: RecordRelayerInput): Promise<void> {
  const book = readAddressBook(bookFile);
  const relayers: Address[] = [];
  const reports: string[] = [];
  for (const chain of CHAIN_NAMES) {
    if (clients[chain] === undefined) {
      reports.push(`no node for ${chain} was given`);
      continue;
    }
    try {
      const contract = contractOn(book, chain);
      const client = await clientOn(clients, contract);
      const relayer = await client.readContract({ ...getViewParameters(contract), functionName: 'relayer' });
      relayers.push(relayer);
      reports.push(`on ${chain} it is ${relayer}`);
    } catch (error) {
      // The calls are already sent: if a node does not answer, only the book stays unchanged.
      reports.push(`on ${chain} it is unknown: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const [relayer, other] = relayers;
  if (relayer === undefined || other === undefined || !isAddressEqual(relayer, other)) {
    onLine(`${bookFile} still names the relayer ${book.relayer}: ${reports.join('; ')}.`);
    onLine('Once both contracts have the new relayer, repeat this command with the nodes of both chains.');
  } else if (!isAddressEqual(relayer, book.relayer)) {
    if (writes) writeAddressBook(bookFile, { ...book, relayer: relayer.toLowerCase() as Address });
    const effect = writes ? `${bookFile} was updated. Restart the API and the relayer.` : undefined;
    onLine(`Both contracts have the relayer ${relayer}: ${effect ?? `--send will also write it to ${bookFile}.`}`);
  }
}
