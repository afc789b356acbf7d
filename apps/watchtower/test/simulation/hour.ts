import { localSigner } from '@causeway/chain/signers';
import { createVerifier, MemoryRecord, type Side } from '@causeway/verifier';
import { numberToHex, zeroAddress, zeroHash } from 'viem';
import { GENERATED_SETTINGS, makeRandom, PERIODS } from '../../../../packages/verifier/test/generated-chain.js';
import { PauseSender } from '../../src/watch/pause-sender.js';
import { Watch } from '../../src/watch/watch.js';
import { FORGERIES } from './forgeries.js';
import { SimulatedBridge, START, type State } from './simulated-bridge.js';
import { SimulatedNode } from './simulated-node.js';

const SIDES = ['ethereum', 'partner'] as const;
const HOUR = 3_600;
const CONFIRMATIONS: Readonly<Record<Side, number>> = { ethereum: 6, partner: 6 };
/** Deepest reorganisations, of blocks that are not final. */
const DEPTHS: Readonly<Record<Side, number>> = { ethereum: 2, partner: 4 };
const PER_SECOND = 0.1;
/** As the configuration computes it. */
const computeLag = (side: Side) => BigInt(Math.floor(((CONFIRMATIONS[side] - 1) * PERIODS[side]) / 2));
const KEY = numberToHex(7, { size: 32 });

/** The lies of a node. */
const LIES: readonly ((method: string, answer: never) => unknown)[] = [
  (method, answer) => (method === 'eth_getLogs' ? [] : answer),
  (method, answer) => (method === 'eth_getLogs' ? (answer as readonly unknown[]).slice(1) : answer),
  (method, answer) => (method === 'eth_blockNumber' ? numberToHex(Number(answer) + 1_000) : answer),
  (method, answer) =>
    method === 'eth_getLogs'
      ? (answer as readonly { data: string }[]).map((log) => ({ ...log, data: log.data.replace(/.$/, '7') }))
      : answer,
  (method, answer) => (method === 'eth_call' ? zeroHash : answer),
];

/** The result of an hour. */
export interface Outcome {
  readonly turns: number;
  /** Pauses that were sent. */
  readonly pauses: readonly string[];
  /** How often, by kind. */
  readonly alarms: ReadonlyMap<string, number>;
}

/** A watchtower and its nodes in an hour of a bridge. Everything follows from the seed. */
class Hour {
  readonly random: () => number;
  readonly bridge: SimulatedBridge;
  readonly pauses: string[] = [];
  readonly alarms = new Map<string, number>();
  turns = 0;
  private readonly nodes: Readonly<Record<Side, readonly SimulatedNode<State>[]>>;
  private readonly healthyFrom: Record<Side, number> = { ethereum: 0, partner: 0 };
  private readonly watch: Watch;

  constructor(seed: number) {
    this.random = makeRandom(seed);
    this.bridge = new SimulatedBridge({ seed, operations: HOUR * PER_SECOND, perSecond: PER_SECOND });
    const now = () => this.bridge.time;
    const open = (side: Side) =>
      [0, 1, 2].map(
        (index) => new SimulatedNode(`${side}-${index}`, this.bridge.chains[side], this.bridge.answers(side), now),
      );
    this.nodes = { ethereum: open('ethereum'), partner: open('partner') };
    const options = (side: Side) => ({
      nodes: this.nodes[side],
      quorum: 2,
      confirmations: CONFIRMATIONS[side],
      onDissent: (_: string, kind: string) => this.alarm(`a node that is ${kind}`),
    });
    const verifier = createVerifier({
      settings: GENERATED_SETTINGS,
      ethereum: options('ethereum'),
      partner: options('partner'),
      record: new MemoryRecord(),
      now,
    });
    const sender = new PauseSender({
      verifier,
      signer: localSigner(KEY),
      sentinels: { ethereum: zeroAddress, partner: zeroAddress },
      maxFeePerGas: 10n ** 12n,
      now: () => 1_000 * now(),
      onSent: (side) => this.pauses.push(side),
    });
    this.watch = new Watch(verifier, {
      pause: async (side, head) => sender.pause(side, head),
      lagSeconds: { ethereum: computeLag('ethereum'), partner: computeLag('partner') },
      // The simulated clock stands still meanwhile.
      lookUpMs: 60_000,
    });
  }

  /** Goes on for one block of the partner chain. @param isCalm without reorganisations. */
  step(isCalm = false): void {
    this.bridge.step((side) => (!isCalm && this.random() < 0.015 ? 1 + this.below(DEPTHS[side]) : 0));
  }

  /** Begins and ends lags, outages and lies. */
  disturb(): void {
    for (const side of SIDES) {
      const [liar, ...others] = this.nodes[side];
      if (this.random() < 0.02 && liar !== undefined)
        liar.lie = this.pick([null, null, null, null, ...LIES]) as typeof liar.lie;
      if (this.bridge.time < this.healthyFrom[side]) continue;
      for (const node of this.nodes[side]) Object.assign(node, { lagSeconds: 0, isAway: false });
      if (this.random() > 0.002) continue;
      this.healthyFrom[side] = this.bridge.time + 20 + this.below(600);
      const hit = this.pick([others.slice(1), others, this.nodes[side]]);
      const lagSeconds = this.pick([0, 10, 60, 300, 900]);
      for (const node of hit) Object.assign(node, { lagSeconds, isAway: lagSeconds === 0 });
    }
  }

  /** Ends all lags and outages. */
  heal(): void {
    for (const node of SIDES.flatMap((side) => this.nodes[side])) Object.assign(node, { lagSeconds: 0, isAway: false });
  }

  async turn(): Promise<void> {
    this.turns += 1;
    const { obstacle, judgement, pauseProblems } = await this.watch.turn();
    if (obstacle !== null) this.alarm(obstacle.name);
    if (pauseProblems.length > 0) this.alarm('a pause that was not sent');
    if ((judgement?.waiting.length ?? 0) > 0) this.alarm('deliveries that wait');
    for (const { code } of new Set(judgement?.findings)) this.alarm(code);
  }

  below(end: number): number {
    return Math.floor(this.random() * end);
  }

  private alarm(kind: string): void {
    this.alarms.set(kind, (this.alarms.get(kind) ?? 0) + 1);
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

/** A watchtower in an honest hour. */
export async function runHonestHour(seed: number): Promise<Outcome> {
  const hour = new Hour(seed);
  let next = START + 60;
  while (hour.bridge.time < START + HOUR) {
    hour.step();
    hour.disturb();
    if (hour.bridge.time < next) continue;
    await hour.turn();
    next = hour.bridge.time + 2 + hour.below(44);
  }
  return hour;
}

/** A forged delivery in an hour, after which a watchtower starts. @returns the blocks of each chain until the pause. */
export async function runTheft(seed: number, name: string): Promise<Readonly<Record<Side, number>>> {
  const hour = new Hour(seed);
  const { bridge } = hour;
  const { chains } = bridge;
  const at = START + HOUR / 2 + hour.below(HOUR / 2);
  while (bridge.time < at) {
    hour.step();
    hour.disturb();
  }
  hour.heal();
  const isPaused = (side: Side) => {
    const { timestamp, state } = chains[side].head;
    return state.areDeliveriesPaused && state.pausedUntil > BigInt(timestamp);
  };
  let forged = null;
  while (forged === null) {
    hour.step(true);
    if (!SIDES.some(isPaused)) forged = FORGERIES[name]?.(bridge) ?? null;
  }
  await hour.turn();
  if (hour.pauses.length > 0) throw new Error('The watchtower paused the bridge before the theft');
  const { side, name: event, args } = forged;
  bridge.send(side, [[event, args]]);
  const first = chains[side].head.number + 1;
  while (chains[side].head.number < first) hour.step(true);
  const from = { ethereum: chains.ethereum.head.number, partner: chains.partner.head.number };
  const blocks: Partial<Record<Side, number>> = {};
  for (let turns = 0; turns < 60 && Object.keys(blocks).length < 2; turns += 1) {
    await hour.turn();
    hour.step(true);
    for (const one of SIDES) if (isPaused(one)) blocks[one] ??= chains[one].head.number - from[one];
  }
  return { ethereum: blocks.ethereum ?? Infinity, partner: blocks.partner ?? Infinity };
}
