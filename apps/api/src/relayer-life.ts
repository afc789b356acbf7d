import type { Side } from '@causeway/protocol';
import type { Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import { CHAINS, STORE, type Chains } from './infrastructure.js';
import { LastKnownValue } from './last-known-value.js';

/** If the relayer has not read a chain for this long, it counts as away. Milliseconds. */
const MAX_CURSOR_AGE_MS = 5 * 60_000;
/** All responses within two seconds share one reading. */
const TIMES = { freshMs: 2_000, patienceMs: 2_000, oldestMs: 2_000 };

interface LifeStore {
  readonly lease: Pick<Store['lease'], 'isHeld'>;
  readonly halts: Pick<Store['halts'], 'list'>;
  readonly scan: Pick<Store['scan'], 'progress'>;
}

/**
 * Whether a relayer works: it renews its lease, and its reading of both chains progresses. Health, quotes, limits,
 * statuses and explanations all use this.
 */
@Injectable()
export class RelayerLife {
  private readonly life = new LastKnownValue(async () => (await this.readProblem()) !== null, TIMES);

  constructor(
    @Inject(STORE) private readonly store: LifeStore,
    @Inject(CHAINS) private readonly chains: Readonly<Record<Side, Pick<Chains[Side], 'chainId'>>>,
  ) {}

  /** Returns whether no relayer works, at most two seconds old. Rejects when the database fails. */
  async isAway(): Promise<boolean> {
    return this.life.fresh();
  }

  /** Returns why no relayer works; null while one does. */
  async readProblem(): Promise<string | null> {
    if (!(await this.store.lease.isHeld('relayer'))) return 'no relayer holds the lease';
    const halted = new Set((await this.store.halts.list()).map(({ chainId }) => chainId));
    for (const { chainId } of [this.chains.ethereum, this.chains.partner]) {
      const progress = await this.store.scan.progress(chainId);
      // A halted chain is not read; it is reported as halted instead.
      if (progress === null || halted.has(chainId)) continue;
      if (progress.ageMs > MAX_CURSOR_AGE_MS) return `chain ${chainId} has not been read lately`;
    }
    return null;
  }
}
