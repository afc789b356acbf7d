import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chainOptionsSchema, ChainReader, type GenesisInput } from '@causeway/partner-chain';
import { Address, createCommon, PartnerEvm } from '@causeway/partner-chain/evm';
import {
  bytesToHex,
  fromRlp,
  hexToBytes,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  toRlp,
  type Hex,
  type Signature,
  type TransactionSerializable,
  type TransactionSerialized,
} from 'viem';
import { makeBlock } from '../../../packages/partner-chain/dist/blocks/make-block.js';
import { writeBlock } from '../../../packages/partner-chain/dist/blocks/write-block.js';
import { ChainEngine } from '../../../packages/partner-chain/dist/chain/chain-engine.js';
import { openChainDatabase } from '../../../packages/partner-chain/dist/db/open-database.js';
import { decodeTransaction, type ChainTransaction } from '../../../packages/partner-chain/dist/evm/transaction.js';
import type { Mempool } from '../../../packages/partner-chain/dist/mempool/mempool.js';

/** One wei of the suite's chain is one unit inside our EVM, so contracts see the same amounts on both. */
export const SCALE = 10n ** 10n;
/** The price of all replayed transactions: the suite's are as low as 1 wei, below our base fee. */
const GAS_PRICE = 10n ** 9n;

/** The suite's chain, replayed on ours. */
export interface Replay {
  readonly chainId: number;
  readonly genesisFile: string;
  /** The suite's first block under the same rules as ours. */
  readonly osakaBlock: number;
  /** Our block hashes by the suite's hash of the same block number. */
  readonly blockHashes: ReadonlyMap<Hex, Hex>;
  readonly transactions: number;
  readonly replayed: number;
  /** Notes for the output: why transactions were not replayed, or how they were changed. */
  readonly notes: readonly string[];
}

interface SuiteBlock {
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly miner: Hex;
  readonly gasLimit: bigint;
  readonly timestamp: number;
  readonly transactions: readonly Hex[];
}

interface SuiteGenesis {
  readonly config: { readonly chainId: number; readonly osakaTime: number };
  readonly timestamp: Hex;
  readonly alloc: Readonly<Record<string, { balance?: Hex; nonce?: Hex; code?: Hex; storage?: object }>>;
}

/**
 * Builds our chain from the suite's genesis and blocks, keeping numbers and times. The rules of our pool do not apply.
 * Prices below the base fee are raised, and amounts are scaled.
 *
 * @param tests the folder with `genesis.json` and `chain.rlp`.
 * @param directory an empty directory for the chain and its genesis file.
 */
export async function replaySuite(tests: string, directory: string): Promise<Replay> {
  const notes: string[] = [];
  const suite = JSON.parse(readFileSync(join(tests, 'genesis.json'), 'utf8')) as SuiteGenesis;
  const { chainId, osakaTime } = suite.config;
  const genesis = toGenesis(suite, notes);
  const genesisFile = join(directory, 'genesis.json');
  writeFileSync(genesisFile, JSON.stringify(genesis));
  const dataDirectory = join(directory, 'chain');
  const options = chainOptionsSchema.parse({ dataDirectory, chainId, genesis, blockIntervalMs: 3_600_000 });
  await (await ChainEngine.start(options, SILENT, Date.now)).close();

  const database = openChainDatabase(dataDirectory);
  const reader = new ChainReader(database);
  const common = createCommon(chainId);
  const blockHashes = new Map<Hex, Hex>();
  let transactions = 0;
  let replayed = 0;
  const blocks = readBlocks(join(tests, 'chain.rlp'));
  for (const [index, block] of blocks.entries()) {
    database.root.resetReadTxn();
    const parent = reader.block(index);
    if (parent === null) throw new Error(`Block ${index} is missing`);
    if (index === 0) blockHashes.set(block.parentHash, bytesToHex(parent.hash));
    const evm = new PartnerEvm(common, reader.state(index), (number) => reader.block(number)?.hash, 0n);
    const pool = makePool(await Promise.all(block.transactions.map((raw) => toChainTransaction(raw, common))), notes);
    const rules = { coinbase: new Address(hexToBytes(block.miner)), gasLimit: block.gasLimit, executionBudgetMs: 1 };
    const now = () => block.timestamp * 1_000;
    const sealed = await makeBlock(database, evm, pool, parent, rules, now);
    writeBlock(database, sealed);
    blockHashes.set(block.hash, bytesToHex(sealed.hash));
    transactions += block.transactions.length;
    replayed += sealed.transactions.length;
  }
  await database.root.close();
  const osakaBlock = 1 + blocks.findIndex(({ timestamp }) => timestamp >= osakaTime);
  return { chainId, genesisFile, osakaBlock, blockHashes, transactions, replayed, notes };
}

const nothing = () => undefined;
const SILENT = { onBlock: nothing, onPendingTransaction: nothing, onFault: nothing, onFailure: nothing };

/** Replaces the pool with a block's transactions, in order. */
function makePool(transactions: readonly ChainTransaction[], notes: string[]): Mempool {
  return {
    *best() {
      yield* transactions;
    },
    remove: (hash: string) => notes.push(`not replayed: ${hash}`),
  } as unknown as Mempool;
}

function toGenesis({ alloc, timestamp }: SuiteGenesis, notes: string[]): GenesisInput {
  const accounts = Object.entries(alloc).map(([address, { balance = '0x0', nonce = '0x0', code = '0x', storage }]) => {
    if (storage !== undefined) notes.push(`genesis: the storage of ${address} is left out, ours has none`);
    return [
      `0x${address.replace(/^0x/, '')}`,
      { balance: String(BigInt(balance) * SCALE), nonce: Number(nonce), code },
    ];
  });
  return { timestamp: Number(timestamp), alloc: Object.fromEntries(accounts) as GenesisInput['alloc'] };
}

/** Reads the blocks, which are concatenated RLP. */
function readBlocks(file: string): SuiteBlock[] {
  const bytes = new Uint8Array(readFileSync(file));
  const blocks: SuiteBlock[] = [];
  for (let start = 0; start < bytes.length;) {
    const lengthBytes = Math.max((bytes[start] ?? 0) - 0xf7, 0);
    const head = bytes.subarray(start + 1, start + 1 + lengthBytes);
    const length = lengthBytes === 0 ? (bytes[start] ?? 0) - 0xc0 : Number(bytesToHex(head));
    const end = start + 1 + lengthBytes + length;
    const [header, list] = fromRlp(bytes.subarray(start, end), 'hex') as [Hex[], (Hex | Hex[])[]];
    const transactions = list.map((item) => (typeof item === 'string' ? item : toRlp(item)));
    const field = (index: number): Hex => header[index] ?? '0x';
    blocks.push({
      hash: keccak256(toRlp(header)),
      parentHash: field(0),
      miner: field(2),
      gasLimit: BigInt(field(9)),
      timestamp: Number(field(11)),
      transactions,
    });
    start = end;
  }
  return blocks;
}

/** Converts a transaction for our chain, with the suite's hash, sender and bytes. */
async function toChainTransaction(raw: Hex, common: ReturnType<typeof createCommon>): Promise<ChainTransaction> {
  const chainId = Number(common.chainId());
  const parsed = parseTransaction(raw);
  const sender = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized });
  const hasCap = parsed.maxFeePerGas !== undefined;
  const price = hasCap ? { maxFeePerGas: GAS_PRICE, maxPriorityFeePerGas: 0n } : { gasPrice: GAS_PRICE };
  // Before EIP-155 a signature names no chain. The signature is not checked here, so it can name ours.
  const protection = parsed.type === 'legacy' ? { chainId, v: 35n + 2n * BigInt(chainId) } : {};
  const scaled = { ...withoutBlobs(parsed), value: (parsed.value ?? 0n) * SCALE, ...price, ...protection };
  const stored = parsed.type === 'eip4844' ? serialize(withoutBlobs(parsed)) : raw;
  return {
    ...decodeTransaction(hexToBytes(serialize(scaled)), common),
    hash: keccak256(raw),
    sender: new Address(hexToBytes(sender)),
    raw: hexToBytes(stored),
  };
}

/** Converts a blob transaction to type 2, because the EVM does not run blobs. */
function withoutBlobs(parsed: ReturnType<typeof parseTransaction>): Record<string, unknown> {
  if (parsed.type !== 'eip4844') return { ...parsed };
  const { blobVersionedHashes: _hashes, maxFeePerBlobGas: _fee, sidecars: _sidecars, ...rest } = parsed;
  return { ...rest, type: 'eip1559' };
}

function serialize(transaction: Record<string, unknown>): Hex {
  const { r, s, v, yParity, ...unsigned } = transaction as TransactionSerializable & Signature;
  return serializeTransaction(unsigned as TransactionSerializable, { r, s, v, yParity } as Signature);
}
