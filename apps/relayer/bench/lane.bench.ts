import { parseArgs } from 'node:util';
import { connectChain, laneChain, localSigner, WalletLane, type CallRequest } from '@causeway/chain';
import { migrate, openStore, type CallSubject } from '@causeway/store';
import { startAnvil, temporaryDatabase, testAccount, testKey } from '@causeway/test-kit';
import { createPublicClient, http, type Hex } from 'viem';
import { StoredJournal, type LaneCall } from '../dist/wallet/lane-journal.js';

// The wallet lane alone, fed with ready calls, against a bare sender: viem, its own signing, a local nonce, pipelined
// requests and no journal. Both end on receipts. Run it after a build: node bench/lane.bench.ts [--calls 1000]
const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '1000' },
    group: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '5' },
  },
});
const [calls, group, rounds] = [Number(values.calls), Number(values.group), Number(values.rounds)];
const PIPELINED = 50;
const GAS = 30_000n;
const FEES = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n };
const recipient = testAccount(9).address;

const anvil = await startAnvil();
const database = await temporaryDatabase();
await migrate(database.url);
const store = openStore({ databaseUrl: database.url, onIdleError: () => undefined });
const connection = connectChain({
  name: 'bench',
  chainId: anvil.chain.id,
  urls: [anvil.url],
  headUrls: [],
  quorum: 1,
  confirmations: 1,
  report: () => undefined,
});
const fence = await store.lease.acquire('bench', 'bench', 3_600_000);
if (fence === null) throw new Error('A new database has no lease to wait for');
await store.scan.begin(fence, anvil.chain.id, 1n);

/** Sends with the bare sender. Returns calls per second. */
async function sendBare(): Promise<number> {
  const account = testAccount(1);
  const client = createPublicClient({ transport: http(anvil.url), pollingInterval: 10 });
  const first = await client.getTransactionCount({ address: account.address });
  const startedAt = performance.now();
  const hashes = await inParallel(calls, PIPELINED, async (index) => {
    const call = { to: recipient, value: 1n, gas: GAS, nonce: first + index, chainId: anvil.chain.id } as const;
    const raw = await account.signTransaction({ type: 'eip1559', ...call, ...FEES });
    return client.sendRawTransaction({ serializedTransaction: raw });
  });
  await allMined(hashes);
  return (1_000 * calls) / (performance.now() - startedAt);
}

/** Sends through the lane, in groups as a stage hands them in. Returns calls per second. */
async function sendThroughLane(): Promise<number> {
  const signer = localSigner(testKey(2));
  const wallet = { chainId: anvil.chain.id, address: signer.address.toLowerCase() as Hex };
  const now = () => Date.now();
  const most = 10n ** 30n;
  const lane = new WalletLane<CallSubject, LaneCall>({
    chain: laneChain(connection, signer.address),
    signer,
    now,
    limits: { gasReserve: 0n, maxFeePerGas: most, maxFeePerDelivery: most, maxDailyFees: most },
    replaceAfterMs: 60_000,
    confirmations: 1,
    log: (message, fields) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
  });
  if (fence === null) throw new Error('No lease');
  const journal = new StoredJournal(store, fence, wallet, { side: 'ethereum', bridge: recipient }, now);
  const startedAt = performance.now();
  const groups = await inParallel(Math.ceil(calls / group), 3, (index) => {
    const size = Math.min(group, calls - index * group);
    return lane.submit(journal, Array.from({ length: size }, aRequest));
  });
  const hashes = groups.flat().map((submission) => {
    if (submission.kind !== 'sent') throw new Error(`The lane did not send a call: ${JSON.stringify(submission)}`);
    return submission.hash;
  });
  await allMined(hashes);
  const perSecond = (1_000 * calls) / (performance.now() - startedAt);
  // Ends the calls, so that the next round begins with an empty lane.
  while (await lane.follow(journal, async () => 'send')) {
    // Each turn ends a hundred.
  }
  return perSecond;
}

function aRequest(): CallRequest<CallSubject> {
  return { to: recipient, data: '0x', value: 1n, gas: GAS, deliveries: 1, subject: { purpose: 'NONCE_GAP' } };
}

async function allMined(hashes: readonly Hex[]): Promise<void> {
  await inParallel(hashes.length, PIPELINED, async (index) => {
    const hash = hashes[index];
    if (hash !== undefined) await anvil.client.waitForTransactionReceipt({ hash });
  });
}

/** Runs `work` for 0 to `count - 1`, at most `width` at a time. */
async function inParallel<T>(count: number, width: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const run = async () => {
    while (next < count) {
      const index = next++;
      results[index] = await work(index);
    }
  };
  await Promise.all(Array.from({ length: width }, run));
  return results;
}

const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0;

const rates: { bare: number[]; lane: number[] } = { bare: [], lane: [] };
for (let round = 0; round < rounds; round++) {
  rates.bare.push(await sendBare());
  rates.lane.push(await sendThroughLane());
}
const [bare, lane] = [median(rates.bare), median(rates.lane)];
process.stdout.write(
  `${calls} calls, groups of ${group}, median of ${rounds} rounds\n` +
    `bare sender ${Math.round(bare)} a second, wallet lane ${Math.round(lane)} a second\n` +
    `lane / bare sender: ${(lane / bare).toFixed(2)} (goal 0.8)\n`,
);
connection.close();
await store.close();
await database.stop();
await anvil.stop();
