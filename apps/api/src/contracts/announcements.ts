import type { Side } from '@causeway/protocol';
import type { ContractsResponse } from '@causeway/protocol/admin';
import { Inject, Injectable } from '@nestjs/common';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, type Chains } from '../infrastructure.js';
import { LastKnownValue } from '../last-known-value.js';
import { readAnnounced } from './announced.js';
import { ContractEvents } from './contract-events.js';
import { readHead, readTimelock } from './contract-state.js';

type AnnouncedCalls = ContractsResponse['announced'];

/** An announced call waits for days, so a reading can be a minute old. A new reading first follows the events. */
const TIMES = { freshMs: 60_000, patienceMs: 2_500, oldestMs: 60_000 };

/** The calls that the timelocks of both contracts have announced and not executed. */
@Injectable()
export class Announcements {
  private readonly known = new LastKnownValue(async () => this.read(), TIMES);

  constructor(
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly events: ContractEvents,
  ) {}

  /** Returns the calls of both sides, or null while the nodes do not agree or older events are still being read. */
  async list(): Promise<AnnouncedCalls | null> {
    return this.known.fresh().catch(() => null);
  }

  private async read(): Promise<AnnouncedCalls> {
    const sides = await Promise.all([this.readSide('ethereum'), this.readSide('partner')]);
    return sides.flat();
  }

  private async readSide(side: Side): Promise<AnnouncedCalls> {
    const { addressBook: book } = this.configuration;
    const connection = this.chains[side];
    const { number, at } = await readHead(connection);
    const timelock = await readTimelock(connection, book, side, number);
    if (timelock === null) return [];
    const { events, through } = await this.events.read(side, timelock, number);
    if (through === null || through < number) throw new Error(`The events of ${side} are not read up to ${number} yet`);
    return [...(await readAnnounced(connection, { side, book, timelock, number, at }, events))];
  }
}
