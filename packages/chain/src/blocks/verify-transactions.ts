import { keccak256, recoverTransactionAddress, type Address, type Hex, type TransactionSerialized } from 'viem';
import { InconsistentBlockError } from '../rpc/chain-error.js';
import { encodeTransaction } from './encode-transaction.js';
import { orderedTrieRoot } from './ordered-trie-root.js';
import type { RpcBlock } from './rpc-shapes.js';

/**
 * Checks that a block has exactly these transactions: encoded anew they must give the transactions root of the header. So
 * none can be left out, invented or altered.
 *
 * @returns the encoded transactions, in order.
 * @throws InconsistentBlockError, UnsupportedTransactionError
 */
export async function verifyTransactions(block: RpcBlock): Promise<Hex[]> {
  const encoded = block.transactions.map(encodeTransaction);
  const root = await orderedTrieRoot(encoded);
  if (root === block.transactionsRoot) return encoded;
  throw new InconsistentBlockError(
    BigInt(block.number),
    `its transactions give the root ${root}, not ${block.transactionsRoot}`,
  );
}

/**
 * The root covers the signed fields, not the hash that a node tells with them.
 *
 * @throws InconsistentBlockError when the hash is another.
 */
export function assertTransactionHash(number: bigint, encoded: Hex, told: Hex): void {
  const computed = keccak256(encoded);
  if (computed === told) return;
  throw new InconsistentBlockError(number, `a transaction has the hash ${computed}, not ${told}`);
}

/**
 * Who signed. The root does not cover the sender that a node tells.
 *
 * @throws InconsistentBlockError when it is not who the node says.
 */
export async function recoverSender(number: bigint, encoded: Hex, told: Address): Promise<Address> {
  const found = (
    await recoverTransactionAddress({ serializedTransaction: encoded as TransactionSerialized })
  ).toLowerCase() as Address;
  if (found === told) return found;
  throw new InconsistentBlockError(number, `${found} signed a transaction, not ${told}`);
}
