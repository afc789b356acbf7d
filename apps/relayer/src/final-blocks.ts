import type { AgreedBlock, ChainConnection } from '@causeway/chain';
import { confirmations } from '@causeway/protocol';
import type { Hex } from 'viem';

/** An answer of the nodes about a final block serves for this long. Then they are asked again. */
const MAX_AGE_MS = 15_000;
/** A head of this age serves where one block more changes nothing. */
const RECENT_HEAD_MS = 500;

/** A block that holds an event or a transfer, as it was read and stored. */
interface StoredBlock {
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
}

interface Answer {
  readonly block: Promise<AgreedBlock | null>;
  readonly askedAtMs: number;
  /** The agreed head before the question: the block had this depth already. Null when no head was known. */
  readonly head: bigint | null;
}

/**
 * Whether blocks of one chain are final, by the agreement of its nodes: never by the node from which they were read.
 * Each block is asked for once in 15 seconds, however many operations it holds.
 */
export class FinalBlocks {
  private readonly answers = new Map<bigint, Answer>();
  private newestHead: { readonly number: bigint; readonly askedAtMs: number } | null = null;
  private asked: { readonly head: Promise<bigint>; readonly atMs: number } | null = null;

  /** @param now the clock, in milliseconds. */
  constructor(
    private readonly connection: Pick<ChainConnection, 'agreedHead' | 'agreedBlock'>,
    private readonly now: () => number,
  ) {}

  /**
   * Reads the highest block that a quorum of nodes has reached. Confirmations count from it.
   *
   * @throws QuorumError
   */
  head(): Promise<bigint> {
    const head = this.askHead();
    const asked = { head, atMs: this.now() };
    this.asked = asked;
    head.catch(() => this.asked === asked && (this.asked = null));
    return head;
  }

  /**
   * Returns the head as a quorum had it at most half a second ago. An older one delays a decision, and is never wrong.
   *
   * @throws QuorumError
   */
  recentHead(): Promise<bigint> {
    const { asked } = this;
    return asked !== null && this.now() - asked.atMs < RECENT_HEAD_MS ? asked.head : this.head();
  }

  /**
   * Returns the block of a quorum at this height, from an answer of the last 15 seconds or a new one.
   *
   * @returns null when they have none yet.
   * @throws QuorumError
   */
  async blockAt(number: bigint): Promise<AgreedBlock | null> {
    const known = this.answers.get(number);
    if (known !== undefined && this.isRecent(known.askedAtMs)) return known.block;
    for (const [key, { askedAtMs }] of this.answers) if (!this.isRecent(askedAtMs)) this.answers.delete(key);
    const head = this.newestHead?.number ?? null;
    const answer = { block: this.connection.agreedBlock(number), askedAtMs: this.now(), head };
    this.answers.set(number, answer);
    const forget = () => {
      if (this.answers.get(number) === answer) this.answers.delete(number);
    };
    answer.block.then((block) => block === null && forget(), forget);
    return answer.block;
  }

  /**
   * Checks that a quorum has exactly this block, under the required confirmations.
   *
   * @throws QuorumError
   */
  async isFinal({ blockNumber, blockHash }: StoredBlock, required: number): Promise<boolean> {
    const isDeep = (head: bigint) => confirmations(head, blockNumber) >= required;
    const known = this.newestHead;
    if (known === null || !this.isRecent(known.askedAtMs) || !isDeep(known.number)) {
      if (!isDeep(await this.head())) return false;
    }
    const answer = this.answers.get(blockNumber);
    // An answer from before the block was that deep may have been undone by a reorg since.
    if (answer !== undefined && (answer.head === null || !isDeep(answer.head))) this.answers.delete(blockNumber);
    if ((await this.blockAt(blockNumber))?.hash === blockHash) return true;
    this.answers.delete(blockNumber);
    return (await this.blockAt(blockNumber))?.hash === blockHash;
  }

  private async askHead(): Promise<bigint> {
    const askedAtMs = this.now();
    const number = await this.connection.agreedHead();
    this.newestHead = { number, askedAtMs };
    return number;
  }

  private isRecent(askedAtMs: number): boolean {
    return this.now() - askedAtMs < MAX_AGE_MS;
  }
}
