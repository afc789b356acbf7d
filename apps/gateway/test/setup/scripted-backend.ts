import { keccak256, pad, stringToHex, toHex, type Hex } from 'viem';
import type {
  Backend,
  BackendListener,
  BackendStatus,
  HeadEvent,
  RpcHeader,
  SyncState,
} from '../../src/backends/backend.js';
import { RpcError } from '../../src/jsonrpc/errors.js';

/** A log in a script. */
export interface ScriptedLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
}

interface ScriptedBlock {
  readonly header: RpcHeader;
  readonly logs: readonly Record<string, unknown>[];
}

/**
 * An in-memory chain controlled by a test. Reorganised blocks are unknown afterwards, as on a node that forgets them.
 */
export class ScriptedBackend implements Backend {
  readonly requests: string[] = [];
  /** Errors for the next requests of a method. */
  readonly failures = new Map<string, Error[]>();
  /** Whether reorganised blocks can still be asked for by hash. */
  remembersForks = false;
  mostLogs = 10_000;
  syncing: SyncState = false;
  private readonly listening = new Set<BackendListener>();
  private readonly forgotten: ScriptedBlock[] = [];
  private chain: ScriptedBlock[];
  private made = 0;

  constructor(height = 0) {
    this.chain = [this.make(null, [])];
    for (let made = 0; made < height; made += 1) this.mine([], false);
  }

  get listeners(): number {
    return this.listening.size;
  }

  get head(): RpcHeader {
    return this.chain.at(-1)!.header;
  }

  countRequests(method: string): number {
    return this.requests.filter((each) => each === method).length;
  }

  /** @param tell false for a block that `tell` announces later. */
  mine(logs: readonly ScriptedLog[] = [], tell = true): HeadEvent {
    const block = this.make(this.head, logs);
    this.chain.push(block);
    const event = { header: block.header, removed: [] };
    if (tell) this.tell(event);
    return event;
  }

  /** Replaces the newest blocks with others, one per list of logs. */
  reorganise(depth: number, blocks: readonly (readonly ScriptedLog[])[]): void {
    const gone = this.chain.splice(-depth);
    if (this.remembersForks) this.forgotten.push(...gone);
    const removed = gone.map(({ header }) => header).toReversed();
    for (const [index, logs] of blocks.entries()) {
      const { header } = this.mine(logs, false);
      this.tell({ header, removed: index === 0 ? removed : [] });
    }
  }

  tell(event: HeadEvent): void {
    for (const listener of this.listening) listener.onHead(event);
  }

  pend(hash: Hex): void {
    for (const listener of this.listening) listener.onPendingTransaction(hash);
  }

  sync(state: SyncState): void {
    this.syncing = state;
    for (const listener of this.listening) listener.onSyncing(state);
  }

  request(method: string, params: readonly unknown[]): Promise<unknown> {
    this.requests.push(method);
    const failure = this.failures.get(method)?.shift();
    if (failure !== undefined) return Promise.reject(failure);
    try {
      return Promise.resolve(this.answer(method, params));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  listen(listener: BackendListener): () => void {
    this.listening.add(listener);
    return () => void this.listening.delete(listener);
  }

  status(): BackendStatus {
    return {
      kind: 'embedded',
      available: true,
      syncing: this.syncing,
      blockNumber: Number(this.head.number),
      nodes: [],
    };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private answer(method: string, params: readonly unknown[]): unknown {
    if (method === 'eth_blockNumber') return this.head.number;
    if (method === 'eth_getLogs') {
      const logs = this.logs(params[0] as Record<string, unknown>);
      if (logs.length > this.mostLogs)
        throw new RpcError('RATE_LIMIT_EXCEEDED', `query returned more than ${this.mostLogs} results`);
      return logs;
    }
    if (method === 'eth_getBlockReceipts') {
      return this.byHash((params[0] as { blockHash: Hex }).blockHash).logs.map((log) => ({ logs: [log] }));
    }
    throw new RpcError('METHOD_NOT_SUPPORTED');
  }

  private logs({
    blockHash,
    fromBlock,
    toBlock,
    address,
  }: Record<string, unknown>): readonly Record<string, unknown>[] {
    const blocks =
      blockHash === undefined
        ? this.chain.slice(this.toNumber(fromBlock), this.toNumber(toBlock) + 1)
        : [this.byHash(blockHash as Hex)];
    const wanted = address as readonly string[] | undefined;
    return blocks.flatMap(({ logs }) => logs).filter((log) => wanted?.includes(log['address'] as string) ?? true);
  }

  private toNumber(block: unknown): number {
    return block === 'latest' ? this.chain.length - 1 : Number(block);
  }

  private byHash(hash: Hex): ScriptedBlock {
    const block = [...this.chain, ...this.forgotten].find(({ header }) => header.hash === hash);
    if (block === undefined) throw new RpcError('RESOURCE_NOT_FOUND', 'no such block');
    return block;
  }

  private make(parent: RpcHeader | null, logs: readonly ScriptedLog[]): ScriptedBlock {
    const hash = keccak256(stringToHex(`block ${(this.made += 1)}`));
    const number = toHex(parent === null ? 0 : Number(parent.number) + 1);
    const header = {
      hash,
      parentHash: parent?.hash ?? pad('0x0', { size: 32 }),
      number,
      timestamp: number,
      gasUsed: toHex(logs.length * 21_000),
    };
    const placed = logs.map(({ address, topics }, index) => ({
      address,
      topics,
      data: '0x',
      blockHash: hash,
      blockNumber: number,
      transactionHash: keccak256(hash),
      transactionIndex: '0x0',
      logIndex: toHex(index),
      removed: false,
    }));
    return { header, logs: placed };
  }
}
