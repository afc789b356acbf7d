import { describe, expect, it } from '@jest/globals';
import { MirrorUnavailableError, type Mirror } from '@causeway/chain';
import { ChainLife } from './chain-life.js';
import { HealthService } from './health.js';
import { RelayerLife } from './relayer-life.js';
import { Drain } from './server/shutdown.js';

const MINUTE_MS = 60_000;
const AT_HEAD = { nextBlock: 8n, headBlock: 7n, blocksBehind: 0, aheadMs: 0 };

/** A mirror that is up or down. */
const aMirror = (isUp: boolean): Mirror => ({
  transfersIn: async () => ({ kind: 'missing', reason: '' }),
  ping: async () => {
    if (!isUp) throw new MirrorUnavailableError(['timeout']);
    return 7;
  },
  status: () => [],
});

/** Health of the relayer when chain 2 was last read this long ago. */
async function relayerIsConnected(ageMs: number, halted: readonly number[] = []): Promise<boolean | undefined> {
  return (await report(ageMs, halted, null)).components['relayer']?.connected;
}

async function report(ageMs: number, halted: readonly number[], mirror: Mirror | null) {
  const since = new Date(0);
  const store = {
    ping: async () => 1,
    takesWrites: async () => true,
    assertCompatible: async () => undefined,
    clockDifference: async () => 0,
    lease: { isHeld: async () => true },
    halts: {
      list: async () => halted.map((chainId) => ({ chainId, since, reason: 'a reorg' })),
      deliveries: async () => null,
    },
    scan: { progress: async (chainId: number) => ({ ...AT_HEAD, ageMs: chainId === 1 ? 0 : ageMs }) },
  };
  const chain = (chainId: number) => ({
    chainId,
    quorum: 1,
    ping: async () => 1,
    status: () => [],
    headAgeMs: async () => 0,
  });
  const chains = { ethereum: chain(1), partner: chain(2) };
  const chainLife = new ChainLife(chains, { stillAfterSeconds: null });
  return new HealthService(store, chains, mirror, new RelayerLife(store, chains), chainLife, new Drain()).check();
}

describe('the health of the relayer', () => {
  it('is bad when one chain has not been read for minutes, although the lease is held', async () => {
    expect(await relayerIsConnected(4 * MINUTE_MS)).toBe(true);
    expect(await relayerIsConnected(6 * MINUTE_MS)).toBe(false);
  });

  it('ignores a halted chain, which is reported as halted', async () => {
    expect(await relayerIsConnected(60 * MINUTE_MS, [2])).toBe(true);
  });
});

describe('the health of the mirror', () => {
  it('counts if a mirror is configured', async () => {
    expect(await report(0, [], aMirror(true))).toMatchObject({
      status: 'healthy',
      components: { mirrorNode: { connected: true, latencyMs: 7 } },
    });
    expect(await report(0, [], aMirror(false))).toMatchObject({
      status: 'unhealthy',
      components: { mirrorNode: { connected: false, latencyMs: null } },
    });
    expect((await report(0, [], null)).components).not.toHaveProperty('mirrorNode');
  });
});
