import { createHash } from 'node:crypto';
import { encodeHeader, encodeReceipt, indexTrieRoot, keccak256, logsBloom } from '@causeway/partner-chain';
import { bytesToHex, hexToBytes, numberToHex, zeroHash, type Hex } from 'viem';
import type { EmittedLog, Message } from './evm.ts';
import type { Transaction } from './transactions.ts';

// Blocks with correct hashes and roots, and their form in JSON-RPC.

/** A transaction in a block, with its result. */
export interface Mined {
  readonly transaction: Transaction;
  readonly succeeded: boolean;
  /** The data that it returned or reverted with. */
  readonly output: Hex;
  readonly gasUsed: bigint;
  /** Wei per gas. */
  readonly effectiveGasPrice: bigint;
  readonly logs: readonly EmittedLog[];
  readonly messages: readonly Message[];
}

/** The input of a block. */
interface BlockInput {
  readonly parent: SimulatedBlock | null;
  /** Seconds. */
  readonly timestamp: number;
  readonly baseFeePerGas: bigint;
  readonly gasLimit: bigint;
  /** Differs between branches, so that their blocks have different hashes. */
  readonly branch: number;
  readonly mined: readonly Mined[];
}

type Json = Readonly<Record<string, unknown>>;

const EMPTY_ROOT = indexTrieRoot([]);
const EMPTY_BLOOM = new Uint8Array(256);
const COINBASE = new Uint8Array(20).fill(0xfe);
const STATE_ROOT = new Uint8Array(32).fill(0xab);
const quantity = (value: number | bigint): Hex => numberToHex(value);

/** The fields that all blocks share. The empty roots are those of EIP-1559, 4895 and 7685. */
const SHARED = {
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  miner: bytesToHex(COINBASE),
  stateRoot: bytesToHex(STATE_ROOT),
  difficulty: '0x0',
  totalDifficulty: '0x0',
  extraData: '0x',
  size: '0x400',
  nonce: '0x0000000000000000',
  uncles: [],
  withdrawals: [],
  withdrawalsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  blobGasUsed: '0x0',
  excessBlobGas: '0x0',
  parentBeaconBlockRoot: zeroHash,
  requestsHash: `0x${createHash('sha256').digest('hex')}`,
} as const;
const EMPTY = { root: bytesToHex(EMPTY_ROOT), bloom: bytesToHex(EMPTY_BLOOM) };

/** An immutable block. The answers of nodes about it are cached. */
export class SimulatedBlock {
  readonly number: number;
  readonly hash: Hex;
  readonly parent: SimulatedBlock | null;
  readonly timestamp: number;
  readonly baseFeePerGas: bigint;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  readonly mined: readonly Mined[];
  private readonly header: Json;
  private json: { readonly withHashes: Json; readonly whole: Json } | null = null;
  private receiptList: readonly Json[] | null = null;
  private logList: readonly Json[] | null = null;

  constructor({ parent, timestamp, baseFeePerGas, gasLimit, branch, mined }: BlockInput) {
    this.number = parent === null ? 0 : parent.number + 1;
    this.parent = parent;
    this.timestamp = timestamp;
    this.baseFeePerGas = baseFeePerGas;
    this.gasLimit = gasLimit;
    this.gasUsed = mined.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
    this.mined = mined;
    const contents = computeRoots(mined);
    const prevRandao = hexToBytes(numberToHex(branch, { size: 32 }));
    const header = {
      parentHash: parent === null ? new Uint8Array(32) : hexToBytes(parent.hash),
      coinbase: COINBASE,
      stateRoot: STATE_ROOT,
      ...contents,
      number: this.number,
      gasLimit,
      gasUsed: this.gasUsed,
      timestamp,
      prevRandao,
      baseFeePerGas,
    };
    this.hash = bytesToHex(keccak256(encodeHeader(header)));
    const isEmpty = mined.length === 0;
    this.header = {
      ...SHARED,
      number: quantity(this.number),
      hash: this.hash,
      parentHash: parent?.hash ?? zeroHash,
      timestamp: quantity(timestamp),
      logsBloom: isEmpty ? EMPTY.bloom : bytesToHex(contents.logsBloom),
      transactionsRoot: isEmpty ? EMPTY.root : bytesToHex(contents.transactionsRoot),
      receiptsRoot: isEmpty ? EMPTY.root : bytesToHex(contents.receiptsRoot),
      gasUsed: quantity(this.gasUsed),
      gasLimit: quantity(gasLimit),
      mixHash: bytesToHex(prevRandao),
      baseFeePerGas: quantity(baseFeePerGas),
    };
  }

  /** The answer of `eth_getBlockBy...`. */
  toJson(withTransactions: boolean): Json {
    this.json ??= {
      withHashes: { ...this.header, transactions: this.mined.map(({ transaction }) => transaction.hash) },
      whole: { ...this.header, transactions: this.mined.map((_, index) => this.transactionJson(index)) },
    };
    return withTransactions ? this.json.whole : this.json.withHashes;
  }

  /** The answer of `eth_getBlockReceipts`. */
  receipts(): readonly Json[] {
    return (this.receiptList ??= this.makeReceipts());
  }

  /** All logs, in the form of `eth_getLogs`. */
  logs(): readonly Json[] {
    return (this.logList ??= this.receipts().flatMap(({ logs }) => logs as readonly Json[]));
  }

  /** The answer of `eth_getTransactionByHash`. */
  transactionJson(index: number): Json {
    const mined = this.mined[index];
    if (mined === undefined) throw new RangeError(`Block ${this.number} has no transaction ${index}`);
    const place = { blockHash: this.hash, blockNumber: quantity(this.number), transactionIndex: quantity(index) };
    return { ...transactionJson(mined.transaction), ...place, gasPrice: quantity(mined.effectiveGasPrice) };
  }

  private makeReceipts(): Json[] {
    let [cumulativeGasUsed, logIndex] = [0n, 0];
    const block = { blockHash: this.hash, blockNumber: quantity(this.number) };
    return this.mined.map(({ transaction, succeeded, gasUsed, effectiveGasPrice, logs }, index) => {
      cumulativeGasUsed += gasUsed;
      const place = { ...block, transactionHash: transaction.hash, transactionIndex: quantity(index) };
      return {
        ...place,
        type: '0x2',
        from: transaction.from,
        to: transaction.to,
        status: succeeded ? '0x1' : '0x0',
        gasUsed: quantity(gasUsed),
        cumulativeGasUsed: quantity(cumulativeGasUsed),
        effectiveGasPrice: quantity(effectiveGasPrice),
        contractAddress: null,
        logsBloom: bytesToHex(logsBloom(logs.map(toBytes))),
        logs: logs.map((log) => ({
          ...place,
          ...log,
          logIndex: quantity(logIndex++),
          blockTimestamp: quantity(this.timestamp),
          removed: false,
        })),
      };
    });
  }
}

/** A transaction that is not in a block yet. */
export function transactionJson(transaction: Transaction): Json {
  const { hash, from, to, nonce, gas, value, input, chainId, signature } = transaction;
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction;
  return {
    hash,
    type: '0x2',
    chainId: quantity(chainId),
    from,
    to,
    nonce: quantity(nonce),
    gas: quantity(gas),
    value: quantity(value),
    input,
    maxFeePerGas: quantity(maxFeePerGas),
    maxPriorityFeePerGas: quantity(maxPriorityFeePerGas),
    gasPrice: quantity(maxFeePerGas),
    accessList: [],
    v: signature.yParity,
    ...signature,
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
  };
}

function computeRoots(mined: readonly Mined[]) {
  if (mined.length === 0) return { transactionsRoot: EMPTY_ROOT, receiptsRoot: EMPTY_ROOT, logsBloom: EMPTY_BLOOM };
  let cumulativeGasUsed = 0n;
  const receipts = mined.map(({ succeeded, gasUsed, effectiveGasPrice, logs }) => {
    cumulativeGasUsed += gasUsed;
    const bytes = logs.map(toBytes);
    const status = succeeded ? 1 : 0;
    const outcome = { type: 2, status, gasUsed, effectiveGasPrice, contractAddress: null } as const;
    return { ...outcome, cumulativeGasUsed, logs: bytes, logsBloom: logsBloom(bytes) };
  });
  return {
    transactionsRoot: indexTrieRoot(mined.map(({ transaction }) => transaction.bytes)),
    receiptsRoot: indexTrieRoot(receipts.map(encodeReceipt)),
    logsBloom: logsBloom(receipts.flatMap(({ logs }) => logs)),
  };
}

function toBytes({ address, topics, data }: EmittedLog) {
  return { address: hexToBytes(address), topics: topics.map((topic) => hexToBytes(topic)), data: hexToBytes(data) };
}
