import { waitUntil } from '@causeway/test-kit';
import { getAddress, keccak256, slice, stringToHex, type Address, type Hex } from 'viem';

/** A chain as a client sees it: nothing but addresses of the gateway and a key with money. */
export interface ClientTarget {
  readonly httpUrl: string;
  readonly wsUrl: string;
  /** Owns at least 100 coins, and no other test uses it meanwhile. */
  readonly privateKey: Hex;
  readonly chainId: number;
  /** Milliseconds between two blocks; 0 when one is made for every transaction. */
  readonly blockTimeMs: number;
}

/** An address that never received anything, one for each name and target. */
export function makeRecipient(name: string, salt: string): Address {
  return getAddress(slice(keccak256(stringToHex(`${name} ${salt}`)), 12));
}

const ROUNDS = 15;
const ROUND_MS = 2_000;

/**
 * Sends transactions until one of them is delivered: no client says when it has subscribed.
 *
 * @param send resolves with the hash of the transaction.
 * @param isDelivered whether a transaction was delivered in every way that is watched.
 * @returns the hash of one that was.
 * @throws Error if none was within half a minute.
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
