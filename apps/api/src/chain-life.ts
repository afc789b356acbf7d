import type { Side } from '@causeway/protocol';
import { Inject, Injectable } from '@nestjs/common';
import type { Configuration } from './configuration.js';
import { CHAINS, CONFIGURATION, type Chains } from './infrastructure.js';

/**
 * Whether both chains make blocks. A chain stands still when its nodes answer but its newest block is older than the
 * environment's bound. Operations quoted then would not arrive. Health, quotes, limits and statuses show it.
 */
@Injectable()
export class ChainLife {
  constructor(
    @Inject(CHAINS) private readonly chains: Readonly<Record<Side, Pick<Chains[Side], 'headAgeMs'>>>,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'stillAfterSeconds'>,
  ) {}

  /** Returns whether one of the chains stands still. No operation arrives then. */
  async standsStill(): Promise<boolean> {
    const problems = await Promise.all([this.readProblem('ethereum'), this.readProblem('partner')]);
    return problems.some((problem) => problem !== null);
  }

  /** Describes how long a chain has stood still; null while it makes blocks. */
  async readProblem(side: Side): Promise<string | null> {
    const bound = this.configuration.stillAfterSeconds?.[side];
    if (bound === undefined) return null;
    const seconds = Math.floor((await this.chains[side].headAgeMs(Date.now())) / 1_000);
    return seconds > bound ? `The chain has made no block for ${seconds} s.` : null;
  }
}
