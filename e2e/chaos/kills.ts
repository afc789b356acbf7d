import { setTimeout as sleep } from 'node:timers/promises';
import type { Broadcasts } from './broadcasts.ts';
import type { Database } from './database.ts';
import type { Gateway } from './gateway.ts';
import type { Moment, Side } from './network/service-links.ts';
import { patiently } from './public-api.ts';
import type { Random } from './random.ts';
import type { Relayers, Takeover } from './relayers.ts';
import type { Service } from './service.ts';
import type { Timeline } from './timeline.ts';
import type { Weather } from './network/weather.ts';

/**
 * A row of the matrix: its share of twenty-four kills, its name, and its action, which returns details to print.
 * Traffic continues meanwhile. Each run begins with the marked rows, so that a short run includes them.
 */
type Row = readonly [share: number, kill: string, carryOut: () => Promise<string>, mark?: 'first'];

const PAUSE_MS = [100, 1_200] as const;
/** Milliseconds until a killed process restarts. By then another relayer can hold the lease. */
const DOWN_MS = [300, 3_000] as const;
/** Milliseconds of a freeze: longer than the lease in about half of the cases. */
const FREEZE_MS = [1_000, 11_000] as const;
const FULL_MS = [1_000, 3_000] as const;

/** The killed parts of the bridge, and the network around them. */
interface Victims {
  readonly relayers: Relayers;
  readonly api: Service;
  readonly broadcasts: Broadcasts;
  readonly gateway: Gateway;
  readonly database: Database;
  readonly weather: Weather;
}

/** Kills, freezes and restarts processes one at a time, and measures takeovers. */
export class Kills {
  /** Number of kills of each kind. */
  readonly counts = new Map<string, number>();
  /** Takeovers after kills of the leader. */
  readonly takeovers: Takeover[] = [];
  /** Takeovers after freezes of the leader that outlasted the lease. */
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

  private get rows(): readonly Row[] {
    const { relayers, api, gateway, database } = this.victims;
    const passive = async () => (await relayers.ready()).passive;
    const killAt = (side: Side, moment: Moment) => async () => this.killAtBroadcast(side, moment);
    return [
      [3, 'kill the leader', async () => this.killLeader()],
      [1, 'kill the leader while an origin waits', async () => this.killAtOrigin(), 'first'],
      [1, 'kill the leader before it sends on Ethereum', killAt('ethereum', 'before')],
      [1, 'kill the leader before it sends on the partner chain', killAt('partner', 'before'), 'first'],
      [1, 'kill the leader after it sent on Ethereum', killAt('ethereum', 'after'), 'first'],
      [1, 'kill the leader after it sent on the partner chain', killAt('partner', 'after')],
      [2, 'freeze the leader', async () => this.freezeLeader()],
      [2, 'kill the passive relayer', async () => this.kill(await passive())],
      [2, 'freeze the passive relayer', async () => this.freeze(await passive())],
      [1, 'kill both relayers', async () => this.killBoth()],
      [4, 'kill the API', async () => this.kill(api), 'first'],
      [1, 'freeze the API', async () => this.freeze(api)],
      [1, 'kill the gateway', async () => this.killGateway(gateway), 'first'],
      [2, 'restart PostgreSQL', async () => this.restartDatabase(database)],
      [1, 'fill the disk of PostgreSQL', async () => this.fillDisk(database)],
    ];
  }

  /** @param progress returns the end of the line that each kill prints. */
  async run(times: number, progress: () => string): Promise<void> {
    const { random, rows } = this;
    const first = random.shuffle(rows.filter(([, , , mark]) => mark === 'first'));
    const next = random.dealer(rows.flatMap((row) => Array.from({ length: row[0] }, () => row)));
    for (let number = 1; number <= times; number += 1) {
      await sleep(random.between(...PAUSE_MS));
      const [, kill, carryOut] = first.pop() ?? next();
      this.counts.set(kill, (this.counts.get(kill) ?? 0) + 1);
      const outcome = await carryOut();
      this.timeline.announce(`kill ${number}/${times}: ${kill}${outcome}; ${progress()}`);
    }
    await Promise.all(this.pending);
  }

  private async killLeader(until: () => Promise<unknown> = async () => undefined): Promise<string> {
    const { relayers, weather } = this.victims;
    const { leader, token } = await relayers.ready();
    await until();
    this.timeline.note(`kill -9 of ${leader.name}, the leader`);
    const takeover = weather.calmly(() => relayers.takeover(token));
    await leader.kill();
    return this.tookOver(leader, await takeover);
  }

  private async killAtOrigin(): Promise<string> {
    const { database } = this.victims;
    const isWaiting = async () =>
      (await database.query(`SELECT 1 FROM operation WHERE status = 'CONFIRMING' LIMIT 1`)).length > 0 || null;
    return this.killLeader(async () => patiently('an origin waits for confirmations', isWaiting));
  }

  private async killAtBroadcast(side: Side, moment: Moment): Promise<string> {
    const { relayers, weather, broadcasts } = this.victims;
    const { leader, txHash } = await broadcasts.killAtNext(side, moment);
    this.timeline.note(`kill -9 of ${leader.name}, the leader, ${moment} a node had ${txHash}`);
    const token = await relayers.token();
    const takeover = await weather.calmly(() => relayers.takeover(token));
    leader.links.onBroadcast = null;
    return this.tookOver(leader, takeover);
  }

  private tookOver(leader: Service, takeover: Takeover): string {
    this.takeovers.push(takeover);
    this.later(this.random.between(...DOWN_MS), () => leader.start());
    return ` (${leader.name}), ${describeTakeover(takeover)}`;
  }

  private async freezeLeader(): Promise<string> {
    const { relayers, weather } = this.victims;
    const { leader, token } = await relayers.ready();
    const milliseconds = this.random.between(...FREEZE_MS);
    this.timeline.note(`freeze of ${leader.name}, the leader, for ${seconds(milliseconds)}`);
    leader.freeze();
    const thawed = sleep(milliseconds);
    // No takeover happens during a freeze shorter than the lease.
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

  private async kill(service: Service): Promise<string> {
    await service.kill();
    this.later(this.random.between(...DOWN_MS), () => service.start());
    return ` (${service.name})`;
  }

  private async killGateway(gateway: Gateway): Promise<string> {
    await gateway.kill();
    await sleep(this.random.between(...DOWN_MS));
    await gateway.startAgain();
    return '';
  }

  private async restartDatabase(database: Database): Promise<string> {
    await database.restart();
    return '';
  }

  private async fillDisk(database: Database): Promise<string> {
    if (!database.canFillDisk) return `, or rather a restart${await this.restartDatabase(database)}`;
    const milliseconds = this.random.between(...FULL_MS);
    const isLog = this.random.isTrue(0.5);
    const before = database.refusals();
    await database.fillDisk(milliseconds, isLog);
    return ` (${isLog ? 'log' : 'tables'}), refused ${database.refusals() - before} times`;
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
