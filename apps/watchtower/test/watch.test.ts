import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { localSigner } from '@causeway/chain/signers';
import { bridgeLockAbi } from '@causeway/contracts/abi';
import { runProgram, testKey, waitUntil } from '@causeway/test-kit';
import {
  createVerifier,
  MemoryRecord,
  NoQuorumError,
  ReplacedError,
  type Dissent,
  type Finding,
  type Side,
} from '@causeway/verifier';
import { encodeFunctionData, numberToHex, parseEther, type Hex } from 'viem';
import {
  ALICE,
  BOB,
  DEPLOYER,
  startBridge,
  type Lie,
  type TestBridge,
} from '../../../packages/verifier/test/bridge.js';
import {
  deliver,
  deposit,
  intentDelivery,
  pay,
  payAndSweep,
  signIntent,
  withdraw,
} from '../../../packages/verifier/test/transfers.js';
import { PauseSender } from '../src/watch/pause-sender.js';
import { Watch, type TurnReport, type WatchState } from '../src/watch/watch.js';

// The watch on two real chains, with a relayer's key and an attester's key that pay what they want.

const SIDES = ['ethereum', 'partner'] as const;
const FEE = parseEther('1000');
const INTENT = parseEther('10000');
type Lies = Partial<Record<Side, readonly (Lie | null)[]>>;

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startBridge();
});
afterAll(async () => bridge?.stop());

const ask = async (side: Side, method: string, params: readonly unknown[] = []): Promise<unknown> =>
  bridge.chains[side].client.request({ method, params } as never);
const mine = async () => Promise.all(SIDES.map(async (side) => ask(side, 'evm_mine')));
const readNumbers = async () =>
  Promise.all(SIDES.map(async (side) => bridge.chains[side].client.getBlockNumber({ cacheTime: 0 })));
const getContract = (side: Side) => bridge.settings[side].contract;
const readPauses = async (side: Side) =>
  bridge.chains[side].client.readContract({ address: getContract(side), abi: bridgeLockAbi, functionName: 'pauses' });
/** Where both directions are paused. */
const listPaused = async () => {
  const pauses = await Promise.all(SIDES.map(readPauses));
  return SIDES.filter((_, index) => pauses[index]![0] > 0n && pauses[index]![1]);
};

// Each test begins on the chains after `beforeAll`.
let snapshots: readonly unknown[];
beforeEach(async () => {
  snapshots = await Promise.all(SIDES.map(async (side) => ask(side, 'evm_snapshot')));
});
afterEach(async () => {
  await Promise.all(SIDES.map(async (side, index) => ask(side, 'evm_revert', [snapshots[index]])));
  // Restoring anvil's state also resets its clock.
  await ask('ethereum', 'evm_setTime', [Math.floor(Date.now() / 1_000)]);
});

interface TestWatch {
  readonly watch: Watch;
  readonly sent: Promise<unknown>[]; // Their receipts.
  readonly dissents: Set<string>;
}

/** A watch with three nodes per chain, the first of which lie. */
const openWatch = (lies: Lies = {}, state: WatchState | null = null, lookUpMs = 10_000): TestWatch => {
  const dissents = new Set<string>();
  const sent: Promise<unknown>[] = [];
  const chain = (side: Side) => ({
    nodes: bridge.nodes(side, lies[side]),
    quorum: 2,
    confirmations: 1,
    timeoutMs: 5_000,
    onDissent: (node: string, kind: Dissent) => dissents.add(`${node} ${kind}`),
  });
  const verifier = createVerifier({
    settings: bridge.settings,
    record: new MemoryRecord(),
    ethereum: chain('ethereum'),
    partner: chain('partner'),
  });
  const sender = new PauseSender({
    verifier,
    signer: localSigner(testKey(9)),
    maxFeePerGas: 500_000_000_000n,
    now: Date.now,
    sentinels: { ethereum: bridge.book.ethereum.sentinel, partner: bridge.book.partner.sentinel },
    onSent: (side, hash) => sent.push(bridge.chains[side].client.waitForTransactionReceipt({ hash })),
  });
  const pause = async (...where: Parameters<PauseSender['pause']>) => sender.pause(...where);
  const watch = new Watch(verifier, { pause, lagSeconds: { ethereum: 60n, partner: 60n }, lookUpMs }, state);
  return { watch, sent, dissents };
};

const toCodes = (findings: readonly Finding[] = []) => findings.map(({ code }) => code);
const turn = async ({ watch, sent }: TestWatch, problems: readonly unknown[] = []): Promise<TurnReport> => {
  const report = await watch.turn();
  expect(report.pauseProblems).toEqual(problems);
  await Promise.all(sent);
  return report;
};
/** A turn without any finding. */
const turnQuietly = async (test: TestWatch) => {
  const { obstacle, judgement } = await turn(test);
  expect({ obstacle, findings: judgement?.findings, waiting: judgement?.waiting }).toEqual({
    obstacle: null,
    findings: [],
    waiting: [],
  });
  expect(test.sent).toEqual([]);
};
const releaseIntent = async (amount = INTENT, isSwept = true) => {
  await deposit(bridge, 'XCN', parseEther('50000'));
  const intent = await signIntent(bridge, ALICE, { amount });
  const origin = isSwept ? await payAndSweep(bridge, amount) : await pay(bridge, ALICE, amount);
  await deliver(bridge, intentDelivery(bridge, intent, origin, FEE));
};
/** The number of an operation that never began. */
const FORGED = 99n;
const forgeMint = async () => {
  const { payment, ...rest } = await deposit(bridge, 'USDC', 1_000_000n);
  await deliver(bridge, { ...rest, payment: { ...payment, depositNonce: FORGED } });
};

describe('the service', () => {
  const MAIN = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'causeway-watchtower-'));
  const state = join(folder, 'data', 'state.json');
  afterAll(() => rmSync(folder, { recursive: true }));
  const makeEnvironment = () => {
    const book = join(folder, 'book.json');
    writeFileSync(book, JSON.stringify(bridge.book));
    return {
      ENVIRONMENT: 'local',
      ADDRESS_BOOK: book,
      PAUSER_PRIVATE_KEY: testKey(9),
      ETHEREUM_RPC_URLS: `own=${bridge.chains.ethereum.url}`,
      PARTNER_RPC_URLS: `own=${bridge.chains.partner.url}`,
      ETHEREUM_CONFIRMATIONS: '1',
      PARTNER_CONFIRMATIONS: '1',
      DATA_DIRECTORY: join(folder, 'data'),
      METRICS_PORT: '0',
    };
  };
  /** Runs the service until it judges, and ends it. */
  const runOnce = async () => {
    const child = fork(MAIN, [], { env: makeEnvironment(), stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const exit = once(child, 'exit');
    const url = await waitUntil('it serves', () => /"url":"([^"]+)"/.exec(printed)?.[1]);
    await waitUntil('it judges', async () => (await fetch(`${url}/health/ready`)).ok);
    const metrics = await waitUntil('it rehearsed', async () => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return text.includes('affordable_pauses{chain="partner"}') ? text : undefined;
    });
    child.kill('SIGTERM');
    await exit;
    return { printed, metrics, code: child.exitCode };
  };

  it('judges, rehearses, ends cleanly, and names a state that was altered', async () => {
    const first = await runOnce();
    expect(first).toMatchObject({ code: 0, printed: expect.not.stringContaining('cannot be used') });
    for (const chain of SIDES)
      expect(first.metrics).toMatch(new RegExp(`rehearsal_ok{chain="${chain}",node="own [^"]+"} 1\n`));
    expect(statSync(state).mode & 0o777).toBe(0o600);
    writeFileSync(state, '{"ledger":{"version":1},"short":[]}');
    expect((await runOnce()).printed).toContain('the state cannot be used');
  });

  it('examines what it depends on', async () => {
    const good = await runProgram(MAIN, makeEnvironment(), { words: ['doctor'] });
    expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining('0 errors, 0 warnings') });
    const env = { ...makeEnvironment(), PAUSER_PRIVATE_KEY: testKey(3) };
    const { code, stdout } = await runProgram(MAIN, env, { words: ['doctor'] });
    expect(code).toBe(1);
    for (const side of SIDES) {
      expect(stdout).toMatch(new RegExp(`error    key +${side}: 0x[0-9a-fA-F]{40} is not a pauser`));
      expect(stdout).toMatch(new RegExp(`error    rehearsal +${side} own`));
    }
  });
});

describe('a watch', () => {
  it('is quiet while every kind of operation is paid, and resumes where it stopped', async () => {
    const test = openWatch();
    const minted = await deposit(bridge, 'USDC', 300_000_000n);
    await turnQuietly(test);
    await deliver(bridge, minted);
    await turnQuietly(test);
    await deliver(bridge, await deposit(bridge, 'ETH', parseEther('3')));
    const release = await withdraw(bridge, 'USDC', 100_000_000n);
    await turnQuietly(test);
    await deliver(bridge, release);
    await releaseIntent();
    await turnQuietly(test);
    const later = openWatch({}, JSON.parse(JSON.stringify(test.watch.toState())) as never);
    await deliver(bridge, await withdraw(bridge, 'ETH', parseEther('1')));
    await turnQuietly(later);
    await turnQuietly(later);
    expect(await listPaused()).toEqual([]);
  });

  it.each<readonly [string, string, () => Promise<unknown>]>([
    ['a mint without a deposit', 'NO_ORIGIN', forgeMint],
    [
      'a mint of a larger amount',
      'OTHER_TERMS',
      async () => {
        const { payment, ...rest } = await deposit(bridge, 'USDC', 1_000_000n);
        await deliver(bridge, { ...rest, payment: { ...payment, amount: payment.amount + 1n } });
      },
    ],
    [
      'a release to another recipient',
      'OTHER_TERMS',
      async () => {
        await deliver(bridge, await deposit(bridge, 'USDC', 300_000_000n));
        const { payment, ...rest } = await withdraw(bridge, 'USDC', 100_000_000n);
        const recipient = BOB.address.toLowerCase() as Hex;
        await deliver(bridge, { ...rest, payment: { ...payment, recipient } });
      },
    ],
    [
      'a release without a withdrawal',
      'NO_ORIGIN',
      async () => {
        await deliver(bridge, await deposit(bridge, 'USDC', 300_000_000n));
        const { payment, ...rest } = await withdraw(bridge, 'USDC', 100_000_000n);
        await deliver(bridge, { ...rest, payment: { ...payment, withdrawNonce: FORGED } });
      },
    ],
    ['an intent whose transfer was not added to the float', 'NOT_SWEPT', async () => releaseIntent(INTENT, false)],
    [
      'a mint without a deposit while the payer of an intent is searched',
      'NO_ORIGIN',
      async () => {
        await releaseIntent();
        await forgeMint();
      },
    ],
  ])('pauses both chains in their next blocks after %s', async (_, code, forge) => {
    // The content of old blocks does not come in time.
    const away = async () => new Promise((_resolve, reject) => setTimeout(reject, 500, new Error('away')));
    const hang: Lie = (method, result) => (method === 'eth_getBlockByHash' ? away() : result);
    const test = openWatch({ partner: [hang, hang, hang] }, null, 1_000);
    await turnQuietly(test);
    await forge();
    const [ethereum, partner] = await readNumbers();
    const { judgement } = await turn(test);
    expect(toCodes(judgement?.thefts)).toContain(code);
    expect(await listPaused()).toEqual(SIDES);
    expect(await readNumbers()).toEqual([ethereum! + 1n, partner! + 1n]);
    expect(test.sent).toHaveLength(2);
    await turn(test);
    expect(test.sent).toHaveLength(2);
    const isOpen = judgement?.waiting.length !== 0;
    await waitUntil('it says what it cannot judge', async () => ((await turn(test)).obstacle !== null) === isOpen);
  });

  it('names one lying node of three, and pauses nothing', async () => {
    const hide: Lie = (method, result) => (method === 'eth_getLogs' ? [] : result);
    const test = openWatch({ ethereum: [hide], partner: [undefined as never, hide] });
    await deliver(bridge, await deposit(bridge, 'USDC', 300_000_000n));
    await deliver(bridge, await withdraw(bridge, 'USDC', 100_000_000n));
    await mine();
    await turnQuietly(test);
    expect([...test.dissents].toSorted()).toEqual(['ethereum-0 DIFFERS', 'partner-1 DIFFERS']);
  });

  it('pauses nothing without agreeing nodes, and continues on each chain that it can read', async () => {
    const blind = openWatch({ ethereum: [null, null, null] });
    await forgeMint();
    await mine();
    const { obstacle, judgement } = await turn(blind);
    expect({ isBlind: obstacle instanceof NoQuorumError, judgement }).toEqual({ isBlind: true, judgement: null });
    expect(await listPaused()).toEqual([]);
    let away = /^eth_getTransactionCount$/;
    const cut: Lie = (method, result) => {
      if (away.test(method)) throw new Error('connection refused');
      return result;
    };
    const test = openWatch({ ethereum: [cut, cut, cut] });
    await turn(test, [expect.any(NoQuorumError)]);
    expect(await listPaused()).toEqual(['partner']);
    away = /./;
    expect((await test.watch.turn()).obstacle).toBeInstanceOf(NoQuorumError);
    away = /^$/;
    await turn(test);
    expect(await listPaused()).toEqual(SIDES);
  });

  it('pauses when the collateral is short at two pairs of blocks in a row, not at one', async () => {
    const selector = encodeFunctionData({
      abi: bridgeLockAbi,
      functionName: 'locked',
      args: [bridge.settings.assets[0]!.tokens.ethereum],
    });
    let isShort = true;
    const hide: Lie = (method, result, params) =>
      isShort && method === 'eth_call' && (params[0] as { data: Hex }).data === selector
        ? numberToHex(0n, { size: 32 })
        : result;
    await deliver(bridge, await deposit(bridge, 'ETH', parseEther('3')));
    const test = openWatch({ ethereum: [hide, hide, hide] });
    await turnQuietly(test);
    isShort = false;
    await mine();
    await turnQuietly(test);
    isShort = true;
    await mine();
    await turnQuietly(test);
    await mine();
    const { judgement } = await turn(test);
    expect(toCodes(judgement?.thefts)).toEqual(['SHORT']);
    expect(await listPaused()).toEqual(SIDES);
  });

  it('begins again when a final block was replaced', async () => {
    const test = openWatch();
    const before = await ask('ethereum', 'evm_snapshot');
    await deposit(bridge, 'USDC', 300_000_000n);
    await turnQuietly(test);
    await ask('ethereum', 'evm_revert', [before]);
    await deposit(bridge, 'USDC', 5_000_000n);
    await mine();
    expect((await turn(test)).obstacle).toBeInstanceOf(ReplacedError);
    await turnQuietly(test);
  });

  // The last tests, since they move the clocks.
  it('waits while the nodes of the origin lag', async () => {
    const height = { shown: 0n };
    const lag: Lie = (method, result, params) => {
      if (method === 'eth_blockNumber') return numberToHex(height.shown);
      return method === 'eth_getLogs' && BigInt((params as never[])[0]!['toBlock']) > height.shown ? [] : result;
    };
    const test = openWatch({ ethereum: [lag, lag, lag] });
    await mine();
    height.shown = (await readNumbers())[0]!;
    await turnQuietly(test);
    await bridge.travel(120);
    const owed = await deposit(bridge, 'USDC', 300_000_000n);
    await deliver(bridge, owed);
    const { judgement } = await turn(test);
    expect({ thefts: judgement?.thefts, waiting: toCodes(judgement?.waiting) }).toEqual({
      thefts: [],
      waiting: ['NO_ORIGIN'],
    });
    height.shown = (await readNumbers())[0]!;
    await turnQuietly(test);
  });

  it('does not pause again for a theft that the admin has seen, but for the next one', async () => {
    const test = openWatch();
    await forgeMint();
    await mine();
    await turn(test);
    expect(await listPaused()).toEqual(SIDES);
    for (const side of SIDES) {
      const args = [(await readPauses(side))[2], true, true] as const;
      const data = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'unpause', args });
      await bridge.send(side, DEPLOYER, { to: getContract(side), data });
    }
    expect(await listPaused()).toEqual([]);
    for (const answered of [test, openWatch()]) {
      const { judgement } = await turn(answered);
      expect(judgement).toMatchObject({ wanted: { ethereum: false, partner: false } });
      expect(toCodes(judgement?.thefts)).toEqual(['NO_ORIGIN']);
    }
    expect(await listPaused()).toEqual([]);
    await bridge.travel(120);
    const { payment, ...rest } = await deposit(bridge, 'USDC', 1_000_000n);
    await deliver(bridge, { ...rest, payment: { ...payment, amount: 7n } });
    await mine();
    await turn(openWatch());
    expect(await listPaused()).toEqual(SIDES);
  });
});
