import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { isTerminal, parseAmount, getToken } from '@causeway/protocol';
import { healthResponseSchema } from '@causeway/protocol/rest';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import {
  startGateway,
  startSpanCollector,
  waitUntil,
  type GatewayProcess,
  type SpanCollector,
} from '@causeway/test-kit';
import { reconcile, User } from '@causeway/testbed';
import { concatHex, keccak256, parseEther, toHex, type Hex } from 'viem';
import { freePort, temporaryEnvironment, type TestEnvironment } from './temporary-environment.js';

const RULES = fileURLToPath(new URL('../../deploy/alerts.yml', import.meta.url));
const DASHBOARDS = fileURLToPath(new URL('../../deploy/dashboards/', import.meta.url));
const XCN = parseAmount('XCN', '50000');
const ONE_ETH = parseAmount('ETH', '1');
const SCRAPE_MS = 1_000;
/** The kind of the spans of requests to nodes. */
const CLIENT = 3;
/** Metrics that raise an alert as soon as they are not 0. apps/relayer/test/alerts.test.ts tests the rules. */
const ALARM =
  /^causeway_relayer_(?:unknown_deliveries|unexplained_differences|halted\{.*\}|queue_operations\{.*NUMBER_USED_UP.*\}) (?!0$).*/gm;
/** An alarm needs at most a block and two rounds of the watch. */
const SECONDS = { timeoutMs: 20_000 };

let environment: TestEnvironment;
let alice: User;
let metricsPort: number;
/** A further gateway in front of the environment's node. */
let gateway: GatewayProcess;
let collector: SpanCollector;
const otherPorts = { api: 0, gateway: 0, watchtower: 0 };

beforeAll(async () => {
  environment = await temporaryEnvironment();
  alice = new User(environment, environment.accounts.alice);
  metricsPort = await freePort();
  otherPorts.api = await freePort();
  otherPorts.gateway = await freePort();
  otherPorts.watchtower = await freePort();
  collector = await startSpanCollector();
  await environment.restartApi({
    METRICS_PORT: `${otherPorts.api}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  });
  environment.startService('watchtower', 'watchtower', { METRICS_PORT: `${otherPorts.watchtower}` });
  gateway = await startGateway({
    BACKEND: 'upstream',
    UPSTREAM_URLS: environment.stack.partner.rpcUrl,
    CHAIN_ID: `${environment.stack.partner.chainId}`,
    METRICS_PORT: `${otherPorts.gateway}`,
  });
});
afterEach(async () => environment.restoreRelayer());
afterAll(async () => {
  await gateway?.stop();
  await environment?.stop();
  await collector?.stop();
});

const scrape = async (port = metricsPort) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

/** Scrapes each service; a service that is down has no text. */
const scrapeAll = async () =>
  Promise.all(
    Object.entries({ relayer: metricsPort, ...otherPorts }).map(async ([job, port]) => ({
      job,
      text: await scrape(port).catch(() => ''),
    })),
  );

/** The value of a metric; undefined without the series. */
async function metric(series: string, service: 'relayer' | 'watchtower' = 'relayer'): Promise<number | undefined> {
  const text = await scrape(service === 'relayer' ? metricsPort : otherPorts.watchtower);
  const line = text.split('\n').find((each) => each.startsWith(`causeway_${service}_${series} `));
  return line === undefined ? undefined : Number(line.split(' ')[1]);
}

async function startWatched(changes: Readonly<Record<string, string>> = {}): Promise<void> {
  await environment.restartRelayer({ METRICS_PORT: `${metricsPort}`, ...changes });
  await waitUntil('the relayer is active', async () => (await metric('lease_held').catch(() => 0)) === 1);
}

const readStatus = async (hash: Hex) => (await alice.status(hash))?.status;

async function completed(hash: Hex): Promise<void> {
  await waitUntil('the operation has ended', async () => {
    const operation = await alice.status(hash);
    return operation !== null && isTerminal(operation.status);
  });
  expect(await readStatus(hash)).toBe('COMPLETED');
}

async function deliver(...sent: Promise<{ readonly originTxHash: Hex }>[]): Promise<void> {
  for (const { originTxHash } of await Promise.all(sent)) await completed(originTxHash);
}

async function halts() {
  const response = await fetch(environment.stack.healthUrl);
  return healthResponseSchema.parse(await response.json()).halts ?? [];
}

const lock = () => ({ address: environment.book.ethereum.bridgeLock, abi: bridgeLockAbi }) as const;
const mint = () => ({ address: environment.book.partner.bridgeMint, abi: bridgeMintAbi }) as const;

/** How many of the four directions, two of each contract, are paused. */
async function countPauses(): Promise<number> {
  const { ethereum, partner } = environment;
  const locked = await ethereum.client.readContract({ ...lock(), functionName: 'pauses' });
  const minted = await partner.client.readContract({ ...mint(), functionName: 'pauses' });
  return [locked, minted].flatMap(([until, deliveries]) => [until > 0, deliveries]).filter(Boolean).length;
}

const untilAllPaused = async () =>
  waitUntil('the watchtower has paused both contracts', async () => (await countPauses()) === 4, SECONDS);

/** Lifts the pauses of both contracts as admin. */
async function unpause(): Promise<void> {
  const { ethereum, partner, accounts } = environment;
  for (const [chain, contract] of [
    [ethereum, lock()],
    [partner, mint()],
  ] as const) {
    const address = { ...contract, abi: bridgeLockAbi } as const;
    const [, , count] = await chain.client.readContract({ ...address, functionName: 'pauses' });
    const hash = await chain
      .getWallet(accounts.deployer)
      .writeContract({ ...address, functionName: 'unpause', args: [count, true, true] });
    await chain.client.waitForTransactionReceipt({ hash });
  }
}

/** Releases an intent that no sender signed, with the relayer's key. */
async function stealByIntent(amount: bigint): Promise<void> {
  const { ethereum, accounts } = environment;
  const thief = accounts.bob.address;
  const intent = {
    sender: thief,
    recipient: thief,
    amount,
    deadline: 2_000_000_000n,
    nonceHash: keccak256(toHex('invented')),
    signature: '0x1234' as const,
  };
  const none = { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] };
  const hash = await ethereum
    .getWallet(accounts.relayer)
    .writeContract({ ...lock(), functionName: 'releaseIntent', args: [intent, keccak256('0x'), 1n, none] });
  expect((await ethereum.client.waitForTransactionReceipt({ hash })).status).toBe('success');
}

describe('the alerts and the dashboards', () => {
  it('name only metrics that a service has', async () => {
    await startWatched();
    // It has disk metrics, which a gateway in front of nodes lacks.
    const DATA_DIRECTORY = mkdtempSync(join(tmpdir(), 'causeway-chain-'));
    const port = await freePort();
    const embedded = await startGateway({ DATA_DIRECTORY, METRICS_PORT: `${port}` });
    const scraped = [await scrape(port), ...(await scrapeAll()).map(({ text }) => text)].join('\n');
    await embedded.stop();
    rmSync(DATA_DIRECTORY, { recursive: true });
    const existing = new Set([...scraped.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const files = readdirSync(DASHBOARDS).map((file) => DASHBOARDS + file);
    const used = [RULES, ...files].flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\b(?:causeway|process|nodejs)_\w+/g)].map(([name]) => name),
    );
    const names = new Set(used.map((name) => name.replace(/_(bucket|sum|count)$/, '')));
    expect(names.size).toBeGreaterThan(50);
    // No attester runs here: test/operating/real-attesters.test.ts covers the metrics of attesters and about them.
    const missing = [...names].filter((name) => !existing.has(name));
    expect(missing.filter((name) => !/^causeway_(attester_|relayer_attester)/.test(name))).toEqual([]);
  });
});

describe('the traces', () => {
  it('show an operation in one trace, from the request or its deposit to the delivery', async () => {
    await startWatched({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' });
    const { address } = alice.account;
    const ended = async (sent: Promise<{ readonly originTxHash: Hex }>) => {
      const { originTxHash } = await sent;
      await completed(originTxHash);
      return alice.status(originTxHash);
    };
    const deposit = await ended(alice.deposit('XCN', 2n * XCN, address));
    const intent = await ended(alice.withdrawXcn(XCN, address, 'traced'));
    const findSpans = (id: Hex) => collector.spans.filter(({ traceId }) => traceId === id.slice(2, 34));
    const getNames = (id: Hex) => findSpans(id).map(({ service, name }) => `${service}: ${name}`);
    const steps = (...names: readonly string[]) => names.map((name) => `causeway-relayer: ${name}`);
    const expected = [
      [
        deposit?.depositId ?? '0x',
        steps('Deposit seen', 'origin is final', 'delivery broadcast', 'Mint seen', 'completed'),
      ],
      [
        intent?.intentId ?? '0x',
        [
          'causeway-api: POST /api/v1/bridge/xcn-withdraw-intent',
          ...steps(
            'transfer bound to its intent',
            'origin is final',
            'delivery broadcast',
            'Release seen',
            'completed',
          ),
        ],
      ],
    ] as const;
    for (const [id, names] of expected) {
      await waitUntil('the spans arrive', () => names.every((name) => getNames(id).includes(name)));
      expect(getNames(id)).toEqual(expect.arrayContaining([...names]));
      const known = new Set(findSpans(id).map(({ spanId }) => spanId));
      for (const { parentSpanId, attributes, kind } of findSpans(id)) {
        if (parentSpanId !== undefined) expect(known).toContain(parentSpanId);
        if (kind !== CLIENT) expect(attributes['causeway.operation.id']).toBe(id);
      }
    }
  });
});

describe('a bridge that runs as it should', () => {
  it('raises no alarm in traffic, after a restart or while catching up', async () => {
    await startWatched();
    const alarms = new Set<string>();
    const look = async () => {
      // The relayer is down for a while.
      for (const [line] of (await scrape().catch(() => '')).matchAll(ALARM)) alarms.add(line);
    };
    const timer = setInterval(() => void look(), SCRAPE_MS);
    try {
      const { address } = alice.account;
      await deliver(alice.deposit('ETH', 5n * ONE_ETH, address));
      await deliver(alice.deposit('USDC', parseAmount('USDC', '500'), address));
      await deliver(alice.deposit('XCN', 3n * XCN, address));
      await deliver(alice.burn('ETH', ONE_ETH, address, ONE_ETH));
      await deliver(alice.withdrawNative(XCN, address, XCN));
      await deliver(alice.withdrawXcn(XCN, address, 'watched'));
      await environment.killRelayer();
      const { originTxHash } = await alice.deposit('ETH', ONE_ETH, address);
      await environment.ethereum.test.mine({ blocks: 200 });
      await startWatched();
      await completed(originTxHash);
      await waitUntil(
        'all deliveries are judged',
        async () => (await metric('oldest_unjudged_seconds{chain="partner"}')) === 0,
      );
      for (const asset of ['ETH', 'USDC', 'XCN'])
        await waitUntil(
          `all outstanding ${asset} has its backing`,
          async () => (await metric(`backing_margin{asset="${asset}"}`)) === 0,
        );
    } finally {
      clearInterval(timer);
    }
    expect(await halts()).toEqual([]);
    expect(await metric('deliveries_total{chain="partner"}')).toBeGreaterThan(0);
    for (const series of ['unknown_deliveries', 'unexplained_differences']) expect(await metric(series)).toBe(0);
    expect([...alarms]).toEqual([]);
    await waitUntil('the watchtower judges', async () => (await metric('judged_at_seconds', 'watchtower')) !== 0);
    expect(await metric('pause_wanted{chain="partner"}', 'watchtower')).toBe(0);
    expect(await countPauses()).toBe(0);
  });

  it('reports coin that reached the wallet neither by a transfer nor by a call', async () => {
    await startWatched();
    const { partner, accounts } = environment;
    const { relayer } = environment.book;
    // A contract that self-destructs in its deployment: PUSH20 relayer, SELFDESTRUCT.
    const data = concatHex(['0x73', relayer, '0xff']);
    const value = parseEther('7');
    const hash = await partner.getWallet(accounts.alice).sendTransaction({ data, value });
    const { blockNumber } = await partner.client.waitForTransactionReceipt({ hash });
    await waitUntil('the difference is found', async () => (await metric('unexplained_differences')) === 1);
    const { output } = await environment.relayerCommand('unmatched');
    expect(output).toContain(`${blockNumber}: ${value} more than expected`);
    expect(await environment.relayerCommand('explain', `${blockNumber + 1n}`, 'a test')).toMatchObject({ code: 1 });
    expect(await environment.relayerCommand('explain', `${blockNumber}`, 'a test')).toMatchObject({ code: 0 });
    await waitUntil('it is explained', async () => (await metric('unexplained_differences')) === 0);
    expect(await halts()).toEqual([]);
  });
});

describe('a bridge whose backing is short', () => {
  it('delays the uncovered mint, and pays it once covered', async () => {
    await startWatched();
    const { ethereum } = environment;
    const address = environment.book.ethereum.bridgeLock;
    const before = await ethereum.client.getBalance({ address });
    const { originTxHash } = await environment.whileBlocksWait(async () => {
      const sent = await alice.deposit('ETH', ONE_ETH, alice.account.address);
      // The deposit is still in its block, but its funds are gone.
      await ethereum.test.setBalance({ address, value: before });
      return sent;
    });
    await waitUntil('the mint is delayed', async () => (await readStatus(originTxHash)) === 'DELAYED');
    await waitUntil('its reason is known', async () => {
      return (await metric('queue_operations{stage="deliver",reason="BACKING_SHORT"}')) === 1;
    });
    expect(await halts()).toEqual([]);
    await ethereum.test.setBalance({ address, value: before + ONE_ETH });
    await completed(originTxHash);
  });
});

describe("a thief with the relayer's key", () => {
  it('pays itself once: deliveries halt, both contracts are paused, and operators are alerted', async () => {
    await startWatched();
    const { originTxHash } = await environment.whileBlocksWait(async () => {
      const sent = await alice.deposit('USDC', parseAmount('USDC', '50'), alice.account.address);
      await stealByIntent(XCN / 2n);
      await waitUntil('the deliveries halt', async () => (await metric('halted{what="deliveries"}')) === 1, SECONDS);
      return sent;
    });
    await untilAllPaused();
    await waitUntil('it is counted', async () => (await metric('unknown_deliveries')) === 1, SECONDS);
    expect((await halts()).map(({ chainId }) => chainId)).toEqual([31_337, 8_901]);
    const refused = alice.registerIntent(XCN, alice.account.address, 'while halted');
    await expect(refused).rejects.toMatchObject({ code: 'SERVICE_PAUSED' });
    // Reading continues, but nothing is sent.
    await waitUntil('the deposit is final', async () => (await readStatus(originTxHash)) === 'AWAITING_RELAY');
    await waitUntil('the asset is insolvent', async () => ((await metric('backing_margin{asset="XCN"}')) ?? 0) < 0);

    const looked = await environment.relayerCommand('resume', 'deliveries');
    expect(looked).toMatchObject({ code: 1, output: expect.stringContaining('unknown Release') });
    expect((await environment.relayerCommand('halts')).output).toContain('there is no operation with its id');
    // The operators replace the stolen amount, accept the delivery, and lift the pauses.
    const wallet = environment.ethereum.getWallet(environment.accounts.alice);
    const token = getToken(environment.book, 'ethereum', 'XCN');
    await wallet.writeContract({
      address: token,
      abi: bridgedTokenAbi,
      functionName: 'transfer',
      args: [environment.book.ethereum.bridgeLock, XCN / 2n],
    });
    await waitUntil(
      'the asset is backed again',
      async () => ((await metric('backing_margin{asset="XCN"}')) ?? -1) >= 0,
    );
    expect(await environment.relayerCommand('resume', 'deliveries', '--accept-unknown')).toMatchObject({ code: 0 });
    await unpause();
    await completed(originTxHash);
    expect(await halts()).toEqual([]);
    expect(await countPauses()).toBe(0);
  });

  it('mints unbacked tokens: deliveries halt, and both contracts are paused again', async () => {
    await reconcile(environment);
    await startWatched();
    const { partner, accounts, book } = environment;
    const args = [
      999n,
      getToken(book, 'partner', 'USDC'),
      accounts.bob.address,
      parseAmount('USDC', '1000000'),
    ] as const;
    await partner.getWallet(accounts.relayer).writeContract({ ...mint(), functionName: 'mint', args });
    await waitUntil('the deliveries halt', async () => (await halts()).length === 2, SECONDS);
    await untilAllPaused();
    expect((await environment.relayerCommand('halts')).output).toContain('Unknown Mint');
    await waitUntil('the asset is insolvent', async () => ((await metric('backing_margin{asset="USDC"}')) ?? 0) < 0);
    // Deliveries halt again when an operator resumes them without a repair.
    expect(await environment.relayerCommand('resume', 'deliveries', '--accept-unknown')).toMatchObject({ code: 0 });
    await waitUntil('the deliveries halt again', async () => (await halts()).length === 2, SECONDS);
    expect((await environment.relayerCommand('halts')).output).toContain('USDC is short of');
  });
});
