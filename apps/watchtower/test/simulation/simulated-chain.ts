import { buildIndexTrie, type PlacedLog } from '@causeway/verifier';
import { keccak256, numberToHex, toRlp, zeroAddress, zeroHash, type Hex } from 'viem';
import { integer, type Json, type Transaction } from './transactions.js';

export type Logs = readonly PlacedLog[];

/** The contents of a block. */
interface Contents {
  readonly logs: Logs;
  /** The transactions that a proof of the block needs; their logs are not needed. */
  readonly transactions: readonly Transaction[];
}

const BLOOM: Hex = `0x${'00'.repeat(256)}`;
const ZERO = '0x0';

/** A block with a correct hash. */
export class SimulatedBlock<State> {
  readonly number: number;
  readonly hash: Hex;
  /** The answer of `eth_getBlockBy...`. */
  readonly json: Json;
  /** In the form of `eth_getLogs`. */
  readonly logs: readonly Json[];
  /** The answer of `eth_getBlockReceipts`. */
  readonly receipts: readonly Json[];

  /**
   * @param contents can be in several blocks that replace each other.
   * @param state after the block.
   * @param branch differs between blocks that replace each other.
   */
  constructor(
    readonly parent: SimulatedBlock<State> | null,
    readonly timestamp: number,
    readonly contents: Contents,
    readonly state: State,
    branch: number,
  ) {
    const { logs, transactions } = contents;
    this.number = parent === null ? 0 : parent.number + 1;
    const start = {
      parentHash: parent?.hash ?? zeroHash,
      sha3Uncles: zeroHash,
      miner: zeroAddress,
      stateRoot: zeroHash,
      transactionsRoot: buildIndexTrie(transactions.map(({ encoded }) => encoded)).root,
      receiptsRoot: buildIndexTrie(transactions.map((_, index) => toRlp(['0x01', integer(index + 1), BLOOM, []]))).root,
      logsBloom: BLOOM,
    };
    const end = { extraData: '0x', mixHash: numberToHex(branch, { size: 32 }), nonce: '0x0000000000000000' } as const;
    const quantities = ['0x', integer(this.number), '0x', '0x', integer(timestamp)] as const;
    this.hash = keccak256(toRlp([...Object.values(start), ...quantities, ...Object.values(end)]));
    const number = numberToHex(this.number);
    const named = { difficulty: ZERO, number, gasLimit: ZERO, gasUsed: ZERO, timestamp: numberToHex(timestamp) };
    const { hash } = this;
    this.json = { ...start, ...named, ...end, hash, transactions: transactions.map(({ json }) => json) };
    this.logs = logs.map(({ address, topics, data, transactionHash }, index) => {
      const place = { blockHash: hash, blockNumber: number, logIndex: numberToHex(index) };
      return { address, topics, data, transactionHash, ...place, removed: false };
    });
    this.receipts = transactions.map((_, index) => {
      const outcome = { type: ZERO, status: '0x1', cumulativeGasUsed: numberToHex(index + 1) };
      return { ...outcome, logsBloom: BLOOM, logs: [] };
    });
  }
}

const EMPTY: Contents = { logs: [], transactions: [] };
const isEmpty = ({ logs, transactions }: Contents) => logs.length + transactions.length === 0;

/** A chain whose newest blocks can be replaced. */
export class SimulatedChain<State> {
  /** The contents of later blocks. */
  private queue: Contents[] = [];
  /** Further logs of the next block. */
  private readonly further: PlacedLog[] = [];
  /** Every block that was the newest one, oldest first. */
  private readonly heads: SimulatedBlock<State>[] = [];
  private readonly blocks: SimulatedBlock<State>[] = [];
  private branch = 0;

  constructor(
    readonly chainId: number,
    private readonly first: State,
    private readonly apply: (state: State, logs: Logs) => State,
  ) {}

  get head(): SimulatedBlock<State> {
    return this.blockAt(this.blocks.length - 1);
  }

  /** A block of the newest branch. */
  blockAt(number: number): SimulatedBlock<State> {
    const block = this.blocks[number];
    if (block === undefined) throw new RangeError(`The chain has no block ${number}`);
    return block;
  }

  /** Adds contents that follow all earlier ones. They stay together, so that the places of logs do not change. */
  add(contents: Contents): void {
    this.queue.push(contents);
  }

  /** Adds logs at the end of the next block. */
  append(logs: Logs): void {
    this.further.push(...logs);
  }

  mine(timestamp: number): void {
    const parent = this.blocks.at(-1) ?? null;
    const { logs, transactions } = this.queue.shift() ?? EMPTY;
    const contents = { logs: [...logs, ...this.further.splice(0)], transactions };
    const before = parent?.state ?? this.first;
    const state = this.apply(before, contents.logs);
    const block = new SimulatedBlock(parent, timestamp, contents, state, this.branch);
    this.blocks.push(block);
    this.heads.push(block);
  }

  /** Replaces the newest blocks by as many others and one more, whose contents follow one block later. */
  reorganise(depth: number, timestamp: number): void {
    const dropped = this.blocks.splice(-depth);
    this.branch += 1;
    this.queue = [EMPTY, ...dropped.map(({ contents }) => contents), ...this.queue];
    for (const block of dropped) this.mine(block.timestamp);
    this.queue = this.queue.filter((contents) => !isEmpty(contents));
    this.mine(timestamp);
  }

  /** The newest block that a node showed at a time. */
  headAt(timestamp: number): SimulatedBlock<State> {
    return this.heads.findLast((block) => block.timestamp <= timestamp) ?? this.blockAt(0);
  }

  /** The ancestor of a block at a height; null above the block. */
  ancestorAt(head: SimulatedBlock<State>, number: number): SimulatedBlock<State> | null {
    if (number > head.number) return null;
    let block = head;
    // Until the branches meet.
    while (block.number > number && this.blocks[block.number] !== block) block = block.parent ?? block;
    return block.number > number ? this.blockAt(number) : block;
  }
}
