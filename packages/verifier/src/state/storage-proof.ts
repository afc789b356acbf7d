import { fromRlp, type Address, type Hex } from 'viem';
import type { Header } from '../blocks/header.js';
import { BadAnswerError, readBytes, readList, readObject, readQuantity } from '../blocks/json.js';
import { verifyStateProof } from '../blocks/trie.js';
import { NoQuorumError, type Ask, type QuorumReader } from '../nodes/quorum-reader.js';

/** The evidence for a state: a proof to the state root of its block, or the word of a quorum of nodes. */
export type KnownBy = 'PROOF' | 'QUORUM';

/** An account in the state after a block. */
export interface AccountState {
  /** In wei of JSON-RPC. */
  readonly balance: bigint;
  /** In the order of the slots. */
  readonly values: readonly bigint[];
  readonly by: KnownBy;
}

/** Slots of one request. A proof takes about 8 kilobytes a slot. */
const MAX_SLOTS = 64;

/**
 * Reads the balance and storage of an account after a block: proven by any node, otherwise by a quorum.
 *
 * @param unit wei of JSON-RPC in a unit of balances in the state.
 * @throws NoQuorumError
 */
export async function readAccount(
  reader: QuorumReader,
  header: Header,
  { address, slots, unit }: { readonly address: Address; readonly slots: readonly Hex[]; readonly unit: bigint },
): Promise<AccountState> {
  const [values, evidence]: [bigint[], KnownBy[]] = [[], []];
  let balance = 0n;
  for (let first = 0; first === 0 || first < slots.length; first += MAX_SLOTS) {
    const some = slots.slice(first, first + MAX_SLOTS);
    const proven = evidence.includes('QUORUM') ? null : await readProven(reader, header, address, some, unit);
    const question = `the storage of ${address}`;
    const part: AccountState =
      proven ?? (await reader.agree(question, async (ask) => askAccount(ask, header, address, some)));
    balance = part.balance;
    values.push(...part.values);
    evidence.push(part.by);
  }
  return { balance, values, by: evidence.includes('QUORUM') ? 'QUORUM' : 'PROOF' };
}

/** Null if no node gives a proof. */
async function readProven(
  reader: QuorumReader,
  header: Header,
  address: Address,
  slots: readonly Hex[],
  unit: bigint,
): Promise<AccountState | null> {
  try {
    return await reader.fromAnyNode(`a proof of ${address}`, async (ask) => {
      const answer = await ask('eth_getProof', [address, slots, { blockHash: header.hash }]);
      return verifyAccountProof(header.stateRoot, address, slots, answer, unit);
    });
  } catch (error) {
    if (error instanceof NoQuorumError) return null;
    throw error;
  }
}

/**
 * Verifies the answer to eth_getProof (EIP-1186). Pure. Only the nodes of its proofs are used.
 *
 * @throws BadAnswerError, BadProofError
 */
export function verifyAccountProof(
  stateRoot: Hex,
  address: Address,
  slots: readonly Hex[],
  answer: unknown,
  unit: bigint,
): AccountState {
  const { accountProof, storageProof } = readObject(answer, 'proof');
  const account = readAccountItem(verifyStateProof(stateRoot, address, readNodes(accountProof)));
  const proofs = readList(storageProof, 'storageProof');
  if (proofs.length !== slots.length) throw new BadAnswerError('the proof is of other slots');
  const values = slots.map((slot, index) => {
    const nodes = readNodes(readObject(proofs[index], 'storageProof')['proof']);
    const item = account === null ? null : verifyStateProof(account.storageRoot, slot, nodes);
    return item === null ? 0n : toInteger(fromRlp(item, 'hex'));
  });
  return { balance: (account?.balance ?? 0n) * unit, values, by: 'PROOF' };
}

async function askAccount(ask: Ask, header: Header, address: Address, slots: readonly Hex[]): Promise<AccountState> {
  const block = { blockHash: header.hash };
  const balance = readQuantity(await ask('eth_getBalance', [address, block]), 'balance');
  const words = await Promise.all(slots.map(async (slot) => ask('eth_getStorageAt', [address, slot, block])));
  return { balance, values: words.map((word) => BigInt(readBytes(word, 'storage', 32))), by: 'QUORUM' };
}

function readNodes(value: unknown): readonly Hex[] {
  return readList(value, 'proof').map((node) => readBytes(node, 'node'));
}

/** An item of the state trie: RLP of nonce, balance, storage root and code hash (Yellow Paper 4.1). */
function readAccountItem(item: Hex | null): { readonly balance: bigint; readonly storageRoot: Hex } | null {
  if (item === null) return null;
  const [, balance, storageRoot] = fromRlp(item, 'hex');
  return { balance: toInteger(balance), storageRoot: readBytes(storageRoot, 'storage root', 32) };
}

function toInteger(bytes: unknown): bigint {
  const text = readBytes(bytes, 'integer');
  return text === '0x' ? 0n : BigInt(text);
}
