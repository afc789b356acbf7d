import type { HealthResponse } from '@causeway/protocol';
import type { Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import { CHAINS, STORE } from '../world/tokens.js';
import type { Chains } from '../world/world.module.js';

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
    const [database, ethereumRpc, partnerRpc, relayer] = await Promise.all([
      probe(() => this.store.ping()),
      probe(() => this.chains.ethereum.ping()),
      probe(() => this.chains.partner.ping()),
      probe(() => this.relayerLease()),
    ]);
    const components = { database, ethereumRpc, partnerRpc, relayer };
    const healthy = Object.values(components).every(({ connected }) => connected);
    return { status: healthy ? 'healthy' : 'unhealthy', components };
  }

  /** The relayer lives when it keeps renewing its lease. */
  private async relayerLease(): Promise<null> {
    if (!(await this.store.lease.isHeld('relayer'))) throw new Error('no relayer holds the lease');
    return null;
  }
}

async function probe(ask: () => Promise<number | null>): Promise<Component> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), PATIENCE_MS);
  });
  try {
    return { connected: true, latencyMs: await Promise.race([ask(), patience]) };
  } catch {
    // Why it does not answer is in the log of whoever asked it for work; here only that it does not.
    return { connected: false, latencyMs: null };
  } finally {
    clearTimeout(timer);
  }
}
