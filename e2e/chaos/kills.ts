import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database.ts';
import type { Random } from './random.ts';
import type { Relayers, Takeover } from './relayers.ts';
import type { Service } from './service.ts';
import type { Timeline } from './timeline.ts';
import type { Weather } from './network/weather.ts';

/** Each kind of kill as often as in twenty of them. */
const DECK = [
  ...Array.from({ length: 4 }, () => 'kill the leader' as const),
  ...Array.from({ length: 2 }, () => 'freeze the leader' as const),
  ...Array.from({ length: 3 }, () => 'kill the passive relayer' as const),
  ...Array.from({ length: 2 }, () => 'freeze the passive relayer' as const),
  'kill both relayers',
  ...Array.from({ length: 4 }, () => 'kill the API' as const),
  'freeze the API',
  ...Array.from({ length: 2 }, () => 'restart PostgreSQL' as const),
  'fill the disk of PostgreSQL',
] as const;
type KillKind = (typeof DECK)[number];

const PAUSE_MS = [100, 1_200] as const;
/** Until a killed process starts again. Another relayer has the lease then. */
const DOWN_MS = [300, 3_000] as const;
/** Longer than the lease in about half of the cases. */
const FREEZE_MS = [1_000, 11_000] as const;
const FULL_MS = [1_000, 3_000] as const;

/** The parts of the bridge that are killed, and the network around them. */
interface Victims {
  readonly relayers: Relayers;
  readonly api: Service;
  readonly database: Database;
  readonly weather: Weather;
}

/** Kills, freezes and restarts, one after the other, and measures the takeovers. */
export class Kills {
  /** How often each kind happened. */
  readonly counts = new Map<KillKind, number>();
  /** After kills of the leader. */
  readonly takeovers: Takeover[] = [];
  /** After freezes of the leader that were longer than the lease. */
  readonly takeoversAfterFreeze: Takeover[] = [];
  private readonly victims: Victims;
  private readonly random: Random;
  private readonly timeline: Timeline;
  private readonly pending: Promise<void>[] = [];

  constructor(victims: Victims, random: Random, timeline: Timeline) {
    this.victims = victims;
    this.random = random;
    this.timeline = timeline;
  }

  /** @param progress completes the line of each kill. */
  async run(times: number, progress: () => string): Promise<void> {
    const next = this.random.dealer(DECK);
    for (let kill = 1; kill <= times; kill += 1) {
      await sleep(this.random.between(...PAUSE_MS));
      const dealt = next();
      const isPossible = dealt !== 'fill the disk of PostgreSQL' || this.victims.database.canFillDisk;
      const kind = isPossible ? dealt : 'restart PostgreSQL';
      this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
      const outcome = await this.carryOut(kind);
      this.timeline.announce(`kill ${kill}/${times}: ${kind}${outcome}; ${progress()}`);
    }
    await Promise.all(this.pending);
  }

  /** @returns what people should know about it. */
  private async carryOut(kind: KillKind): Promise<string> {
    const { relayers, api, database } = this.victims;
    switch (kind) {
      case 'kill the leader':
        return this.killLeader();
      case 'freeze the leader':
        return this.freezeLeader();
      case 'kill both relayers':
        return this.killBoth();
      case 'kill the passive relayer':
      case 'kill the API': {
        const service = kind === 'kill the API' ? api : (await relayers.ready()).passive;
        await this.kill(service);
        return ` (${service.name})`;
      }
      case 'freeze the passive relayer':
      case 'freeze the API': {
        const service = kind === 'freeze the API' ? api : (await relayers.ready()).passive;
        return this.freeze(service);
      }
      case 'restart PostgreSQL':
        await database.restart();
        return '';
      case 'fill the disk of PostgreSQL': {
        const milliseconds = this.random.between(...FULL_MS);
        const isLog = this.random.isTrue(0.5);
        const before = database.refusals();
        await database.fillDisk(milliseconds, isLog);
        return ` (${isLog ? 'log' : 'tables'}), refused ${database.refusals() - before} times`;
      }
    }
  }

  private async killLeader(): Promise<string> {
    const { relayers, weather } = this.victims;
    const { leader, token } = await relayers.ready();
    this.timeline.note(`kill -9 of ${leader.name}, the leader`);
    const takeover = weather.calmly(() => relayers.takeover(token));
    await leader.kill();
    const tookOver = await takeover;
    this.takeovers.push(tookOver);
    this.later(this.random.between(...DOWN_MS), () => leader.start());
    return ` (${leader.name}), ${describeTakeover(tookOver)}`;
  }

  private async freezeLeader(): Promise<string> {
    const { relayers, weather } = this.victims;
    const { leader, token } = await relayers.ready();
    const milliseconds = this.random.between(...FREEZE_MS);
    this.timeline.note(`freeze of ${leader.name}, the leader, for ${seconds(milliseconds)}`);
    leader.freeze();
    const thawed = sleep(milliseconds);
    // Not within a freeze that is shorter than the lease.
    const tookOver = await weather.calmly(() => relayers.takeover(token, milliseconds)).catch(() => null);
    await thawed;
    leader.thaw();
    if (tookOver === null) return ` (${leader.name}) for ${seconds(milliseconds)}`;
    this.takeoversAfterFreeze.push(tookOver);
    return ` (${leader.name}) for ${seconds(milliseconds)}, ${describeTakeover(tookOver)}`;
  }

  private async killBoth(): Promise<string> {
    const { relayers } = this.victims;
    const token = await relayers.token();
    await Promise.all(relayers.all.map((relayer) => relayer.kill()));
    for (const relayer of relayers.all) this.later(this.random.between(...DOWN_MS), () => relayer.start());
    return `, one works again after ${seconds((await relayers.takeover(token)).workMs)}`;
  }

  private async kill(service: Service): Promise<void> {
    await service.kill();
    this.later(this.random.between(...DOWN_MS), () => service.start());
  }

  private freeze(service: Service): string {
    const milliseconds = this.random.between(...FREEZE_MS);
    service.freeze();
    this.later(milliseconds, () => service.thaw());
    return ` (${service.name}) for ${seconds(milliseconds)}`;
  }

  private later(milliseconds: number, work: () => void): void {
    this.pending.push(sleep(milliseconds).then(work));
  }
}

function describeTakeover({ leaseMs, workMs, starvedMs }: Takeover): string {
  return `takeover after ${seconds(workMs)} (lease after ${seconds(leaseMs)}, ${seconds(starvedMs)} without a core)`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}
