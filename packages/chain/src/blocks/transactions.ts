import {
  concatHex,
  keccak256,
  recoverTransactionAddress,
  toRlp,
  type Address,
  type Hex,
  type TransactionSerialized,
} from 'viem';
import { InconsistentBlockError, UnsupportedTransactionError } from '../rpc/chain-error.js';
import { orderedTrieRoot, rlpInteger } from './header.js';
import type { RpcBlock, RpcTransaction } from './rpc-shapes.js';

type Field = Hex | readonly Field[];

/**
 * Verifies the transactions of a block: encoded from their fields they must give the transactions root of the header.
 * So none can be left out, invented or altered.
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
 * Verifies the hash that a node sent with a transaction. The transactions root covers the signed fields, not this hash.
 *
 * @throws InconsistentBlockError when the hash differs.
 */
export function assertTransactionHash(number: bigint, encoded: Hex, sent: Hex): void {
  const computed = keccak256(encoded);
  if (computed === sent) return;
  throw new InconsistentBlockError(number, `a transaction has the hash ${computed}, not ${sent}`);
}

/**
 * Recovers the signer of a transaction. The transactions root does not cover the sender that a node sends.
 *
 * @throws InconsistentBlockError when the node sent another sender.
 */
export async function recoverSender(number: bigint, encoded: Hex, sent: Address): Promise<Address> {
  const recovered = (
    await recoverTransactionAddress({ serializedTransaction: encoded as TransactionSerialized })
  ).toLowerCase() as Address;
  if (recovered === sent) return recovered;
  throw new InconsistentBlockError(number, `${recovered} signed a transaction, not ${sent}`);
}

/**
 * Encodes a signed transaction as blocks contain it: the bytes that the transactions root and its own hash commit to.
 * Legacy (with and without EIP-155), EIP-2930, 1559, 4844 (without blobs) and 7702.
 *
 * A missing field is encoded as zero: then the root differs, unless the field is zero.
 *
 * @throws UnsupportedTransactionError for other types.
 */
export function encodeTransaction(transaction: RpcTransaction): Hex {
  const { to, input, accessList, authorizationList, blobVersionedHashes, yParity, v } = transaction;
  const integer = rlpInteger;
  const call: Field[] = [integer(transaction.gas), to ?? '0x', integer(transaction.value), input];
  const access: Field = (accessList ?? []).map(({ address, storageKeys }) => [address, storageKeys]);
  const signature: Field[] = [integer(yParity ?? v), integer(transaction.r), integer(transaction.s)];
  const start: Field[] = [integer(transaction.chainId), integer(transaction.nonce)];
  const fees: Field[] = [integer(transaction.maxPriorityFeePerGas), integer(transaction.maxFeePerGas)];
  const type = Number(transaction.type ?? '0x0');
  switch (type) {
    case 0:
      return rlp([
        integer(transaction.nonce),
        integer(transaction.gasPrice),
        ...call,
        integer(v),
        integer(transaction.r),
        integer(transaction.s),
      ]);
    case 1:
      return concatHex(['0x01', rlp([...start, integer(transaction.gasPrice), ...call, access, ...signature])]);
    case 2:
      return concatHex(['0x02', rlp([...start, ...fees, ...call, access, ...signature])]);
    case 3: {
      const blobs: Field[] = [integer(transaction.maxFeePerBlobGas), blobVersionedHashes ?? []];
      return concatHex(['0x03', rlp([...start, ...fees, ...call, access, ...blobs, ...signature])]);
    }
    case 4: {
      const delegations: Field = (authorizationList ?? []).map((one) => [
        integer(one.chainId),
        one.address,
        integer(one.nonce),
        integer(one.yParity),
        integer(one.r),
        integer(one.s),
      ]);
      return concatHex(['0x04', rlp([...start, ...fees, ...call, access, delegations, ...signature])]);
    }
    default:
      throw new UnsupportedTransactionError(`0x${type.toString(16)}`, transaction.hash);
  }
}

function rlp(fields: readonly Field[]): Hex {
  return toRlp(fields as Parameters<typeof toRlp>[0], 'hex');
}
