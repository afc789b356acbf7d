import { z } from 'zod';
import type { Backend } from '../../backends/backend.js';
import { hash } from '../../schemas/hash.js';
import { quantity64 } from '../../schemas/quantity-64.js';
import { ask } from './ask.js';

const block = z.object({
  hash,
  parentHash: hash,
  number: quantity64.transform(Number),
  timestamp: quantity64.transform(Number),
  gasUsed: quantity64.transform(Number),
  gasLimit: quantity64.transform(Number),
  transactions: z.array(z.unknown()).transform((transactions) => transactions.length),
});

/** What is counted of a block: quantities as numbers, transactions as how many. Times are seconds. */
export type CountedBlock = z.infer<typeof block>;

/** Blocks that are counted. */
const WINDOW = 32;

/** The newest blocks of the chain, each read once as long as it stays canonical. */
export class RecentWindow {
  #blocks: readonly CountedBlock[] = [];
  #reading: { readonly head: string; readonly blocks: Promise<readonly CountedBlock[]> } | null = null;

  constructor(private readonly backend: Backend) {}

  /**
   * The newest blocks, oldest first, each the next one's parent: 32, or all there are after the genesis.
   *
   * @throws RpcError of the backend.
   */
  async read(): Promise<readonly CountedBlock[]> {
    const head = await ask(this.backend, block, 'eth_getBlockByNumber', ['latest', false]);
    if (this.#reading?.head === head.hash) return await this.#reading.blocks;
    const reading = { head: head.hash, blocks: this.#advance(head) };
    this.#reading = reading;
    try {
      this.#blocks = await reading.blocks;
    } catch (error) {
      // Not kept, so that the next caller tries again.
      if (this.#reading === reading) this.#reading = null;
      throw error;
    }
    return this.#blocks;
  }

  async #advance(head: CountedBlock): Promise<readonly CountedBlock[]> {
    const known = new Map(this.#blocks.map((each) => [each.number, each]));
    // Block 0 is left out: the time of a genesis says nothing of the pace since.
    const numbers = Array.from(
      { length: Math.min(WINDOW - 1, Math.max(0, head.number - 1)) },
      (_, back) => head.number - 1 - back,
    );
    const missing = numbers.filter((number) => !known.has(number));
    const fetched = await Promise.all(missing.map((number) => this.#fetch(number)));
    for (const each of fetched) if (each !== null) known.set(each.number, each);
    const chain = [head];
    for (const number of numbers) {
      let parent = known.get(number) ?? null;
      // What was known of this number may have been taken back meanwhile.
      if (parent?.hash !== chain[0]?.parentHash && !missing.includes(number)) parent = await this.#fetch(number);
      if (parent === null || parent.hash !== chain[0]?.parentHash) break;
      chain.unshift(parent);
    }
    return chain;
  }

  #fetch(number: number): Promise<CountedBlock | null> {
    return ask(this.backend, block.nullable(), 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
  }
}
