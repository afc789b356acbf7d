import { MerklePatriciaTrie } from '@ethereumjs/mpt';
import { bytesToHex, hexToBytes, keccak256, numberToHex, toRlp, trim, type Hex, type PublicClient } from 'viem';
import { askNode, InconsistentBlockError } from '../rpc/chain-error.js';
import {
  parseAnswer,
  rpcBlock,
  rpcBlockOfHashes,
  rpcHeader,
  type RpcBlock,
  type RpcBlockOfHashes,
  type RpcHeader,
} from './rpc-shapes.js';

/** Root of an empty trie. On a quiet chain most blocks have it as transactions root and as receipts root. */
const EMPTY_TRIE: Hex = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

/**
 * Reads a header and verifies its number and its hash.
 *
 * @returns null if the node has no block with this number.
 * @throws InconsistentBlockError, NodeUnavailableError, NodeRefusedError
 */
export async function readHeader(client: PublicClient, number: bigint): Promise<RpcHeader | null> {
  const answer = await requestBlock(client, number, false);
  return answer === null ? null : verified(parseAnswer(rpcHeader, answer, number), number);
}

/**
 * Reads the header of a block by its hash.
 *
 * @returns null if the node does not have the block.
 * @throws InconsistentBlockError if the header does not give the hash; NodeUnavailableError, NodeRefusedError.
 */
export async function readHeaderByHash(client: PublicClient, number: bigint, hash: Hex): Promise<RpcHeader | null> {
  const answer = await askNode(() => client.request({ method: 'eth_getBlockByHash', params: [hash, false] }));
  if (answer === null) return null;
  const header = verified(parseAnswer(rpcHeader, answer, number), number);
  if (header.hash === hash) return header;
  throw new InconsistentBlockError(number, `the node answered with the block ${header.hash}, not ${hash}`);
}

/** Like `readHeader`, and also returns the transaction hashes, which are unverified. */
export async function readHeaderWithHashes(client: PublicClient, number: bigint): Promise<RpcBlockOfHashes | null> {
  const answer = await requestBlock(client, number, false);
  return answer === null ? null : verified(parseAnswer(rpcBlockOfHashes, answer, number), number);
}

/** Like `readHeader`, and also returns the transactions, which are unverified. */
export async function readHeaderWithTransactions(client: PublicClient, number: bigint): Promise<RpcBlock | null> {
  const answer = await requestBlock(client, number, true);
  return answer === null ? null : verified(parseAnswer(rpcBlock, answer, number), number);
}

/**
 * Computes the hash of a header from its fields (Yellow Paper 4.4; later fields by EIP-1559, 4895, 4844, 4788 and
 * 7685). A node cannot change a field without changing the hash.
 */
export function headerHash(block: RpcHeader): Hex {
  const later = [
    block.baseFeePerGas && rlpInteger(block.baseFeePerGas),
    block.withdrawalsRoot,
    block.blobGasUsed && rlpInteger(block.blobGasUsed),
    block.excessBlobGas && rlpInteger(block.excessBlobGas),
    block.parentBeaconBlockRoot,
    block.requestsHash,
  ].filter((field) => field !== null && field !== undefined);
  return keccak256(
    toRlp([
      block.parentHash,
      block.sha3Uncles,
      block.miner,
      block.stateRoot,
      block.transactionsRoot,
      block.receiptsRoot,
      block.logsBloom,
      rlpInteger(block.difficulty),
      rlpInteger(block.number),
      rlpInteger(block.gasLimit),
      rlpInteger(block.gasUsed),
      rlpInteger(block.timestamp),
      block.extraData,
      block.mixHash,
      block.nonce,
      ...later,
    ] as Hex[]),
  );
}

/** Converts a JSON-RPC quantity to an RLP integer: no leading zeros; zero and a missing value are the empty string. */
export function rlpInteger(value: Hex | null | undefined): Hex {
  if (!value) return '0x';
  const trimmed = trim(value.length % 2 === 0 ? value : `0x0${value.slice(2)}`);
  return trimmed === '0x00' ? '0x' : trimmed;
}

/** Computes the root of the trie that maps the RLP-encoded index of each item to the item (Yellow Paper 4.4.1). */
export async function orderedTrieRoot(items: readonly Hex[]): Promise<Hex> {
  if (items.length === 0) return EMPTY_TRIE;
  const trie = new MerklePatriciaTrie();
  for (const [index, item] of items.entries()) {
    await trie.put(toRlp(rlpInteger(numberToHex(index)), 'bytes'), hexToBytes(item));
  }
  return bytesToHex(trie.root());
}

/** The three bits of a value in a logs bloom (Yellow Paper 4.4.3), each as a byte index and a mask. */
export type BloomBits = readonly { readonly byte: number; readonly mask: number }[];

/** Computes the bits of an address or topic. */
export function bloomBits(value: Hex): BloomBits {
  const hash = keccak256(hexToBytes(value), 'bytes');
  return [0, 2, 4].map((position) => {
    const bit = (((hash[position] ?? 0) << 8) | (hash[position + 1] ?? 0)) & 2047;
    return { byte: 255 - (bit >> 3), mask: 1 << (bit & 7) };
  });
}

/** Checks whether a logs bloom may contain a value. False proves that the block has no log with it. */
export function bloomMayContain(bloom: Hex, bits: BloomBits): boolean {
  return bits.every(({ byte, mask }) => (Number.parseInt(bloom.slice(2 + 2 * byte, 4 + 2 * byte), 16) & mask) !== 0);
}

function requestBlock(client: PublicClient, number: bigint, withTransactions: boolean): Promise<unknown> {
  return askNode(() =>
    client.request({ method: 'eth_getBlockByNumber', params: [numberToHex(number), withTransactions] }),
  );
}

function verified<H extends RpcHeader>(header: H, number: bigint): H {
  if (BigInt(header.number) !== number) {
    throw new InconsistentBlockError(number, `the node answered with block ${header.number}`);
  }
  const computed = headerHash(header);
  if (computed !== header.hash) {
    throw new InconsistentBlockError(number, `its header gives the hash ${computed}, not ${header.hash}`);
  }
  return header;
}
