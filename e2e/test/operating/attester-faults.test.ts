import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAmount } from '@causeway/protocol';
import { PlayedAttester, User } from '@causeway/testbed';
import {
  anAddress,
  OTHER_SERVICES,
  ScrapeRecorder,
  SERVER_CERTIFICATE,
  STRANGER_CERTIFICATE,
  TEST_AUTHORITY,
  testAccount,
  testKey,
  waitUntil,
  wrongAlerts,
  type AlertScenario,
  type Scrape,
} from '@causeway/test-kit';
import { freePort, temporaryEnvironment, type TestEnvironment } from '../temporary-environment.js';

// Attesters that are away, run twice, disagree or meet another certificate, on a bridge with three of whom two must
// sign: the figures of the real processes, the alerts that Prometheus' own promtool finds in them, and `attester
// doctor`.

const ATTESTER = createRequire(import.meta.url).resolve('@causeway/attester/main');
const DEPLOY = fileURLToPath(new URL('../../../deploy', import.meta.url));
const MINUTE_SECONDS = 60;
const PATIENCE = { timeoutMs: 120_000 };
/** Longer than the pause of each alert. */
const MINUTES = 20;
/** The account of `attester-1`; those of the others follow. */
const FIRST_ACCOUNT = 13;

const folder = mkdtempSync(join(tmpdir(), 'causeway-attester-faults-'));
let environment: TestEnvironment;
let metricsPort: number;
let twin: ChildProcess | null = null;
/** When all was well. */
let healthy: readonly Scrape[];

const write = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const scrape = async (job: string, port: number): Promise<Scrape> => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  // A moment of other figures would last for many minutes here.
  const lines = text.split('\n').filter((line) => /attester|lease_held|causeway_ready/.test(line));
  return { job, text: `${lines.join('\n')}\n` };
};

/** Waits for a figure of the relayer, and returns the scrape. */
const untilFigure = async (line: string): Promise<Scrape> =>
  waitUntil(
    `the relayer has ${line}`,
    async () => {
      const found = await scrape('relayer', metricsPort);
      return found.text.includes(`\ncauseway_relayer_${line}\n`) ? found : null;
    },
    PATIENCE,
  );

/** The alerts that fire when a state lasts, or two minutes after another state. */
function makeScenario(alerts: readonly string[], scrapes: readonly Scrape[], before = scrapes): AlertScenario {
  const recorder = new ScrapeRecorder();
  for (const state of [before, scrapes])
    for (let minute = 0; minute < MINUTES; minute += 1) recorder.add(...state, ...OTHER_SERVICES);
  const atSample = before === scrapes ? recorder.samples - 1 : MINUTES + 2;
  const firing = [{ atSample, alerts: alerts.toSorted() }];
  return { name: alerts.join() || 'none', recording: recorder.recording(), firing };
}

/** Evaluates the rules by promtool. Returns an empty text when these alerts fire, and no others. */
const findWrongAlerts = async (...scenarios: readonly AlertScenario[]) =>
  wrongAlerts(join(DEPLOY, 'alerts.yml'), MINUTE_SECONDS, scenarios);

/** The variables of one more process with the key of `attester-1`. */
function describeTwin(exchangeUrl: string): Record<string, string> {
  const { stack, options } = environment;
  const { firstOperator, secondOperator } = stack.accounts;
  return {
    ENVIRONMENT: 'local',
    ADDRESS_BOOK: stack.addressBookFile,
    ATTESTER_ADDRESS: testAccount(FIRST_ACCOUNT).address,
    ATTESTER_PRIVATE_KEY: testKey(FIRST_ACCOUNT),
    ETHEREUM_RPC_URLS: `own=${stack.ethereum.rpcUrl}`,
    PARTNER_RPC_URLS: `own=${stack.partner.rpcUrl}`,
    ETHEREUM_CONFIRMATIONS: `${options.ethereumConfirmations}`,
    PARTNER_CONFIRMATIONS: `${options.partnerConfirmations}`,
    HOLD_SECONDS: `${options.holdSeconds}`,
    OPERATORS: [firstOperator.address, secondOperator.address].join(','),
    EXCHANGE_URLS: exchangeUrl,
    DATA_DIRECTORY: join(folder, 'twin'),
    LOG_LEVEL: 'silent',
  };
}

async function runDoctor(env: Readonly<Record<string, string>>): Promise<{ code: number; report: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [ATTESTER, 'doctor'], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), report: `${stdout}${stderr}` }),
    );
  });
}

beforeAll(async () => {
  environment = await temporaryEnvironment({
    attesters: 3,
    threshold: 2,
    ethereumConfirmations: 2,
    partnerConfirmations: 2,
  });
  metricsPort = await freePort();
  for (const name of ['attester-1', 'attester-2']) await environment.processes.kill(name);
  await environment.restartRelayer({ METRICS_PORT: `${metricsPort}` });
  await untilFigure('lease_held 1');
});
afterAll(async () => {
  twin?.kill('SIGKILL');
  await environment?.stop();
  rmSync(folder, { recursive: true });
});

describe('the alerts about attesters', () => {
  it('raise alerts while one is left, or two, and none with all of them', async () => {
    const one = await untilFigure('attesters_asking{chain="ethereum"} 1');
    await environment.startAttester('attester-2');
    const two = await untilFigure('attesters_asking{chain="ethereum"} 2');
    await environment.startAttester('attester-1');
    healthy = [await untilFigure('attesters_asking{chain="ethereum"} 3')];
    const wrong = await findWrongAlerts(
      makeScenario(['AttesterLost', 'AttestersTooFew'], [one]),
      makeScenario(['AttesterLost', 'NoAttesterToSpare'], [two]),
      makeScenario([], healthy),
    );
    expect(wrong).toBe('');
  });

  it('raise an alert when one refuses what the others sign', async () => {
    const [exchangeUrl = ''] = environment.stack.exchangeUrls ?? [];
    await environment.processes.kill('attester-3');
    const key = { privateKey: testKey(FIRST_ACCOUNT + 2) };
    const refusing = new PlayedAttester(exchangeUrl, key, () => ({
      kind: 'REFUSE',
      reason: 'PLAYED',
      why: 'A test.',
    }));
    const alice = new User(environment, environment.accounts.alice);
    const { originTxHash } = await alice.deposit('ETH', parseAmount('ETH', '0.1'), anAddress());
    const isCompleted = async () => (await alice.status(originTxHash))?.status === 'COMPLETED';
    await waitUntil('the others have signed', isCompleted, PATIENCE);
    const address = testAccount(FIRST_ACCOUNT + 2).address.toLowerCase();
    const disagreeing = [await untilFigure(`attester_dissents_total{attester="${address}"} 1`)];
    await refusing.stop();
    await environment.startAttester('attester-3');
    expect(await findWrongAlerts(makeScenario(['AttestersDisagree'], disagreeing, healthy))).toBe('');
  });

  it('raise an alert when two processes have one key, and doctor says it', async () => {
    const port = await freePort();
    const [exchangeUrl = ''] = environment.stack.exchangeUrls ?? [];
    // It waits ten minutes before it signs.
    const env = { ...describeTwin(exchangeUrl), METRICS_PORT: `${port}` };
    twin = fork(ATTESTER, [], { env, stdio: 'ignore' });
    const address = testAccount(FIRST_ACCOUNT).address.toLowerCase();
    const ofRelayer = await untilFigure(`attester_instances{attester="${address}"} 2`);
    const own = await waitUntil('it has asked', async () => {
      const found = await scrape('attester', port);
      return /^causeway_attester_instances\{.*\} 2$/m.test(found.text) ? found : null;
    });
    expect(await findWrongAlerts(makeScenario(['AttesterTwice', 'AttesterStalls'], [ofRelayer, own]))).toBe('');
    expect(await runDoctor(env)).toEqual({
      code: 1,
      report: expect.stringContaining('sees 1 more processes with this key -> end them'),
    });
    const files = ['alerts.yml', 'dashboards/attester.json'].map((file) => readFileSync(join(DEPLOY, file), 'utf8'));
    const used = new Set(files.join('').match(/causeway_(?:attester|relayer_attester)\w+/g));
    const names = [...used].map((name) => name.replace(/_bucket$/, ''));
    expect(names.length).toBeGreaterThan(10);
    const existing = `${ofRelayer.text}${own.text}`;
    expect(names.filter((name) => !existing.includes(`# TYPE ${name} `))).toEqual([]);
    const ended = once(twin, 'exit');
    twin.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});

describe('the exchange by TLS', () => {
  it('is refused by an attester when another authority has signed its certificate', async () => {
    const tlsPort = await freePort();
    const served = await freePort();
    // Another relayer, which waits for the lease of the first.
    const relayer = environment.startService('relayer', 'relayer-tls', {
      ATTEST_PORT: `${tlsPort}`,
      ATTEST_CERTIFICATE_FILE: write('exchange.crt', SERVER_CERTIFICATE.certificate),
      ATTEST_KEY_FILE: write('exchange.key', SERVER_CERTIFICATE.key),
      METRICS_PORT: `${served}`,
    });
    const ended = relayer.ended.then(({ sentence }) => Promise.reject(new Error(sentence)));
    const serves = async () => (await scrape('relayer', served)).text;
    await Promise.race([ended, waitUntil('it serves its exchange', serves, PATIENCE)]);
    const env = describeTwin(`https://127.0.0.1:${tlsPort}`);
    const dial = async (authority: string) =>
      runDoctor({ ...env, NODE_EXTRA_CA_CERTS: write(`authority-${authority.length}.crt`, authority) });
    const [ours, another] = await Promise.all([dial(TEST_AUTHORITY), dial(STRANGER_CERTIFICATE.certificate)]);
    expect(ours).toEqual({ code: 0, report: expect.stringContaining(`127.0.0.1:${tlsPort} answers`) });
    expect(another).toEqual({ code: 1, report: expect.stringMatching(/error +exchanges .*certificate/) });
  });
});
