import type { PartnerChain, StoredBlock } from '@causeway/partner-chain';
import { LRUCache } from 'lru-cache';
import { formatBlock } from './format/format-block.js';

/** Most transactions (and blocks, each counting for one) that are kept formatted. */
const KEPT = 20_000;

type FormattedBlock = ReturnType<typeof formatBlock>;

/** Blocks in the shape of the RPC. Those asked for lately are kept: everybody asks for the newest, and a block never changes. */
export class FormattedBlocks {
  readonly #whole = new LRUCache<number, FormattedBlock>({ maxSize: KEPT });
  readonly #withHashes = new LRUCache<number, FormattedBlock>({ maxSize: KEPT });

  constructor(private readonly chain: PartnerChain) {}

  /** @param isFull whether the transactions are whole or hashes. */
  get(block: StoredBlock, isFull: boolean): FormattedBlock {
    const kept = isFull ? this.#whole : this.#withHashes;
    const { number } = block.header;
    const known = kept.get(number);
    if (known !== undefined) return known;
    const transactions = this.chain.reader.transactions(number);
    const formatted = formatBlock(block, transactions, isFull);
    kept.set(number, formatted, { size: 1 + transactions.length });
    return formatted;
  }
}
