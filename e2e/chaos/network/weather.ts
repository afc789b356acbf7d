import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_ENVIRONMENT_OPTIONS, type Environment } from '@causeway/testbed';
import type { Hex } from 'viem';
import { ALL_LIES } from './lies.ts';
import type { Condition, Link } from './link.ts';
import type { Random } from '../random.ts';
import type { Service } from '../service.ts';
import type { Side } from './service-links.ts';
import type { Timeline } from '../timeline.ts';

/** Milliseconds that one of three nodes or the mirror is broken, that one node lies, and of pauses. */
const MILD_MS = [500, 4_000] as const;
const LIE_MS = [2_000, 8_000] as const;
/** Milliseconds that a service lacks its database, or all nodes of a chain. */
const SEVERE_MS = [300, 2_500] as const;
/** Statements are many small pieces of data, so their link gets shorter delays. */
const DATABASE_SPEED = 5;
const PAUSE_MS = [100, 700] as const;
const REORG_PAUSE_MS = [2_000, 7_000] as const;
/** anvil mines a block faster than this, even on a busy machine. */
const BLOCK_UNDER_WAY_MS = 500;
/** One more block would be final. */
export const DEEPEST_REORG = 3;

/** Keeps the services' network and Ethereum's blocks faulty all the time. */
export class Weather {
  private readonly environment: Environment;
  private readonly services: readonly Service[];
  private readonly random: Random;
  private readonly timeline: Timeline;
  private readonly busy = new Set<string>();
  private readonly pending = new Set<Promise<void>>();
  private isOver = false;
  private isCalm = false;
  /** Ends the faults of all links. */
  private broken = new AbortController();
  faults = 0;
  reorgs = 0;

  constructor(environment: Environment, services: readonly Service[], random: Random, timeline: Timeline) {
    this.environment = environment;
    this.services = services;
    this.random = random;
    this.timeline = timeline;
  }

  /** Runs until `end`. */
  async run(): Promise<void> {
    await Promise.all([this.breakLinks(), this.reorganize()]);
    await Promise.all(this.pending);
    for (const { links } of this.services) links.heal();
  }

  end(): void {
    this.isOver = true;
  }

  /**
   * Keeps the links whole while a takeover is measured, since waiting for a silent node is not part of it. Lies and
   * reorgs continue.
   */
  async calmly<T>(work: () => Promise<T>): Promise<T> {
    this.isCalm = true;
    this.broken.abort();
    this.broken = new AbortController();
    try {
      return await work();
    } finally {
      this.isCalm = false;
    }
  }

  private async breakLinks(): Promise<void> {
    const { random } = this;
    const next = random.dealer(['node', 'node', 'node', 'lie', 'lie', 'mirror', 'database', 'chain'] as const);
    for (; !this.isOver; await sleep(random.between(...PAUSE_MS))) {
      const { name, links } = random.pick(this.services);
      const side = random.pick(['ethereum', 'partner'] as const satisfies readonly Side[]);
      const nodes = `${name}'s nodes of ${side}`;
      const condition = random.pick<Condition>(['cut', 'silent', random.between(50, 1_500)]);
      const fault = next();
      if (fault === 'lie') this.lie(nodes, links, side);
      else if (this.isCalm) continue;
      else if (fault === 'node') this.break(nodes, [random.pick(links.nodes[side])], condition, MILD_MS);
      else if (fault === 'mirror') this.break(`${name}'s mirror`, [links.mirror], condition, MILD_MS);
      else if (fault === 'chain') this.break(nodes, links.nodes[side], condition, SEVERE_MS);
      else {
        const slower = typeof condition === 'number' ? condition / DATABASE_SPEED : condition;
        this.break(`${name}'s database`, [links.database], slower, SEVERE_MS);
      }
    }
  }

  private break(
    what: string,
    links: readonly Link[],
    condition: Condition,
    [least, most]: readonly [number, number],
  ): void {
    const how = typeof condition === 'number' ? `${condition.toFixed(0)} ms late` : condition;
    const sentence = `${what}: ${links.length === 1 ? 'one' : 'all'} ${how}`;
    const set = (to: Condition) => links.forEach((link) => link.set(to));
    this.last(
      sentence,
      what,
      this.random.between(least, most),
      () => set(condition),
      () => set('open'),
      this.broken.signal,
    );
  }

  private lie(what: string, links: Service['links'], side: Side): void {
    const lie = this.random.pick(ALL_LIES);
    const milliseconds = this.random.between(...LIE_MS);
    this.last(
      `${what}: one ${lie}`,
      what,
      milliseconds,
      () => links.lie(side, lie),
      () => links.lie(side, null),
    );
  }

  /** A lasting fault. At most one at a time in each group, so that two of three nodes are honest. */
  private last(
    sentence: string,
    what: string,
    milliseconds: number,
    begin: () => void,
    end: () => void,
    signal?: AbortSignal,
  ): void {
    if (this.busy.has(what)) return;
    this.busy.add(what);
    this.faults += 1;
    this.timeline.note(`${sentence} for ${(milliseconds / 1_000).toFixed(1)} s`);
    begin();
    const ended = sleep(milliseconds, undefined, signal && { signal })
      .catch(() => undefined)
      .then(() => {
        end();
        this.busy.delete(what);
        this.pending.delete(ended);
      });
    this.pending.add(ended);
  }

  private async reorganize(): Promise<void> {
    const { random, environment } = this;
    while (!this.isOver) {
      await sleep(random.between(...REORG_PAUSE_MS));
      if (this.isOver) return;
      await this.reorg(environment, random.between(1, DEEPEST_REORG), random.isTrue(0.5));
    }
  }

  /** @param isDropped nodes forget the transactions of removed blocks; otherwise these return to the pool. */
  private async reorg({ ethereum }: Environment, depth: number, isDropped: boolean): Promise<void> {
    const { client, test } = ethereum;
    // A block mined by anvil during a reorg would mix with the new blocks and leave others out.
    await test.setIntervalMining({ interval: 0 });
    const head = await settledHead(client);
    const blocks = await Promise.all(
      Array.from({ length: depth }, (_, back) => client.getBlock({ blockNumber: head - BigInt(back) })),
    );
    const hashes = blocks.toReversed().flatMap(({ transactions }) => transactions);
    const raws = await Promise.all(hashes.map((hash) => request<Hex>(client, 'eth_getRawTransactionByHash', [hash])));
    await request(client, 'anvil_reorg', [depth, []]);
    // The new blocks have earlier times, but the clock of a real chain never goes back.
    const { timestamp } = await client.getBlock();
    await test.increaseTime({ seconds: Math.max(0, Math.floor(Date.now() / 1_000) - Number(timestamp)) });
    await test.setIntervalMining({ interval: DEFAULT_ENVIRONMENT_OPTIONS.ethereumBlockSeconds });
    this.reorgs += 1;
    const fate = isDropped ? 'dropped' : 'back in the pool';
    this.timeline.note(`reorg of ${depth} blocks up to ${head}, ${hashes.length} transactions ${fate}`);
    if (!isDropped)
      for (const raw of raws) await request(client, 'eth_sendRawTransaction', [raw]).catch(() => undefined);
  }
}

/** Returns the head after a block that is possibly being mined. */
async function settledHead(client: Environment['ethereum']['client']): Promise<bigint> {
  let [before, head] = [-1n, await client.getBlockNumber({ cacheTime: 0 })];
  while (head !== before) {
    await sleep(BLOCK_UNDER_WAY_MS);
    [before, head] = [head, await client.getBlockNumber({ cacheTime: 0 })];
  }
  return head;
}

/** A method that viem's types do not know. */
async function request<T>(client: Environment['ethereum']['client'], method: string, params: unknown[]): Promise<T> {
  return (await (client.request as (call: object) => Promise<unknown>)({ method, params })) as T;
}
