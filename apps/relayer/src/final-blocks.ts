import type { AgreedBlock, ChainConnection } from '@causeway/chain';
import { confirmations } from '@causeway/protocol';
import type { Hex } from 'viem';

/** The nodes' answer about a final block is reused for this long. */
const MAX_AGE_MS = 15_000;
/** A head up to this age is reused where one block more makes no difference. */
const RECENT_HEAD_MS = 500;

interface StoredBlock {
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
}

interface Answer {
  readonly block: Promise<AgreedBlock | null>;
  readonly askedAtMs: number;
  /** The agreed head before the question; the block had this depth even then. Null when no head was known. */
  readonly head: bigint | null;
}

/**
 * Reports whether blocks of one chain are final, by a quorum of its nodes rather than the node that delivered them.
 * Each block is requested once in 15 seconds, however many operations it holds.
 */
export class FinalBlocks {
  private readonly answers = new Map<bigint, Answer>();
  private newestHead: { readonly number: bigint; readonly askedAtMs: number } | null = null;
  private asked: { readonly head: Promise<bigint>; readonly atMs: number } | null = null;

  /** @param now Injectable clock, in milliseconds. */
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
   * Returns the quorum's head, at most half a second old. An older head can delay a decision but never make it wrong.
   *
   * @throws QuorumError
   */
  recentHead(): Promise<bigint> {
    const { asked } = this;
    return asked !== null && this.now() - asked.atMs < RECENT_HEAD_MS ? asked.head : this.head();
  }

  /**
   * Returns the quorum's block at this height, from an answer of the last 15 seconds or a new one.
   *
   * @returns null when the quorum has no such block yet.
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
   * Returns whether a quorum has exactly this block, with the required confirmations.
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
    // A reorg may have undone an answer from before the block had that depth.
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
