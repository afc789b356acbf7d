import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getToken } from '@causeway/protocol';
import { connectBridge, deposit, fromViem } from '@causeway/sdk';
import { bootEnvironment, DEFAULT_ENVIRONMENT_OPTIONS } from '@causeway/testbed';
import { startRpcProxy } from '@causeway/test-kit';
import { createWalletClient, http, parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { depositByHand } from '../test/sdk/by-hand.ts';

// Compares deposits of the SDK with the shortest viem scripts, in turn on one bridge: JSON-RPC calls, and time until
// the transaction is mined. Run it after a build: node bench/sdk.bench.ts

const ROUNDS = 15;
const POLL_MS = 50;
const AMOUNTS = { ETH: parseEther('0.01'), USDC: 1_000_000n } as const;

const directory = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
const environment = await bootEnvironment(
  { ...DEFAULT_ENVIRONMENT_OPTIONS, directory, portBase: 30_000 + 10 * Math.floor(Math.random() * 1_000) },
  (step) => process.stderr.write(`${step}\n`),
);
const { stack, book, ethereum, accounts } = environment;
let calls = 0;
const proxy = await startRpcProxy(stack.ethereum.rpcUrl, {
  beforeNode: (methods) => {
    calls += methods.length;
    return Promise.resolve(true);
  },
});
const account = privateKeyToAccount(accounts.alice.privateKey);
const { chain } = ethereum.getWallet(accounts.alice);
const bridge = connectBridge({ apiUrl: stack.apiUrl });
const wallet = fromViem(createWalletClient({ account, transport: http(proxy.url) }));

type Asset = keyof typeof AMOUNTS;
const bySdk = async (asset: Asset): Promise<unknown> =>
  deposit(bridge, wallet, { asset, amount: AMOUNTS[asset], recipient: account.address }, { pollMs: POLL_MS });
const byHand = async (asset: Asset): Promise<unknown> =>
  depositByHand({
    account,
    chain,
    rpcUrl: proxy.url,
    bridgeLock: book.ethereum.bridgeLock,
    ...(asset === 'ETH' ? {} : { token: getToken(book, 'ethereum', asset) }),
    amount: AMOUNTS[asset],
    pollMs: POLL_MS,
  });

/** Milliseconds and calls of a deposit. */
interface Measure {
  readonly ms: number;
  readonly calls: number;
}

async function measure(make: (asset: Asset) => Promise<unknown>, asset: Asset): Promise<Measure> {
  const [before, startedAt] = [calls, performance.now()];
  await make(asset);
  return { ms: performance.now() - startedAt, calls: calls - before };
}

function findMedian(measures: readonly Measure[]): Measure {
  const pick = (name: keyof Measure) =>
    measures.map((each) => each[name]).toSorted((a, b) => a - b)[Math.floor(measures.length / 2)] ?? Number.NaN;
  return { ms: pick('ms'), calls: pick('calls') };
}

async function compare(title: string, asset: Asset): Promise<void> {
  const hands: Measure[] = [];
  const sdks: Measure[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    hands.push(await measure(byHand, asset));
    sdks.push(await measure(bySdk, asset));
  }
  const [hand, sdk] = [findMedian(hands), findMedian(sdks)];
  process.stdout.write(
    `${title}, a deposit of ${asset}: ${sdk.ms.toFixed(0)} ms with the SDK, ${hand.ms.toFixed(0)} ms by hand, ` +
      `ratio ${(sdk.ms / hand.ms).toFixed(2)}; ${sdk.calls} and ${hand.calls} calls of JSON-RPC\n`,
  );
}

try {
  // Warm-up: the first call of a connection takes longer.
  await bySdk('ETH');
  await byHand('ETH');
  for (const asset of ['ETH', 'USDC'] as const) await compare('a block each second', asset);
  await ethereum.test.setAutomine(true);
  for (const asset of ['ETH', 'USDC'] as const) await compare('mined immediately', asset);
} finally {
  await proxy.close();
  await environment.stop();
  rmSync(directory, { recursive: true, force: true });
}
