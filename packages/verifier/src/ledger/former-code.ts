import type { Address, Hex } from 'viem';
import type { Header } from '../blocks/header.js';
import { EMPTY_ROOT } from '../blocks/trie.js';
import { readProvenBlock } from '../nodes/proven-block.js';
import { NoQuorumError, type QuorumReader } from '../nodes/quorum-reader.js';

/** From the acceptance of an intent to its transfer at most 40 minutes pass. */
const ACCEPTED_SECONDS = 2_400n;
const AT_A_TIME = 16n;

/**
 * Whether an account without code may have had some when its intent was accepted, since only a contract signs without
 * its key. It would have been a delegation (EIP-7702), which an authorization by the account removed since.
 *
 * @param transferAt the block of the transfer that pays the intent.
 * @param most the blocks to search, if nodes no longer have the state of that block.
 * @returns null if neither that state nor so few blocks decide it.
 * @throws NoQuorumError
 */
export async function mayHaveHadCode(
  reader: QuorumReader,
  account: Address,
  { transferAt, end, most }: { readonly transferAt: bigint; readonly end: Header; readonly most: bigint },
): Promise<boolean | null> {
  const transfer = await reader.headerAt(transferAt);
  const code = await readCode(reader, transfer.hash, account);
  if (code !== null && code !== '0x') return true;
  if (code === null && end.number - transferAt > most) return null;
  let number = code === null ? end.number : transferAt;
  while (number >= 0n) {
    const numbers = Array.from({ length: Number(AT_A_TIME) }, (_, index) => number - BigInt(index));
    const blocks = await Promise.all(
      numbers.filter((one) => one >= 0n).map(async (one) => readAuthorities(reader, one)),
    );
    if (blocks.some(({ authorities }) => authorities.includes(account))) return true;
    if (blocks.some(({ timestamp }) => timestamp + ACCEPTED_SECONDS < transfer.timestamp)) return false;
    number -= AT_A_TIME;
  }
  return false;
}

/** The code of an account after a block; null if too few nodes still have that state. */
async function readCode(reader: QuorumReader, blockHash: Hex, account: Address): Promise<Hex | null> {
  try {
    return await reader.code(blockHash, account);
  } catch (error) {
    if (error instanceof NoQuorumError && error.isStateGone) return null;
    throw error;
  }
}

/** The accounts that signed an authorization in a block. */
async function readAuthorities(
  reader: QuorumReader,
  number: bigint,
): Promise<{ readonly timestamp: bigint; readonly authorities: readonly Address[] }> {
  const { timestamp, transactionsRoot } = await reader.headerAt(number);
  if (transactionsRoot === EMPTY_ROOT) return { timestamp, authorities: [] };
  const { transactions } = await readProvenBlock(reader, number);
  const authorities = await Promise.all(transactions.map(async ({ recoverAuthorities }) => recoverAuthorities()));
  return { timestamp, authorities: authorities.flat() };
}
