import { RETAINED, type Fence, type Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, CONFIGURATION, STORE, type Clock } from '../infrastructure.js';
import type { Stage } from '../pipeline/scheduler.js';
import type { RetentionSettings } from '../retention-variables.js';

const DAY_MS = 86_400_000;
/** The pause after a run that found nothing else to remove. */
const PAUSE_MS = 3_600_000;

/** Removes ended records that are older than the settings say: a batch of each kind in each run. */
@Injectable()
export class RetentionStage implements Stage {
  readonly name = 'retention';
  private resumesAt = 0;

  constructor(
    @Inject(STORE) private readonly store: Pick<Store, 'retention'>,
    @Inject(CONFIGURATION) private readonly configuration: { readonly retention: RetentionSettings },
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Reports no write: nothing waits for it, and a run on the timer leaves the database to the other stages. */
  async run(fence: Fence): Promise<void> {
    const now = this.clock.now();
    if (now < this.resumesAt) return;
    let isDone = true;
    for (const kind of RETAINED) {
      const days = this.configuration.retention[kind];
      if (days === null) continue;
      const removed = await this.store.retention.remove(fence, kind, new Date(now - days * DAY_MS));
      if (removed > 0) isDone = false;
    }
    if (isDone) this.resumesAt = now + PAUSE_MS;
  }
}
