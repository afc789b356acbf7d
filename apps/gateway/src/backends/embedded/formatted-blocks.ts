import type { PartnerChain, StoredBlock } from '@causeway/partner-chain';
import { LRUCache } from 'lru-cache';
import { formatBlock, type RpcBlock } from './format/format-block.js';

/** Bytes of transactions that are kept formatted, whole and as hashes; in memory it is a few times as much. */
const KEPT = 8 * 1024 * 1024;
/** What a block or a transaction takes besides its bytes. */
const OVERHEAD = 256;

/** Blocks in the shape of the RPC. Those asked for lately are kept: everybody asks for the newest, and a block never changes. */
export class FormattedBlocks {
  readonly #whole = new LRUCache<number, RpcBlock>({ maxSize: KEPT });
  readonly #withHashes = new LRUCache<number, RpcBlock>({ maxSize: KEPT });

  constructor(private readonly chain: PartnerChain) {}

  /** @param isFull whether the transactions are whole or hashes. */
  get(block: StoredBlock, isFull: boolean): RpcBlock {
    const kept = isFull ? this.#whole : this.#withHashes;
    const { number } = block.header;
    const known = kept.get(number);
    if (known !== undefined) return known;
    const transactions = this.chain.reader.transactions(number);
    const formatted = formatBlock(block, transactions, isFull);
    const bytes = isFull ? transactions.reduce((sum, { raw }) => sum + raw.length, 0) : 0;
    kept.set(number, formatted, { size: bytes + OVERHEAD * (1 + transactions.length) });
    return formatted;
  }
}
