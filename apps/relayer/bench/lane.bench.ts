import { parseArgs } from 'node:util';
import { startBridge, type Mining } from './lane/bench-bridge.ts';
import { bareSender, laneSender, type Sender } from './lane/senders.ts';

// The wallet lane alone, fed with ready calls, against a bare sender: viem, its own signing, a local nonce, pipelined
// requests and no journal. Both pay withdrawals of ETH through the real contract and end on receipts. Run it after a
// build: node bench/lane.bench.ts [--rounds 5] [--only batches]
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string', default: '' } },
});
const rounds = Number(values.rounds);

/** The bare sender pays each withdrawal by a transaction of its own. */
interface Measure {
  readonly name: string;
  readonly mining: Mining;
  /** Withdrawals that each of the two pays in a round. */
  readonly counts: { readonly bare: number; readonly lane: number };
  /** Withdrawals of one transaction of the lane. */
  readonly batch: number;
  readonly goal: number;
}

const MEASURES: readonly Measure[] = [
  { name: 'single calls, automine', mining: 'automine', counts: { bare: 500, lane: 500 }, batch: 1, goal: 0.8 },
  { name: 'batches of 20, automine', mining: 'automine', counts: { bare: 800, lane: 4_000 }, batch: 20, goal: 5 },
  {
    name: 'batches of 20, blocks of 1 s and 60 M gas',
    mining: { blockGas: 60_000_000n },
    counts: { bare: 4_000, lane: 8_000 },
    batch: 20,
    goal: 1.5,
  },
];
/** Calls that a stage hands in together. */
const GROUP = 100;

const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0;
let nextNonce = 1n;

/** Returns withdrawals a second. A round in which the node strands a transaction is repeated. */
async function measure(sender: Sender, count: number, batch: number, repeats = 5): Promise<number> {
  const first = nextNonce;
  nextNonce += BigInt(count);
  const nonces = Array.from({ length: count }, (_, index) => first + BigInt(index));
  await sender.prepare(nonces);
  const startedAt = performance.now();
  const isValid = await sender.pay(nonces, batch);
  const rate = (1_000 * count) / (performance.now() - startedAt);
  await sender.finish();
  if (isValid) return rate;
  if (repeats === 0) throw new Error(`${sender.name}: the node stranded transactions again and again`);
  return measure(sender, count, batch, repeats - 1);
}

const bridge = await startBridge();
const bare = bareSender(bridge);
const lane = await laneSender(bridge, GROUP);
try {
  for (const { name, mining, counts, batch, goal } of MEASURES.filter((each) => each.name.includes(values.only))) {
    const rates: { readonly bare: number; readonly lane: number }[] = [];
    // The first round only warms up.
    for (let round = 0; round <= rounds; round++) {
      await bridge.setMining(mining);
      const rate = { bare: await measure(bare, counts.bare, 1), lane: await measure(lane, counts.lane, batch) };
      if (round > 0) rates.push(rate);
    }
    const [ofBare, ofLane] = [median(rates.map((each) => each.bare)), median(rates.map((each) => each.lane))];
    const ratio = median(rates.map((each) => each.lane / each.bare));
    process.stdout.write(
      `${name}: bare sender ${Math.round(ofBare)} a second, wallet lane ${Math.round(ofLane)} a second, ` +
        `lane / bare sender ${ratio.toFixed(2)} (goal ${goal}), median of ${rounds} rounds\n`,
    );
  }
} finally {
  await lane.stop();
  await bridge.stop();
}
