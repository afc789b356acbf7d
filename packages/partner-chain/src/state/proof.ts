import { createMerkleProof, type MerklePatriciaTrie } from '@ethereumjs/mpt';
import { KECCAK256_NULL, KECCAK256_RLP } from '@ethereumjs/util';
import type { ChainDatabase } from '../db/tables.js';
import { openTrie, NodeBuffer } from './state-trie.js';
import type { StateReader } from './state-reader.js';

/** An account with its proof in the state trie (EIP-1186). */
export interface AccountProof {
  readonly nonce: bigint;
  /** Units of 8 decimals, as in the trie. */
  readonly balance: bigint;
  readonly storageHash: Uint8Array;
  readonly codeHash: Uint8Array;
  /** Trie nodes from the root to the account, or to the point where it is missing. */
  readonly accountProof: readonly Uint8Array[];
  readonly storageProof: readonly SlotProof[];
}

interface SlotProof {
  /** Without leading zeros. */
  readonly value: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/**
 * Proves an account, and slots of its storage, against a state root.
 *
 * @param state the state of that root.
 * @param slots of 32 bytes each.
 */
export async function proveAccount(
  database: ChainDatabase,
  state: StateReader,
  stateRoot: Uint8Array,
  address: Uint8Array,
  slots: readonly Uint8Array[],
): Promise<AccountProof> {
  const nodes = new NodeBuffer(database.nodes);
  const account = state.account(address);
  const storageHash = account?.storageRoot ?? KECCAK256_RLP;
  const storage = await openTrie(nodes, storageHash);
  const storageProof: SlotProof[] = [];
  for (const slot of slots) {
    storageProof.push({ value: state.slot(address, slot), proof: await prove(storage, slot) });
  }
  return {
    nonce: account?.nonce ?? 0n,
    balance: account?.balance ?? 0n,
    storageHash,
    codeHash: account?.codeHash ?? KECCAK256_NULL,
    accountProof: await prove(await openTrie(nodes, stateRoot), address),
    storageProof,
  };
}

/** Returns the nodes on the path of a key. A node of less than 32 bytes is embedded in its parent. */
async function prove(trie: MerklePatriciaTrie, key: Uint8Array): Promise<Uint8Array[]> {
  const nodes = await createMerkleProof(trie, key);
  return nodes.filter((node, index) => index === 0 || node.length >= 32);
}
