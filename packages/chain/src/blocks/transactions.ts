import secp256k1 from 'secp256k1';
import {
  concatHex,
  hexToBytes,
  keccak256,
  numberToHex,
  pad,
  toRlp,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { askNode, InconsistentBlockError, UnsupportedTransactionError } from '../rpc/chain-error.js';
import { orderedTrieRoot, readHeaderWithHashes, readHeaderWithTransactions, rlpInteger } from './header.js';
import { inPieces } from './pieces.js';
import { parseAnswer, rpcTransaction, type RpcBlock, type RpcTransaction } from './rpc-shapes.js';

type Field = Hex | readonly Field[];

/** `v` of a legacy transaction is 35 + 2 × chain id + parity; without a chain id it is 27 or 28. */
const EIP_155 = 35n;

/**
 * Reads a block with its transactions, which are unverified.
 *
 * @param pieces how many transactions to request concurrently; null to request the block in one answer.
 * @returns null if the node has no block with this number.
 * @throws InconsistentBlockError, NodeUnavailableError, NodeRefusedError, AnswerTooLargeError
 */
export async function readBlock(client: PublicClient, number: bigint, pieces: number | null): Promise<RpcBlock | null> {
  if (pieces === null) return readHeaderWithTransactions(client, number);
  const block = await readHeaderWithHashes(client, number);
  if (block === null) return null;
  const single = async (hash: Hex): Promise<RpcTransaction> => {
    const answer = await askNode(() => client.request({ method: 'eth_getTransactionByHash', params: [hash] }));
    return parseAnswer(rpcTransaction, answer, number);
  };
  return { ...block, transactions: await inPieces(block.transactions, single, pieces) };
}

/**
 * Verifies the transactions of a block: their encodings must give the transactions root of the header. So no
 * transaction can be omitted, invented or altered.
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
 * @throws InconsistentBlockError if the hash differs.
 */
export function assertTransactionHash(number: bigint, encoded: Hex, sent: Hex): void {
  const computed = keccak256(encoded);
  if (computed === sent) return;
  throw new InconsistentBlockError(number, `a transaction has the hash ${computed}, not ${sent}`);
}

/**
 * Recovers the signer of a transaction, because the transactions root does not cover the sender that a node reports.
 *
 * Uses the native secp256k1. JavaScript takes 1.5 ms per signature: a block full of transfers of one unit would take
 * longer to read than the chain takes to make it.
 *
 * @throws InconsistentBlockError if the node reported another sender, or the signature has no signer.
 */
export function recoverSender(number: bigint, transaction: RpcTransaction): Address {
  const recovered = recoverSigner(transaction);
  if (recovered === transaction.from) return recovered;
  throw new InconsistentBlockError(
    number,
    `${recovered ?? 'no account'} signed the transaction ${transaction.hash}, not ${transaction.from}`,
  );
}

function recoverSigner(transaction: RpcTransaction): Address | null {
  const { r, s, v, yParity } = transaction;
  const sent = BigInt((isLegacy(transaction) ? v : (yParity ?? v)) ?? '0x0');
  const recovery = isLegacy(transaction) ? (sent >= EIP_155 ? (sent - EIP_155) % 2n : sent - 27n) : sent;
  const signature = hexToBytes(concatHex([pad(r, { size: 32 }), pad(s, { size: 32 })]));
  try {
    const key = secp256k1.ecdsaRecover(
      signature,
      Number(recovery),
      keccak256(encode(transaction, false), 'bytes'),
      false,
    );
    return `0x${keccak256(key.slice(1)).slice(-40)}`;
  } catch {
    // Not a signature of any account.
    return null;
  }
}

/**
 * Encodes a signed transaction as in a block: the bytes that the transactions root and the transaction hash commit to.
 * Supports legacy (with and without EIP-155), EIP-2930, 1559, 4844 (without blobs) and 7702.
 *
 * A missing field is encoded as zero, so the root differs unless the field is zero.
 *
 * @throws UnsupportedTransactionError for other types.
 */
export function encodeTransaction(transaction: RpcTransaction): Hex {
  return encode(transaction, true);
}

/** Encodes with the signature, or without it for the signing hash. */
function encode(transaction: RpcTransaction, isSigned: boolean): Hex {
  const { to, input, accessList, authorizationList, blobVersionedHashes, yParity, v } = transaction;
  const integer = rlpInteger;
  const call: Field[] = [integer(transaction.gas), to ?? '0x', integer(transaction.value), input];
  const access: Field = (accessList ?? []).map(({ address, storageKeys }) => [address, storageKeys]);
  const seal = [integer(transaction.r), integer(transaction.s)];
  const signature: Field[] = isSigned ? [integer(yParity ?? v), ...seal] : [];
  const start: Field[] = [integer(transaction.chainId), integer(transaction.nonce)];
  const fees: Field[] = [integer(transaction.maxPriorityFeePerGas), integer(transaction.maxFeePerGas)];
  const type = Number(transaction.type ?? '0x0');
  switch (type) {
    case 0: {
      const protection = BigInt(v ?? '0x0') - EIP_155;
      const unsigned: Field[] = protection < 0n ? [] : [integer(numberToHex(protection / 2n)), '0x', '0x'];
      const end = isSigned ? [integer(v), ...seal] : unsigned;
      return rlp([integer(transaction.nonce), integer(transaction.gasPrice), ...call, ...end]);
    }
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

function isLegacy({ type }: RpcTransaction): boolean {
  return Number(type ?? '0x0') === 0;
}

function rlp(fields: readonly Field[]): Hex {
  return toRlp(fields as Parameters<typeof toRlp>[0], 'hex');
}
