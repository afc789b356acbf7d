import { randomInt } from 'node:crypto';
import { bootEnvironment, DEFAULT_ENVIRONMENT_OPTIONS, type Environment } from '@causeway/testbed';
import type { ChaosFlags } from './command.ts';
import { Broadcasts } from './broadcasts.ts';
import { Database } from './database.ts';
import { describe, computeExpectation, wrongDeliveries, type Expectation } from './deliveries.ts';
import { Gateway } from './gateway.ts';
import { Kills } from './kills.ts';
import { Ledger } from './ledger.ts';
import type { DecidedRefund, SentOperation } from './operation.ts';
import { Operators } from './operators.ts';
import { patiently, PublicApi } from './public-api.ts';
import { Random } from './random.ts';
import { Relayers, type Takeover } from './relayers.ts';
import { Service } from './service.ts';
import type { Timeline } from './timeline.ts';
import { Traffic } from './traffic.ts';
import { DEEPEST_REORG, Weather } from './network/weather.ts';

/** Excludes the time in which a busy machine had no free core for the relayer. */
const TAKEOVER_LIMIT_MS = 10_000;
/** Operations followed in parallel; each one polls the API. */
const WATCHED = 40;
/** More than an idle machine ever has in flight. */
const MOST_IN_FLIGHT = 50;
/** Below the system's ephemeral ports, and apart from those of the tests. */
const PORTS = { first: 10_000, places: 800, perRun: 10 } as const;

/** The result of a run. */
export interface Outcome {
  /** Sentences; empty when all checks pass. */
  readonly problems: readonly string[];
  readonly summary: readonly string[];
}

/**
 * Runs the campaign: starts the bridge, breaks it under traffic, and checks every delivery and balance.
 *
 * @param directory folder of state and logs.
 * @throws Error when an operation does not end or a part of the bridge does not start.
 */
export async function runChaos(flags: ChaosFlags, directory: string, timeline: Timeline): Promise<Outcome> {
  const database = await Database.start(directory);
  let environment: Environment | undefined;
  try {
    environment = await bootEnvironment(
      {
        ...DEFAULT_ENVIRONMENT_OPTIONS,
        directory,
        databaseUrl: database.url,
        holdSeconds: 2,
        ethereumConfirmations: DEEPEST_REORG + 1,
        partnerConfirmations: 3,
        retireAfterSeconds: 5,
        portBase: PORTS.first + PORTS.perRun * randomInt(PORTS.places),
      },
      (step) => timeline.note(step),
    );
    return await breakAndCheck(environment, database, flags, timeline);
  } finally {
    await environment?.stop();
    await database.stop();
  }
}

async function breakAndCheck(
  environment: Environment,
  database: Database,
  { kills: times, seed, anyPace }: ChaosFlags,
  timeline: Timeline,
): Promise<Outcome> {
  const api = new PublicApi(environment);
  const traffic = await Traffic.prepare(environment, api, new Random(seed, 'traffic'), seed);
  await traffic.fund();
  for (const name of ['relayer', 'api']) await environment.processes.kill(name);
  const ledger = await Ledger.open(environment, traffic.account.address);
  timeline.announce('the bridge is running, and the users have funds');

  const gateway = await Gateway.start(environment);
  const ofKind = { relayer: { LEASE_MS: '6000' }, api: { ADMIN_PORT: new URL(environment.stack.consoleUrl).port } };
  const start = (kind: 'relayer' | 'api', name: string) =>
    Service.start(environment, kind, name, gateway.url, timeline, ofKind[kind]);
  const services = await Promise.all([
    start('relayer', 'relayer-1'),
    start('relayer', 'relayer-2'),
    start('api', 'api-1'),
  ]);
  const [first, second, apiService] = services;
  const relayers = new Relayers(database, [first, second]);
  const weather = new Weather(environment, services, new Random(seed, 'weather'), timeline);
  const broadcasts = new Broadcasts(environment, relayers, database);
  const victims = { relayers, api: apiService, broadcasts, gateway, database, weather };
  const kills = new Kills(victims, new Random(seed, 'kills'), timeline);
  const operators = await Operators.signIn(environment, api, new Random(seed, 'operators'));
  const isDrained = new AbortController();
  try {
    const sendingAgain = traffic.sendAgain(isDrained.signal);
    await relayers.ready();
    const sending = traffic.run(async () => isBusy(database));
    const raging = weather.run();
    const operating = operators.run();
    await kills.run(times, () => {
      for (const sent of traffic.sent)
        if (sent.kind === 'mistake') void operators.waitForRefund(sent).catch(() => undefined);
      return `${traffic.sent.length} operations sent`;
    });
    weather.end();
    traffic.end();
    operators.end();
    await Promise.all([raging, sending, operating]);
    timeline.announce(`the faults are over; ${traffic.sent.length} operations must end`);
    const problems = traffic.failures;
    const expectations = await ended(environment, traffic.sent, api, operators, problems);
    if (problems.length === 0) {
      timeline.announce('every operation has ended');
      await waitForRestOfWork(database, ledger, expectations);
    }
    problems.push(...operators.failures, ...(await operators.auditFaults()), ...(await broadcasts.findProblems(api)));
    isDrained.abort();
    await sendingAgain;
    await Promise.all(services.map((service) => service.kill()));
    for (const service of services) service.readLog();
    problems.push(
      ...(await wrongDeliveries(environment, expectations, ledger.since)),
      ...(await ledger.differences(expectations)),
      ...services.flatMap(({ alarms }) => alarms),
      ...(await alarmsIn(database)),
      ...kills.takeovers
        .filter(({ workMs, starvedMs }) => !anyPace && workMs - starvedMs > TAKEOVER_LIMIT_MS)
        .map(({ workMs }) => `A takeover took ${(workMs / 1_000).toFixed(1)} s after a kill`),
    );
    return { problems, summary: summarize(traffic.sent, kills, weather, operators, ledger, database) };
  } finally {
    isDrained.abort();
    weather.end();
    traffic.end();
    operators.end();
    await Promise.all(services.map((service) => service.kill()));
    await Promise.all([...services.map(({ links }) => links.close()), gateway.stop(), operators.close()]);
  }
}

/**
 * Waits until each operation has ended, now without faults.
 *
 * @param problems receives a sentence for each operation that ends wrongly.
 */
async function ended(
  environment: Environment,
  sent: readonly SentOperation[],
  api: PublicApi,
  operators: Operators,
  problems: string[],
): Promise<Expectation[]> {
  const end = async (operation: SentOperation): Promise<Expectation[]> => {
    try {
      const refund = operation.kind === 'mistake' ? await refunded(operation, operators) : null;
      if (refund === null) await completed(operation, api);
      return [await computeExpectation(environment, operation, refund)];
    } catch (error) {
      const shown = await api.operation(operation.originTxHash);
      problems.push(`${error instanceof Error ? error.message : String(error)}; the API says ${JSON.stringify(shown)}`);
      return [];
    }
  };
  const expectations: Expectation[] = [];
  const rest = sent.values();
  const watch = async () => {
    for (const operation of rest) expectations.push(...(await end(operation)));
  };
  await Promise.all(Array.from({ length: WATCHED }, watch));
  return expectations;
}

/** A wait that began during the faults can time out right after them, so a second one gets the full timeout. */
async function refunded(mistake: SentOperation, operators: Operators): Promise<DecidedRefund> {
  return operators.waitForRefund(mistake).catch(() => operators.waitForRefund(mistake));
}

async function completed(operation: SentOperation, api: PublicApi): Promise<void> {
  await patiently(`${describe(operation)} is COMPLETED`, async () => {
    const { status = null } = (await api.operation(operation.originTxHash)) ?? {};
    if (status === 'FAILED' || status === 'EXPIRED') throw new Error(`${describe(operation)} is ${status}`);
    return status === 'COMPLETED' || null;
  });
}

/** Whether the maximum number of operations is in flight; false while the database is unavailable. */
async function isBusy(database: Database): Promise<boolean> {
  const counting = database.query<{ count: string }>(
    `SELECT count(*) FROM operation WHERE status NOT IN ('COMPLETED', 'FAILED', 'EXPIRED')`,
  );
  const [row] = await counting.catch(() => []);
  return Number(row?.count ?? 0) >= MOST_IN_FLIGHT;
}

/** Waits until burned tokens are retired and the relayer has no transaction in flight. */
async function waitForRestOfWork(
  database: Database,
  ledger: Ledger,
  expectations: readonly Expectation[],
): Promise<void> {
  await patiently('the burned tokens are retired and the wallet has nothing in flight', async () => {
    const [row] = await database.query<{ pending: string }>(
      `SELECT count(*) AS pending FROM wallet_call WHERE state = 'PENDING'`,
    );
    return row?.pending === '0' && (await ledger.wrongSupplies(expectations)).length === 0 ? true : null;
  });
}

/**
 * Reads the alarms that the database would show to operators: halts, and unexplained amounts in the wallet.
 */
async function alarmsIn(database: Database): Promise<string[]> {
  const rows = await database.query<{ alarm: string }>(
    `SELECT 'The bridge is halted: ' || coalesce(halted_reason, deliveries_halted_reason) AS alarm FROM chain_cursor
     WHERE halted_at IS NOT NULL OR deliveries_halted_at IS NOT NULL
     UNION ALL
     SELECT 'An unexplained difference of ' || amount || ' on chain ' || chain_id || ' in block ' || block_number
     FROM balance_difference`,
  );
  return rows.map(({ alarm }) => alarm);
}

function summarize(
  sent: readonly SentOperation[],
  kills: Kills,
  weather: Weather,
  operators: Operators,
  ledger: Ledger,
  database: Database,
): string[] {
  const list = (counts: ReadonlyMap<string, number>) =>
    [...counts].map(([what, count]) => `${count} ${what}`).join(', ');
  const kinds = new Map([...Map.groupBy(sent, ({ kind }) => kind)].map(([kind, { length }]) => [`${kind}s`, length]));
  const spread = (milliseconds: readonly number[]) => {
    const sorted = milliseconds.toSorted((a, b) => a - b).map((each) => `${(each / 1_000).toFixed(1)} s`);
    return `p50 ${sorted[Math.floor(sorted.length / 2)]}, maximum ${sorted.at(-1)}`;
  };
  const times = (takeovers: readonly Takeover[]) => {
    if (takeovers.length === 0) return 'none';
    const fed = spread(takeovers.map(({ workMs, starvedMs }) => workMs - starvedMs));
    return `${takeovers.length}, ${fed}; with waits for a core ${spread(takeovers.map(({ workMs }) => workMs))}`;
  };
  return [
    `kills: ${list(kills.counts)}${database.canFillDisk ? '' : ' (no full disk: this process cannot mount one)'}`,
    `in addition: ${weather.faults} network faults, ${weather.reorgs} reorgs`,
    `takeovers after kills of the leader: ${times(kills.takeovers)}`,
    `takeovers after its freezes: ${times(kills.takeoversAfterFreeze)}`,
    `operations: ${sent.length} (${list(kinds)}), each ended and delivered once`,
    `operators' requests in the console: ${operators.requests}, each carried out once`,
    `holdings: ${ledger.size}, all right to the unit`,
  ];
}
