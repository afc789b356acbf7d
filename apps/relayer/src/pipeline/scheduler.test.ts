import 'reflect-metadata';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { FenceLostError, type Fence, type WakeUp } from '@causeway/store';
import { SchedulerRegistry } from '@nestjs/schedule';
import { pino } from 'pino';
import { StageScheduler, type Stage } from './scheduler.js';

// The timers fire in one test only; every other run comes from a wake-up.

const settled = async () => {
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
};
const NAMES = ['observe-partner', 'bind', 'finalize', 'deliver'] as const;
const LEASE_MS = 600_000;
type Name = (typeof NAMES)[number];
let scheduler: StageScheduler;
afterEach(async () => scheduler.onApplicationShutdown());

/** A scheduler with scripted stages. Each entry of `writes` is a run that reports a write. */
async function started(over: { fences?: (Fence | Error | null)[]; isBroken?: boolean } = {}) {
  const fences = over.fences ?? [{ name: 'relayer', token: 1n }];
  const world = {
    runs: [] as Name[],
    writes: [] as Name[],
    failing: [] as Name[],
    held: true,
    heads: 0,
    fits: true,
    isClosed: false,
    mayWork: true,
    isBlind: false,
    waitsFor: null as string | null,
    asked: 0,
  };
  const gate = {
    isClosed: async () => world.isClosed,
    mayWork: async () => ((world.asked += 1), world.mayWork),
    get isBlind() {
      return world.isBlind;
    },
    get waitsFor() {
      return world.waitsFor;
    },
  };
  let onWakeUp: (wakeUp: WakeUp) => void = () => undefined;
  let onHead: () => void = () => undefined;
  const stages = NAMES.map((name): Stage => ({
    name,
    run: async (fence) => {
      world.runs.push(name);
      if (world.failing.includes(name)) throw new FenceLostError(fence);
      const position = world.writes.indexOf(name);
      if (position >= 0) world.writes.splice(position, 1);
      return position >= 0;
    },
  }));
  const store = {
    assertCompatible: async () => {
      if (!world.fits) throw new Error('the database is too new');
    },
    listen: (listener: typeof onWakeUp) => {
      onWakeUp = listener;
      return { stop: async () => undefined };
    },
    lease: {
      acquire: async () => {
        const fence = fences.length > 1 ? fences.shift() : fences[0];
        if (fence instanceof Error) throw fence;
        return fence ?? null;
      },
      assertHeld: (fence: Fence) => {
        if (!world.held) throw new FenceLostError(fence);
      },
      release: async () => undefined,
    },
  };
  const withHeads = {
    side: 'partner' as const,
    connection: {
      onHead: (listener: () => void) => {
        onHead = listener;
        world.heads += 1;
        return () => (world.heads -= 1);
      },
    },
  };
  const chains = {
    ethereum: { side: 'ethereum', connection: { onHead: () => () => undefined } },
    partner: withHeads,
  } as const;
  const configuration = { name: 'relayer-1', leaseMs: LEASE_MS, pollMs: LEASE_MS };
  const [clock, logger] = [{ now: () => 0 }, pino({ level: 'silent' })];
  scheduler = new StageScheduler(
    stages,
    configuration,
    chains,
    store,
    clock,
    logger,
    null,
    new SchedulerRegistry(),
    gate,
  );
  scheduler.onApplicationBootstrap();
  await settled();
  return {
    world,
    /** Does something, and returns the stages that ran because of it. */
    after: async (act: () => void) => {
      world.runs.length = 0;
      act();
      await settled();
      return [...world.runs];
    },
    wakeUp: (wakeUp: WakeUp) => onWakeUp(wakeUp),
    head: () => onHead(),
  };
}

describe('the scheduler', () => {
  it('runs all stages when it becomes active', async () => {
    const { world } = await started();
    expect(world.runs).toEqual([...NAMES]);
    expect(scheduler.status().isActive).toBe(true);
  });

  it('reruns a stage that wrote and wakes the stages that it gives work to, without a timer', async () => {
    const { world, after, wakeUp } = await started();
    world.writes.push('bind');
    expect((await after(() => wakeUp('intents'))).toSorted()).toEqual(['bind', 'bind', 'finalize']);
  });

  it.each<[WakeUp, readonly Name[]]>([
    ['intents', ['bind']],
    ['operator', NAMES],
    ['connected', NAMES],
  ])('wakes the stages of the notification %s', async (notification, expected) => {
    const { after, wakeUp } = await started();
    expect(await after(() => wakeUp(notification))).toEqual([...expected]);
  });

  it('wakes the stages that read heads at a new head, until it stops', async () => {
    const { world, after, head } = await started();
    expect(await after(head)).toEqual(['observe-partner', 'finalize']);
    await scheduler.onApplicationShutdown();
    expect(world.heads).toBe(0);
    expect(await after(head)).toEqual([]);
  });

  it('starts and retries while the database is unavailable', async () => {
    const { world, after, wakeUp } = await started({ fences: [new Error('refused'), { name: 'relayer', token: 1n }] });
    expect(world.runs).toEqual([]);
    expect(await after(() => wakeUp('lease'))).toEqual([...NAMES]);
  });

  it('is passive while another relayer holds the lease, and takes over when it is released', async () => {
    const { world, after, wakeUp } = await started({ fences: [null, { name: 'relayer', token: 2n }] });
    expect(await after(() => wakeUp('operator'))).toEqual([]);
    expect(world.runs).toEqual([]);
    expect(await after(() => wakeUp('lease'))).toEqual([...NAMES]);
  });

  it('does not take over with a database that is too new for it', async () => {
    const { world, after, wakeUp } = await started({ fences: [null, { name: 'relayer', token: 2n }] });
    world.fits = false;
    expect(await after(() => wakeUp('lease'))).toEqual([]);
    expect(scheduler.status().isActive).toBe(false);
    world.fits = true;
    expect(await after(() => wakeUp('lease'))).toEqual([...NAMES]);
  });

  it.each(['isClosed', 'mayWork'] as const)(
    'runs no stage while the gate says %s, and continues by itself',
    async (gate) => {
      const { world, after, wakeUp } = await started({ fences: [null, { name: 'relayer', token: 2n }] });
      world[gate] = gate === 'isClosed';
      expect(await after(() => wakeUp('lease'))).toEqual([]);
      expect(scheduler.status().isActive).toBe(false);
      world[gate] = gate !== 'isClosed';
      expect(await after(() => wakeUp('lease'))).toEqual([...NAMES]);
    },
  );

  it('asks the gate again at each renewal while it is blind, and stops once the gate waits', async () => {
    const { world, after, wakeUp } = await started();
    await after(() => wakeUp('lease'));
    expect(world.asked).toBe(1);
    world.isBlind = true;
    await after(() => wakeUp('lease'));
    expect([world.asked, scheduler.status().isActive]).toEqual([2, true]);
    Object.assign(world, { isBlind: false, waitsFor: 'nonces', isClosed: true });
    await after(() => wakeUp('lease'));
    expect(scheduler.status().isActive).toBe(false);
  });

  it('renews the lease six times per period, and takes it over equally soon, without a wake-up', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      const { world } = await started({ fences: [null, null, { name: 'relayer', token: 2n }] });
      for (let tick = 0; tick < 3; tick += 1) {
        expect(world.runs).toEqual([]);
        jest.advanceTimersByTime(LEASE_MS / 6);
        await settled();
      }
      expect(world.runs).toEqual([...NAMES]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('runs no stage if the lease was not renewed in time', async () => {
    const { world, after, wakeUp } = await started({ fences: [{ name: 'relayer', token: 1n }, null] });
    world.held = false;
    expect(await after(() => wakeUp('operator'))).toEqual([]);
    expect(scheduler.status().isActive).toBe(false);
  });

  it('stops all stages when one of them finds the lease lost', async () => {
    const { world, after, wakeUp } = await started({ fences: [{ name: 'relayer', token: 1n }, null] });
    world.failing.push('bind');
    expect(await after(() => wakeUp('intents'))).toEqual(['bind']);
    expect(await after(() => wakeUp('operator'))).toEqual([]);
    expect(scheduler.status()).toMatchObject({ isActive: false, stages: [{}, { name: 'bind', failures: 1 }, {}, {}] });
  });
});
