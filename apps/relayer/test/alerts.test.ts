import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import {
  anAddress,
  ETHEREUM,
  OTHER_SERVICES,
  PARTNER,
  ScrapeRecorder,
  wrongAlerts,
  type AlertScenario,
  type Scrape,
} from '@causeway/test-kit';
import type { DelayReason } from '@causeway/protocol';
import { ALERTS, type AlertRule } from '@causeway/protocol/admin';
import type { PendingTransactions, Queue, Store } from '@causeway/store';
import { pino } from 'pino';
import type { BridgeChains } from '../src/bridge-chain.js';
import { addExchangeFigures } from '../src/exchange/exchange-metrics.js';
import { MetricsCollector } from '../src/metrics/collector.js';
import { RelayerMetrics } from '../src/metrics/relayer-metrics.js';
import type { ReconcileGate } from '../src/pipeline/reconcile-gate.js';
import type { StageScheduler } from '../src/pipeline/scheduler.js';

// Raises every alert about the bridge by its fault, evaluated by Prometheus' own promtool on the relayer's real
// metrics. The alerts about processes and machines are in e2e/test/operating/service-alerts.test.ts.

const RULES = fileURLToPath(new URL('../../../deploy/alerts.yml', import.meta.url));
const MINUTE_SECONDS = 60;
const HEALTHY_MINUTES = 20;
const FAULT_MINUTES = 30;
const CLEAR_MINUTES = 30;
/** The attesters, of which two must sign. */
const ATTESTERS = [anAddress(), anAddress(), anAddress()] as const;

/** The state that the relayer's parts report. A scenario changes it. */
interface RelayerState {
  isActive: boolean;
  /** Why the relayer waits for a reconciliation. */
  waitsFor: string | null;
  databaseUp: boolean;
  /** Growth per minute. */
  stage: { runs: number; failures: number };
  nodes: { usable: boolean; lag: number }[];
  cursorAgeMs: number;
  blocksBehind: number;
  blockAheadMs: number;
  /** Growth per minute. */
  fallsBehind: number;
  haltedChains: number[];
  deliveriesHalted: boolean;
  queues: Queue[];
  pending: PendingTransactions[];
  unknown: number;
  differences: number;
  accountWaitingMs: number;
  locked: bigint;
  unjudgedMs: number | null;
  ether: number;
  daysLeft: number;
  /** Ether in the last day. */
  fees: number;
  notificationMs: number;
  /** Processes that poll with the key of each attester. */
  attesters: readonly number[];
  attestersNeeded: number;
  /** Growth per minute. */
  dissents: number;
}

const healthy = (): RelayerState => ({
  isActive: true,
  waitsFor: null,
  databaseUp: true,
  stage: { runs: 60, failures: 0 },
  nodes: [
    { usable: true, lag: 0 },
    { usable: true, lag: 1 },
    { usable: true, lag: 0 },
  ],
  cursorAgeMs: 2_000,
  blocksBehind: 1,
  blockAheadMs: 0,
  fallsBehind: 0,
  haltedChains: [],
  deliveriesHalted: false,
  queues: [queue('finalize', null, 120), queue('hold', null, 3_600), queue('settle', null, 150)],
  pending: [{ chainId: ETHEREUM, count: 3, replacements: 0, oldestSeconds: 150 }],
  unknown: 0,
  differences: 0,
  accountWaitingMs: 0,
  locked: 1_000n,
  unjudgedMs: 12_000,
  ether: 20,
  daysLeft: Infinity,
  fees: 0.7,
  notificationMs: 900,
  attesters: [1, 1, 1],
  attestersNeeded: 2,
  dissents: 0,
});

function queue(stage: Queue['stage'], reason: DelayReason | null, oldestSeconds: number, attempts = 1): Queue {
  return { stage, reason, operations: 1, oldestSeconds, attempts };
}

/** The faults, with the alerts that each raises. */
const FAULTS: readonly (readonly [alerts: readonly string[], fault: (state: RelayerState) => void])[] = [
  [['UnknownDelivery'], (state) => (state.unknown = 1)],
  [['Insolvent'], (state) => (state.locked = 899n)],
  [['MintNotBacked'], (state) => state.queues.push(queue('deliver', 'BACKING_SHORT', 60))],
  [['NumberUsedUp'], (state) => state.queues.push(queue('deliver', 'NUMBER_USED_UP', 60))],
  [['Halted'], (state) => (state.deliveriesHalted = true)],
  [['Halted'], (state) => state.haltedChains.push(PARTNER)],
  [['BalanceUnexplained'], (state) => (state.differences = 1)],
  [['AccountWaits'], (state) => (state.accountWaitingMs = 400_000)],
  [['DeliveriesUnjudged'], (state) => (state.unjudgedMs = 700_000)],
  [['NoActiveRelayer'], (state) => (state.isActive = false)],
  [['ReconcileFirst'], (state) => (state.waitsFor = 'nonces')],
  [['DatabaseDown'], (state) => (state.databaseUp = false)],
  [['StageFailing'], (state) => (state.stage = { runs: 60, failures: 55 })],
  [['ReadingStuck'], (state) => (state.cursorAgeMs = 200_000)],
  [['ReadingBehind'], (state) => (state.fallsBehind = 10)],
  [['ChainClockAhead'], (state) => (state.blockAheadMs = 61_000)],
  [['NodeUnusable'], (state) => (state.nodes[0] = { usable: false, lag: 50 })],
  [['NodeUnusable', 'QuorumLost'], (state) => (state.nodes = state.nodes.map((node) => ({ ...node, usable: false })))],
  [['DeliveryWaits'], (state) => state.queues.push(queue('deliver', 'OUTFLOW_LIMIT', 3_000))],
  // This delay does not clear over time.
  [['DeliveryWaits'], (state) => state.queues.push(queue('deliver', 'FLOAT_SHORT', 60))],
  [['FinalityWaits'], (state) => state.queues.push(queue('finalize', null, 3_000))],
  [['TransactionStuck'], (state) => (state.pending = [{ ...state.pending[0]!, oldestSeconds: 2_000 }])],
  [['TransactionsReplaced'], (state) => (state.pending = [{ ...state.pending[0]!, replacements: 12 }])],
  [['ManyAttempts'], (state) => state.queues.push(queue('deliver', 'NODE_UNAVAILABLE', 900, 30))],
  [['FloatLow'], (state) => (state.daysLeft = 2.9)],
  [['FloatLow', 'FloatEmpty'], (state) => (state.daysLeft = 0.1)],
  [['GasLow'], (state) => (state.ether = 0.1)],
  [['FeesHigh'], (state) => (state.fees = 3)],
  [['NotificationsStuck'], (state) => (state.notificationMs = 700_000)],
  [['AttesterLost', 'NoAttesterToSpare'], (state) => (state.attesters = [0, 1, 1])],
  [['AttesterLost', 'AttestersTooFew'], (state) => (state.attesters = [0, 0, 1])],
  [['AttestersDisagree'], (state) => (state.dissents = 1)],
  [['AttesterTwice'], (state) => (state.attesters = [1, 2, 1])],
];

/** Harmless changes that resemble a fault. */
const HARMLESS: readonly (readonly [name: string, change: (state: RelayerState) => void])[] = [
  ['a catch-up', (state) => Object.assign(state, { blocksBehind: 900_000, fallsBehind: -20_000, unjudgedMs: 9e8 })],
  ['a hold of an hour', (state) => (state.queues = [queue('hold', null, 3_600)])],
  ['an intent that waits for its payment', (state) => state.queues.push(queue('bind', null, 1_750))],
  ['an outflow limit that refills', (state) => state.queues.push(queue('deliver', 'OUTFLOW_LIMIT', 900))],
  ['one failed run', (state) => (state.stage = { runs: 60, failures: 1 })],
  ['a set of which all must sign', (state) => (state.attestersNeeded = 3)],
];

/** The metrics of a relayer whose parts report this state. */
class Relayer {
  readonly state = healthy();
  private readonly metrics = new RelayerMetrics();
  private readonly collector: MetricsCollector;
  private readonly seen = { runs: 0, failures: 0 };

  constructor() {
    const { state } = this;
    const failsWithoutDatabase = <T>(value: () => T) => {
      if (!state.databaseUp) throw new Error('the database does not answer');
      return value();
    };
    const chain = (side: string, chainId: number) => ({
      side,
      chainId,
      connection: {
        quorum: 2,
        status: () =>
          state.nodes.map(({ usable, lag }, index) => ({
            name: `node${index}`,
            usable,
            lagBlocks: lag,
            latencyMs: 20,
            throttled: 0,
          })),
      },
    });
    const store = {
      scan: {
        progress: async () =>
          failsWithoutDatabase(() => ({
            ageMs: state.cursorAgeMs,
            blocksBehind: state.blocksBehind,
            aheadMs: state.blockAheadMs,
          })),
      },
      halts: {
        list: async () => state.haltedChains.map((chainId) => ({ chainId, since: new Date(0), reason: '' })),
        deliveries: async () => (state.deliveriesHalted ? { since: new Date(0), reason: '' } : null),
      },
      queues: { depths: async () => state.queues, transactions: async () => state.pending },
    };
    const scheduler = {
      status: () => ({
        isActive: state.isActive,
        stages: [{ name: 'deliver', ...this.seen, durationMs: 20 }],
      }),
    };
    const gate: Pick<ReconcileGate, 'waitsFor'> = {
      get waitsFor() {
        return state.waitsFor;
      },
    };
    this.collector = new MetricsCollector(
      { ethereum: chain('ethereum', ETHEREUM), partner: chain('partner', PARTNER) } as unknown as BridgeChains,
      null,
      store as unknown as Store,
      pino({ level: 'silent' }),
      scheduler as unknown as StageScheduler,
      gate as ReconcileGate,
      this.metrics,
    );
    addExchangeFigures(this.metrics, {
      readSets: async () => {
        const set = { setNumber: 1n, members: ATTESTERS, threshold: state.attestersNeeded };
        return new Map([
          ['ethereum', set],
          ['partner', set],
        ]);
      },
      countInstances: () => new Map(ATTESTERS.map((attester, index) => [attester, state.attesters[index] ?? 0])),
    });
  }

  /** Advances time by a minute. */
  async scrape(): Promise<Scrape> {
    const { state, metrics, seen } = this;
    seen.runs += state.stage.runs;
    seen.failures += state.stage.failures;
    state.blocksBehind = Math.max(0, state.blocksBehind + state.fallsBehind);
    metrics.unknownDeliveries.set(state.unknown);
    metrics.unexplainedDifferences.set(state.differences);
    metrics.accountWaitsFor(state.accountWaitingMs);
    metrics.backing({ asset: 'USDC', locked: state.locked, outstanding: 900n });
    for (const side of ['ethereum', 'partner']) {
      metrics.walletBalance.set({ chain: side }, side === 'ethereum' ? state.ether : 10_000);
      metrics.unjudgedFor(side, state.unjudgedMs);
    }
    metrics.floatDaysLeft.set(state.daysLeft);
    metrics.notificationsWait('chat', 1, state.notificationMs);
    metrics.feesLastDay.set({ chain: 'ethereum' }, state.fees);
    metrics.attesterDissents.inc({ attester: ATTESTERS[0] }, state.dissents);
    await this.collector.collect();
    return { job: 'relayer', text: `${await metrics.registry.metrics()}\ncauseway_ready{service="relayer"} 1\n` };
  }
}

/** Records a healthy period, a period with a change, and one after it. */
async function record(change: (state: RelayerState) => void): Promise<ScrapeRecorder> {
  const relayer = new Relayer();
  // A passive relayer sees the same rows, and keeps the metrics of its watch from before it lost the lease.
  const passive = new Relayer();
  const old = {
    isActive: false,
    unknown: 1,
    locked: 0n,
    daysLeft: 0,
    ether: 0,
    stage: { runs: 0, failures: 0 },
    attesters: [0, 0, 0],
  };
  const recorder = new ScrapeRecorder();
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      const text = await relayer.scrape();
      Object.assign(passive.state, relayer.state, old, { fallsBehind: 0 });
      recorder.add(text, await passive.scrape(), ...OTHER_SERVICES);
    }
  };
  await pass(HEALTHY_MINUTES);
  change(relayer.state);
  await pass(FAULT_MINUTES);
  Object.assign(relayer.state, healthy());
  await pass(CLEAR_MINUTES);
  return recorder;
}

async function scenario(
  name: string,
  alerts: readonly string[],
  change: (state: RelayerState) => void,
): Promise<AlertScenario> {
  const recorder = await record(change);
  const faulty = HEALTHY_MINUTES + FAULT_MINUTES - 1;
  const firing = [
    { atSample: HEALTHY_MINUTES - 1, alerts: [] },
    { atSample: faulty, alerts: [...alerts].toSorted() },
    { atSample: faulty + CLEAR_MINUTES, alerts: [] },
  ];
  return { name, recording: recorder.recording(), firing };
}

describe('the alert rules', () => {
  const alerts = Object.entries<AlertRule>(ALERTS)
    .filter(([, { about, prometheus }]) => prometheus !== undefined && !/watchtowers|processes|machines/.test(about))
    .map(([code]) => code);

  it('cover each alert with a fault', () => {
    expect(new Set(FAULTS.flatMap(([raised]) => raised))).toEqual(new Set(alerts));
  });

  it.each(['../../../deploy/alerts.yml', '../../../deploy/dashboards/relayer.json'])(
    'name existing metrics in %s',
    async (file) => {
      const text = readFileSync(new URL(file, import.meta.url), 'utf8');
      const { text: existing } = await new Relayer().scrape();
      const used = new Set(text.match(/causeway_relayer_\w+/g));
      expect(used.size).toBeGreaterThan(10);
      for (const name of used) expect(existing).toContain(`# TYPE ${name} `);
    },
  );

  it('fire only for their fault, and clear after it', async () => {
    const scenarios = await Promise.all(FAULTS.map(([raised, fault]) => scenario(raised.join(), raised, fault)));
    expect(await wrongAlerts(RULES, MINUTE_SECONDS, scenarios)).toBe('');
  });

  it('do not fire on harmless changes', async () => {
    const scenarios = await Promise.all(
      HARMLESS.map(async ([name, change]) => {
        const recorder = await record(change);
        const firing = Array.from({ length: recorder.samples }, (_, atSample) => ({ atSample, alerts: [] }));
        return { name, recording: recorder.recording(), firing };
      }),
    );
    expect(await wrongAlerts(RULES, MINUTE_SECONDS, scenarios)).toBe('');
  });
});
