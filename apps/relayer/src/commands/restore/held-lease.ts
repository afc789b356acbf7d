import { randomUUID } from 'node:crypto';
import type { Fence } from '@causeway/store';
import { LEASE } from '../../pipeline/scheduler.js';
import { CommandRefusedError, type CommandContext } from '../command-context.js';

/** The lease, renewed until its release. Ctrl-C stops the work after its current step. */
export class HeldLease {
  private readonly aborting = new AbortController();
  private readonly onSignal = () => this.aborting.abort();

  private constructor(
    readonly fence: Fence,
    private readonly context: CommandContext,
    private readonly timer: NodeJS.Timeout,
  ) {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, this.onSignal);
  }

  /** @throws CommandRefusedError while a relayer holds the lease. */
  static async take(context: CommandContext): Promise<HeldLease> {
    const { store, configuration } = context;
    const [holder, ttlMs] = [randomUUID(), configuration.leaseMs];
    const fence = await store.lease.acquire(LEASE, holder, ttlMs);
    if (fence === null)
      throw new CommandRefusedError(
        'A relayer holds the lease of this database: stop it, and wait until it has exited',
      );
    // A failed renewal is repeated. If the lease is lost, the next write fails.
    const renew = () => void store.lease.acquire(LEASE, holder, ttlMs).catch(() => undefined);
    return new HeldLease(fence, context, setInterval(renew, ttlMs / 3));
  }

  /** @throws CommandRefusedError after Ctrl-C. */
  assertRunning(): void {
    if (this.aborting.signal.aborted)
      throw new CommandRefusedError('Interrupted. The restored rows are kept: run the command again to continue');
  }

  async release(): Promise<void> {
    clearInterval(this.timer);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, this.onSignal);
    await this.context.store.lease.release(this.fence);
  }
}
