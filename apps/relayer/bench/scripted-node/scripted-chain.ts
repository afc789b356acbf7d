import { bytesToHex, type Hex } from 'viem';
import { encodeBlock, type EncodedBlock } from './encode-block.ts';
import { BRIDGE_LOCK, depositsUntil, TAIL_BLOCKS, listTransactions, type ChainScript } from './scripts.ts';

const BRIDGE_MEMBER = `"address":"${BRIDGE_LOCK}"`;

/** The answers about a block, as JSON. */
interface BlockAnswers {
  /** With the hashes of its transactions. */
  readonly light: Buffer;
  /** With its transactions. */
  readonly full: Buffer;
  readonly receipts: Buffer;
  /** All logs, joined by commas. */
  readonly logs: Buffer;
  readonly logCount: number;
  readonly deposits: Buffer;
  readonly depositCount: number;
}

/** Which logs a request wants: those of the bridge, or all. */
export type LogChoice = 'deposits' | 'all';

/** Logs of a range, as the members of a JSON list, and their number. */
export interface FoundLogs {
  readonly parts: Buffer[];
  readonly count: number;
}

/**
 * A chain of one script, in memory. Answers about blocks with transactions are encoded once, before the first request.
 * Of empty blocks only the hash is kept, since a million of them would take gigabytes.
 */
export class ScriptedChain {
  readonly head: number;
  private readonly hashes: Buffer;
  private readonly answers = new Map<number, BlockAnswers>();
  private readonly transactions = new Map<Hex, { readonly block: number; readonly index: number }>();
  private numbers: Map<string, number> | null = null;

  private readonly script: ChainScript;

  constructor(script: ChainScript) {
    this.script = script;
    this.head = script.blocks + TAIL_BLOCKS;
    this.hashes = Buffer.alloc(32 * (this.head + 1));
    const nonces = new Map<bigint, bigint>();
    const nextNonce = (key: bigint): bigint => {
      const nonce = nonces.get(key) ?? 0n;
      nonces.set(key, nonce + 1n);
      return nonce;
    };
    for (let number = 0; number <= this.head; number++) {
      const block = encodeBlock(number, this.getParent(number), listTransactions(script, number), nextNonce);
      this.hashes.set(block.hash, 32 * number);
      if (block.transactions.length === 0) continue;
      this.answers.set(number, makeAnswers(block, depositsUntil(script, number) - depositsUntil(script, number - 1)));
      for (const [index, hash] of block.transactionHashes.entries())
        this.transactions.set(hash, { block: number, index });
    }
  }

  /** The number of a block; null when there is none with this hash. */
  findNumber(hash: string): number | null {
    if (this.numbers === null) {
      this.numbers = new Map();
      for (let number = 0; number <= this.head; number++) this.numbers.set(this.hashAt(number), number);
    }
    return this.numbers.get(hash.toLowerCase()) ?? null;
  }

  block(number: number, withTransactions: boolean): Buffer {
    const answers = this.answers.get(number);
    if (answers !== undefined) return withTransactions ? answers.full : answers.light;
    const { header } = encodeBlock(number, this.getParent(number), [], () => 0n);
    return Buffer.from(`{${header()},"transactions":[]}`);
  }

  receipts(number: number): Buffer {
    return this.answers.get(number)?.receipts ?? Buffer.from('[]');
  }

  /** A transaction or a receipt; null when there is none with this hash. */
  transaction(hash: Hex, part: 'transaction' | 'receipt'): unknown {
    const place = this.transactions.get(hash);
    const answers = place && this.answers.get(place.block);
    if (place === undefined || answers === undefined) return null;
    if (part === 'receipt') return (JSON.parse(answers.receipts.toString()) as unknown[])[place.index];
    return (JSON.parse(answers.full.toString()) as { transactions: unknown[] }).transactions[place.index];
  }

  /** How many deposits the contract has numbered after a block. */
  depositsAt(number: number): number {
    return depositsUntil(this.script, number);
  }

  /** The logs of a range of blocks, both inclusive. */
  logs(from: number, to: number, choice: LogChoice): FoundLogs {
    const parts: Buffer[] = [];
    let count = 0;
    // Walking over a million empty blocks would take longer than their answer.
    const isSparse = this.answers.size < to - from;
    const numbers = isSparse ? [...this.answers.keys()].filter((number) => number >= from && number <= to) : null;
    for (let at = 0; at < (numbers?.length ?? to - from + 1); at++) {
      const answers = this.answers.get(numbers?.[at] ?? from + at);
      const found = choice === 'all' ? answers?.logCount : answers?.depositCount;
      if (answers === undefined || found === undefined || found === 0) continue;
      parts.push(choice === 'all' ? answers.logs : answers.deposits);
      count += found;
    }
    return { parts, count };
  }

  private hashAt(number: number): Hex {
    return bytesToHex(this.hashes.subarray(32 * number, 32 * number + 32));
  }

  private getParent(number: number): Uint8Array {
    return number === 0 ? new Uint8Array(32) : this.hashes.subarray(32 * number - 32, 32 * number);
  }
}

function makeAnswers(block: EncodedBlock, depositCount: number): BlockAnswers {
  const logs = block.logs.flat();
  const deposits = logs.filter((log) => log.includes(BRIDGE_MEMBER));
  if (deposits.length !== depositCount) throw new Error('The script and its blocks have other numbers of deposits');
  const header = block.header();
  const hashes = block.transactionHashes.map((hash) => `"${hash}"`).join(',');
  return {
    light: Buffer.from(`{${header},"transactions":[${hashes}]}`),
    full: Buffer.from(`{${header},"transactions":[${block.transactions.join(',')}]}`),
    receipts: Buffer.from(`[${block.receipts.join(',')}]`),
    logs: Buffer.from(logs.join(',')),
    logCount: logs.length,
    deposits: Buffer.from(deposits.join(',')),
    depositCount,
  };
}
