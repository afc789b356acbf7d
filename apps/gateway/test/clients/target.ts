import { waitUntil } from '@causeway/test-kit';
import { getAddress, keccak256, slice, stringToHex, type Address, type Hex } from 'viem';

/** A chain as a client sees it: the gateway's URLs, and a key with funds. */
export interface ClientTarget {
  readonly httpUrl: string;
  readonly wsUrl: string;
  /** Owns at least 100 coins, and is not used by other tests at the same time. */
  readonly privateKey: Hex;
  readonly chainId: number;
  /** Milliseconds between two blocks; 0 when one is made for every transaction. */
  readonly blockTimeMs: number;
}

/** Makes an unused address per name and target. */
export function makeRecipient(name: string, salt: string): Address {
  return getAddress(slice(keccak256(stringToHex(`${name} ${salt}`)), 12));
}

const ROUNDS = 15;
const ROUND_MS = 2_000;

/**
 * Sends transactions until one is delivered, because clients do not report when they have subscribed.
 *
 * @param send resolves with the hash of the transaction.
 * @param isDelivered whether a transaction was delivered in every watched way.
 * @returns the hash of a delivered transaction.
 * @throws Error if none was delivered within half a minute.
 */
export async function sendUntilDelivered(
  send: () => Promise<string>,
  isDelivered: (hash: string) => boolean,
): Promise<string> {
  const sent: string[] = [];
  for (let round = 1; ; round++) {
    sent.push(await send());
    try {
      return await waitUntil('a transaction is delivered', () => sent.find(isDelivered), { timeoutMs: ROUND_MS });
    } catch (error) {
      if (round === ROUNDS) throw new Error(`None of ${sent.length} transactions was delivered`, { cause: error });
    }
  }
}
