import type { HealthResponse } from '@causeway/protocol';
import type { Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import { CHAINS, STORE } from '../infra/injection-tokens.js';
import type { Chains } from '../infra/infrastructure.module.js';

const PATIENCE_MS = 3_000;

type Component = HealthResponse['components'][string];

/** Asks every component the API depends on. A component that does not answer within three seconds is down. */
@Injectable()
export class HealthService {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CHAINS) private readonly chains: Chains,
  ) {}

  async check(): Promise<HealthResponse> {
    const [database, ethereumRpc, partnerRpc, relayer, halts] = await Promise.all([
      probe(() => this.store.ping()),
      probe(() => this.chains.ethereum.ping()),
      probe(() => this.chains.partner.ping()),
      probe(() => this.relayerLease()),
      this.halts(),
    ]);
    const components = { database, ethereumRpc, partnerRpc, relayer };
    const healthy = halts.length === 0 && Object.values(components).every(({ connected }) => connected);
    return { status: healthy ? 'healthy' : 'unhealthy', components, ...(halts.length === 0 ? {} : { halts }) };
  }

  /** The chains that stand still until an operator decides. Why is for the operator's log, not for the public. */
  private async halts(): Promise<NonNullable<HealthResponse['halts']>> {
    const found = await inTime(() => this.store.halts.list()).catch(() => []);
    return found.map(({ chainId, since }) => ({ chainId, since: since.toISOString() }));
  }

  /** The relayer lives when it keeps renewing its lease. */
  private async relayerLease(): Promise<null> {
    if (!(await this.store.lease.isHeld('relayer'))) throw new Error('no relayer holds the lease');
    return null;
  }
}

async function probe(ask: () => Promise<number | null>): Promise<Component> {
  try {
    return { connected: true, latencyMs: await inTime(ask) };
  } catch {
    // Why it does not answer is in the log of whoever asked it for work; here only that it does not.
    return { connected: false, latencyMs: null };
  }
}

async function inTime<T>(ask: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), PATIENCE_MS);
  });
  try {
    return await Promise.race([ask(), patience]);
  } finally {
    clearTimeout(timer);
  }
}
