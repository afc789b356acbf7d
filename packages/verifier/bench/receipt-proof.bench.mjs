import { numberToHex, toRlp } from 'viem';
import { buildIndexTrie, verifyReceiptProof } from '../dist/index.js';

// How long the proof of one receipt takes, in a block of Ethereum's size: 200 receipts with 3 logs each.
const RECEIPTS = 200;
const RUNS = 2_000;

const word = (value) => numberToHex(value, { size: 32 });
const log = (value) => [numberToHex(value, { size: 20 }), [word(1), word(2), word(value)], `0x${'ab'.repeat(96)}`];
const receipts = Array.from({ length: RECEIPTS }, (_, index) =>
  toRlp(['0x01', numberToHex(21_000 * (index + 1)), `0x${'00'.repeat(256)}`, [log(1), log(2), log(index + 3)]]),
);

const started = performance.now();
const { root, findPath } = buildIndexTrie(receipts);
const built = performance.now() - started;
const paths = receipts.map((_, index) => findPath(index));
for (let run = 0; run < RUNS; run += 1) verifyReceiptProof(root, run % RECEIPTS, paths[run % RECEIPTS]);
const times = Array.from({ length: RUNS }, (_, run) => {
  const from = performance.now();
  verifyReceiptProof(root, run % RECEIPTS, paths[run % RECEIPTS]);
  return performance.now() - from;
}).toSorted((a, b) => a - b);
const at = (share) => (times[Math.floor(share * RUNS)] ?? 0).toFixed(3);
process.stdout.write(`build of ${RECEIPTS} receipts: ${built.toFixed(1)} ms\n`);
process.stdout.write(`proof of one receipt: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms\n`);
