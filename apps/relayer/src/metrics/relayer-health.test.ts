import { describe, expect, it } from '@jest/globals';
import { RelayerHealth } from './relayer-health.js';

const MINUTE_MS = 60_000;

/** A relayer whose stages started at 0, and whose lease was renewed one second ago. */
function createRelayer() {
  const ran = (startedAtMs: number | null) => ({
    runs: 1,
    failures: 0,
    durationMs: 1,
    startedAtMs,
    succeededAtMs: startedAtMs,
  });
  const state = { nowMs: MINUTE_MS, leaseMs: MINUTE_MS as number | null, stageMs: 0 as number | null, fits: true };
  const store = {
    assertCompatible: async () => {
      if (!state.fits) throw new Error('migrations are missing');
    },
    ping: async () => 3,
  };
  const scheduler = {
    status: () => ({
      isActive: false,
      lease: ran(state.leaseMs),
      stages: [{ name: 'observe-ethereum', ...ran(state.stageMs) }],
    }),
  };
  const clock = { now: () => state.nowMs };
  const gate = { waitsFor: null as string | null };
  const health = new RelayerHealth({ pollMs: 1_000, leaseMs: 6_000 }, store, clock, scheduler, gate);
  return { state, health, gate };
}

describe('RelayerHealth', () => {
  it('is ready while the database is compatible, the lease is known and the stages run, also when passive', async () => {
    const { health } = createRelayer();
    const up = { connected: true, latencyMs: null };
    const components = { database: { connected: true, latencyMs: 3 }, lease: up, scheduler: up, reconciled: up };
    expect(await health.ready()).toEqual({ status: 'healthy', components });
    expect(health.live()).toEqual({ status: 'healthy', components: { scheduler: up } });
  });

  it('is not ready while it waits for a reconciliation, with the reason', async () => {
    const { health, gate } = createRelayer();
    gate.waitsFor = 'the wallet has nonces that the database lacks';
    expect(await health.ready()).toMatchObject({
      status: 'unhealthy',
      components: { reconciled: { connected: false, problem: gate.waitsFor } },
    });
    expect(health.live().status).toBe('healthy');
  });

  it('is alive but not ready without a compatible database, since a restart would not help', async () => {
    const { state, health } = createRelayer();
    state.fits = false;
    const { status, components } = await health.ready();
    expect({ status, database: components['database']?.connected }).toEqual({ status: 'unhealthy', database: false });
    expect(health.live().status).toBe('healthy');
  });

  it('is not ready while attempts for the lease fail', async () => {
    const { state, health } = createRelayer();
    state.leaseMs = state.nowMs - 13_000;
    expect((await health.ready()).components).toMatchObject({ lease: { connected: false } });
    expect(health.live().status).toBe('healthy');
  });

  it('is not ready with a late stage, and not alive with a hung one', async () => {
    const { state, health } = createRelayer();
    state.nowMs = 3 * MINUTE_MS;
    state.leaseMs = state.nowMs;
    const scheduler = { connected: false, problem: 'observe-ethereum did not run recently' };
    expect((await health.ready()).components).toMatchObject({ scheduler });
    expect(health.live().status).toBe('healthy');
    state.nowMs = 16 * MINUTE_MS;
    state.leaseMs = state.nowMs;
    expect(health.live()).toMatchObject({ status: 'unhealthy', components: { scheduler } });
  });

  it('counts the time of stages that never ran from the start', () => {
    const { state, health } = createRelayer();
    state.leaseMs = null;
    expect(health.live().status).toBe('healthy');
    state.nowMs = 2 * MINUTE_MS + 1;
    expect(health.live().components['scheduler']?.problem).toBe('lease did not run recently');
  });
});
