import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAmount, type BridgeOperationResponse } from '@causeway/protocol';
import type { AdminOperationResponse } from '@causeway/protocol/admin';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { attesterAccounts, PlayedAttester, User } from '@causeway/testbed';
import {
  anAddress,
  isLong,
  SERVER_CERTIFICATE,
  STRANGER_CERTIFICATE,
  TEST_AUTHORITY,
  waitUntil,
} from '@causeway/test-kit';
import { zeroAddress, type Hex } from 'viem';
import { AdminClient } from '../../chaos/admin-client.js';
import { freePort, temporaryEnvironment, type TestEnvironment } from '../temporary-environment.js';

// Three attester processes, of which two must sign: operations while attesters are down, run twice, disagree, see a
// wrong certificate or are replaced, and the metrics behind the alerts. apps/relayer/test/alerts.test.ts and
// service-alerts.test.ts test the alerts of these metrics.

const ATTESTER = createRequire(import.meta.url).resolve('@causeway/attester/main');
const DEPLOY = fileURLToPath(new URL('../../../deploy', import.meta.url));
const PATIENCE = { timeoutMs: 120_000 };
/** Milliseconds between two operations of a flow. */
const PAUSE_MS = 1_500;
const XCN = parseAmount('XCN', '6000');
const USDC = parseAmount('USDC', '50');

const folder = mkdtempSync(join(tmpdir(), 'causeway-attesters-'));
let environment: TestEnvironment;
let alice: User;
let metricsPort: number;
let twin: ChildProcess | null = null;

beforeAll(async () => {
  environment = await temporaryEnvironment({
    attesters: 3,
    threshold: 2,
    firstDeposits: true,
    holdSeconds: 1,
    ethereumConfirmations: 2,
    partnerConfirmations: 2,
  });
  alice = new User(environment, environment.accounts.alice);
  metricsPort = await freePort();
  await environment.restartRelayer({ METRICS_PORT: `${metricsPort}` });
});
afterAll(async () => {
  twin?.kill('SIGKILL');
  await environment?.stop();
  rmSync(folder, { recursive: true });
});

const write = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const readMetrics = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
const member = (number: number) => attesterAccounts(number).at(-1)!;

/** Waits until the relayer has all these metrics, and returns all its metrics. */
const untilFigures = async (...lines: readonly string[]): Promise<string> =>
  waitUntil(
    `the relayer has ${lines.join(', ')}`,
    async () => {
      const text = await readMetrics(metricsPort);
      return lines.every((line) => text.includes(`\ncauseway_relayer_${line}\n`)) ? text : null;
    },
    PATIENCE,
  );

/** Metric line: number of processes with the key of an attester. */
const instances = (number: number, count: number) =>
  `attester_instances{attester="${member(number).address.toLowerCase()}"} ${count}`;

/** Variables of a second process with the key of `attester-1`. */
function describeTwin(exchangeUrl: string): Record<string, string> {
  const { stack, options } = environment;
  const { firstOperator, secondOperator } = stack.accounts;
  return {
    ENVIRONMENT: 'local',
    ADDRESS_BOOK: stack.addressBookFile,
    ATTESTER_ADDRESS: member(1).address,
    ATTESTER_PRIVATE_KEY: member(1).privateKey,
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

async function completed(originTxHash: Hex): Promise<void> {
  const isCompleted = async () => (await alice.status(originTxHash))?.status === 'COMPLETED';
  await waitUntil(`${originTxHash} is COMPLETED`, isCompleted, PATIENCE);
}

const deposit = async () => (await alice.deposit('ETH', parseAmount('ETH', '0.1'), anAddress())).originTxHash;

/** Sets the attesters of both contracts by number; two must sign. */
async function setAttesters(...numbers: readonly number[]): Promise<void> {
  const { book, accounts, ethereum, partner } = environment;
  const members = attesterAccounts(9).flatMap(({ address }, index) => (numbers.includes(index + 1) ? [address] : []));
  const args = [members.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)), 2n] as const;
  for (const [clients, address] of [
    [ethereum, book.ethereum.bridgeLock],
    [partner, book.partner.bridgeMint],
  ] as const) {
    const call = { address, abi: bridgeLockAbi, functionName: 'setAttesters', args } as const;
    const hash = await clients.getWallet(accounts.deployer).writeContract(call);
    expect((await clients.client.waitForTransactionReceipt({ hash })).status).toBe('success');
  }
}

/** Makes deposits on one chain, and burns and intents on the other, in turn until stopped. */
function startTraffic() {
  const begun: Hex[] = [];
  const ended = new AbortController();
  const repeat = async (begin: (turn: bigint) => Promise<{ readonly originTxHash: Hex }>) => {
    for (let turn = 1n; !ended.signal.aborted; turn += 1n) {
      begun.push((await begin(turn)).originTxHash);
      await sleep(PAUSE_MS);
    }
  };
  const flows = Promise.allSettled([
    // The XCN that arrives equals the XCN that leaves.
    repeat((turn) =>
      turn % 4n === 0n
        ? alice.deposit('XCN', XCN, anAddress())
        : alice.deposit('ETH', parseAmount('ETH', '0.01'), anAddress()),
    ),
    repeat((turn) =>
      turn % 4n === 0n
        ? alice.withdrawXcn(XCN + turn * 10n ** 10n, anAddress(), `rotation ${turn}`)
        : alice.burn('USDC', USDC, anAddress(), USDC),
    ),
  ]);
  return {
    begun,
    end: async () => {
      ended.abort();
      expect((await flows).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    },
  };
}

/** The rotations: one member at a time; in long tests through all nine accounts and back. */
const SETS = isLong
  ? Array.from({ length: 18 }, (_, turn) => [0, 1, 2].map((place) => ((turn + 1 + place) % 9) + 1))
  : [
      [2, 3, 4],
      [3, 4, 5],
      [4, 5, 6],
    ];

describe('a bridge with real attesters', () => {
  it('completes every kind', async () => {
    const begun = [
      await deposit(),
      (await alice.burn('USDC', USDC, anAddress(), USDC)).originTxHash,
      (await alice.withdrawNative(XCN, anAddress(), XCN)).originTxHash,
      (await alice.withdrawXcn(XCN + 10n ** 18n, anAddress(), 'attested')).originTxHash,
    ];
    await Promise.all(begun.map(completed));
    const statuses = await Promise.all(begun.map(async (hash) => (await alice.status(hash))?.status));
    expect(statuses).toEqual(begun.map(() => 'COMPLETED'));
  });

  it('pays an intent at the fee of its acceptance when the policy has changed before the transfer', async () => {
    const { partner, book, accounts } = environment;
    const amount = XCN + 2n * 10n ** 18n;
    const { intentId, relayerWalletAddress } = await alice.registerIntent(amount, anAddress(), 'policy');
    const policy = { address: book.partner.bridgeMint, abi: bridgeMintAbi, functionName: 'feePolicy' } as const;
    const [bps, minFee, minAmount] = await partner.client.readContract({ ...policy, args: [zeroAddress] });
    const manager = partner.getWallet(accounts.policyManager);
    const changed = await manager.writeContract({
      address: book.partner.bridgeMint,
      abi: bridgeMintAbi,
      functionName: 'setFeePolicy',
      args: [zeroAddress, { bps, minFee: minFee / 2n, minAmount }],
    });
    await partner.client.waitForTransactionReceipt({ hash: changed });
    const paid = await partner.getWallet(alice.account).sendTransaction({ to: relayerWalletAddress, value: amount });
    await alice.bindOrigin(intentId, paid);
    await completed(paid);
    expect((await alice.status(paid))?.fee?.amount).toBe(`${minFee}`);
  });

  it('counts an attester that refuses what the others sign', async () => {
    const [exchangeUrl = ''] = environment.stack.exchangeUrls ?? [];
    await environment.processes.kill('attester-3');
    const refusing = new PlayedAttester(exchangeUrl, member(3), () => ({
      kind: 'REFUSE',
      reason: 'PLAYED',
      why: 'A test.',
    }));
    await completed(await deposit());
    const dissents = `attester_dissents_total{attester="${member(3).address.toLowerCase()}"}`;
    expect(await untilFigures(`${dissents} 1`)).toContain(dissents);
    await refusing.stop();
    await environment.startAttester('attester-3');
  });

  it('counts two processes with one key, which doctor reports', async () => {
    const port = await freePort();
    const [exchangeUrl = ''] = environment.stack.exchangeUrls ?? [];
    const env = { ...describeTwin(exchangeUrl), METRICS_PORT: `${port}` };
    twin = fork(ATTESTER, [], { env, stdio: 'ignore' });
    const ofRelayer = await untilFigures(instances(1, 2));
    const own = await waitUntil('it has asked', async () => {
      const text = await readMetrics(port);
      return /^causeway_attester_instances\{.*\} 2$/m.test(text) ? text : null;
    });
    // It waits ten minutes before signing.
    expect(own).toContain('\ncauseway_ready{service="attester"} 0\n');
    expect(await runDoctor(env)).toEqual({
      code: 1,
      report: expect.stringContaining('sees 1 more processes with this key -> end them'),
    });
    const files = ['alerts.yml', 'dashboards/attester.json'].map((file) => readFileSync(join(DEPLOY, file), 'utf8'));
    const used = new Set(files.join('').match(/causeway_(?:attester|relayer_attester)\w+/g));
    const names = [...used].map((name) => name.replace(/_bucket$/, ''));
    expect(names.length).toBeGreaterThan(10);
    const existing = `${ofRelayer}${own}`;
    expect(names.filter((name) => !existing.includes(`# TYPE ${name} `))).toEqual([]);
    const ended = once(twin, 'exit');
    twin.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('refuses a TLS exchange with a certificate of another authority', async () => {
    const tlsPort = await freePort();
    const served = await freePort();
    // Another relayer, which waits for the first one's lease.
    const relayer = environment.startService('relayer', 'relayer-tls', {
      ATTEST_PORT: `${tlsPort}`,
      ATTEST_CERTIFICATE_FILE: write('exchange.crt', SERVER_CERTIFICATE.certificate),
      ATTEST_KEY_FILE: write('exchange.key', SERVER_CERTIFICATE.key),
      METRICS_PORT: `${served}`,
    });
    const ended = relayer.ended.then(({ sentence }) => Promise.reject(new Error(sentence)));
    const serves = async () => readMetrics(served);
    await Promise.race([ended, waitUntil('it serves its exchange', serves, PATIENCE)]);
    const env = describeTwin(`https://127.0.0.1:${tlsPort}`);
    const dial = async (authority: string) =>
      runDoctor({ ...env, NODE_EXTRA_CA_CERTS: write(`authority-${authority.length}.crt`, authority) });
    const [ours, another] = await Promise.all([dial(TEST_AUTHORITY), dial(STRANGER_CERTIFICATE.certificate)]);
    expect(ours).toEqual({ code: 0, report: expect.stringContaining(`127.0.0.1:${tlsPort} answers`) });
    expect(another).toEqual({ code: 1, report: expect.stringMatching(/error +exchanges .*certificate/) });
  });

  it('continues without one, waits without two, continues when one returns, and counts them', async () => {
    const sets = ['attesters{chain="ethereum"} 3', 'attesters_needed{chain="ethereum"} 2'];
    await untilFigures(...sets, 'attesters_asking{chain="ethereum"} 3');
    await environment.processes.kill('attester-1');
    await untilFigures(...sets, 'attesters_asking{chain="ethereum"} 2', instances(1, 0));
    await completed(await deposit());
    await environment.processes.kill('attester-2');
    await untilFigures(...sets, 'attesters_asking{chain="ethereum"} 1', instances(1, 0), instances(2, 0));
    const waiting = await deposit();
    await waitUntil(
      'it waits for attesters',
      async () => (await alice.status(waiting))?.delayedReason === 'ATTESTERS_UNAVAILABLE',
      PATIENCE,
    );
    await environment.startAttester('attester-2');
    await completed(waiting);
    expect((await alice.status(waiting))?.delayedReason).toBeNull();
  });

  it('continues while its attesters are replaced one by one, and loses and repeats no operation', async () => {
    for (const number of isLong ? [1, 4, 5, 6, 7, 8, 9] : [4, 5, 6])
      await environment.startAttester(`attester-${number}`);
    const { stack, book, accounts } = environment;
    const admin = await AdminClient.signIn({ consoleUrl: stack.consoleUrl, book }, accounts.deployer.privateKey);
    const traffic = startTraffic();
    for (const set of SETS) {
      await setAttesters(...set);
      const left = `attester-${((set[0]! + 7) % 9) + 1}`;
      await environment.processes.kill(left);
      // It returns later, with an attester's usual start.
      if (isLong) await environment.startAttester(left);
      const from = traffic.begun.length;
      // An operation that began after the change, so that the current set signed it.
      await completed(await waitUntil('an operation begins', () => traffic.begun[from], PATIENCE));
    }
    await traffic.end();
    await Promise.all(traffic.begun.map(completed));
    for (const hash of traffic.begun) {
      const { depositId, withdrawId, intentId } = (await alice.status(hash)) as BridgeOperationResponse;
      const page = await admin.read<AdminOperationResponse>(`/operations/${depositId ?? withdrawId ?? intentId}`);
      const { operation, deliveredAmount, calls, timeline } = page;
      expect(deliveredAmount).toBe(operation.outputAmount);
      expect(calls.filter(({ state }) => state === 'SUCCEEDED')).toHaveLength(1);
      expect(timeline.map(({ cause }) => cause)).not.toContain('DESTINATION_REVERTED');
    }
  });
});
