import { unprefixedHexToBytes, type BatchDBOp, type DB } from '@ethereumjs/util';
import type { Table } from '../storage/chain-database.js';

/** Trie nodes as EthereumJS' trie reads and writes them: reads fall through to the database, writes wait for the block's commit. */
export class NodeBuffer implements DB<string, string | Uint8Array> {
  /** New nodes by hash, in hex without prefix. */
  readonly written = new Map<string, Uint8Array>();

  constructor(private readonly table: Table) {}

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous, the database is not
  async get(key: string): Promise<Uint8Array | undefined> {
    return this.written.get(key) ?? this.table.getBinary(unprefixedHexToBytes(key));
  }

  // oxlint-disable-next-line typescript/require-await
  async put(key: string, value: string | Uint8Array): Promise<void> {
    this.written.set(key, typeof value === 'string' ? unprefixedHexToBytes(value) : value);
  }

  /** Nodes are shared between tries and kept for good, so nothing is deleted. */
  del(): Promise<void> {
    return Promise.resolve();
  }

  async batch(operations: BatchDBOp<string, string | Uint8Array>[]): Promise<void> {
    for (const operation of operations) {
      if (operation.type === 'put') await this.put(operation.key, operation.value);
    }
  }

  shallowCopy(): NodeBuffer {
    return this;
  }

  open(): Promise<void> {
    return Promise.resolve();
  }
}
