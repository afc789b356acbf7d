import type { Hex } from 'viem';
import { ACCOUNTS } from './accounts.ts';

/** One unit of the chain: it has no smaller amounts than 8 decimals. */
const UNIT_WEI = 10_000_000_000n;

/**
 * Transfers of every account to its neighbour, ready to be sent.
 *
 * @param first the nonce that each account begins with.
 * @returns for each account its transfers in the order of their nonces.
 */
export function signTransfers(chainId: number, first: number, count: number): Promise<Hex[][]> {
  const senders = ACCOUNTS.slice(0, -1);
  return Promise.all(
    senders.map((account, index) =>
      Promise.all(
        Array.from({ length: count }, (_, step) =>
          account.signTransaction({
            to: senders[(index + 1) % senders.length]?.address ?? account.address,
            value: UNIT_WEI,
            nonce: first + step,
            gas: 21_000n,
            maxFeePerGas: 100_000_000_000n,
            maxPriorityFeePerGas: 1_000_000_000n,
            chainId,
          }),
        ),
      ),
    ),
  );
}
