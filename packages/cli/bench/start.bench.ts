import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

// The start of `causeway quote --json` beside a script of one fetch, against the same server: ratio of the medians, in
// alternating runs. Run it after a build: node bench/start.bench.ts [--runs 20] [--node <another Node>]
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '20' }, node: { type: 'string', default: process.execPath } },
});
const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const GOAL = 2;

const QUOTE = {
  token: 'USDC',
  direction: 'PARTNER_TO_ETHEREUM',
  inputAmount: '50000000',
  inputAmountFormatted: '50',
  feeAmount: '5000000',
  feeAmountFormatted: '5',
  feeBps: 25,
  outputAmount: '45000000',
  outputAmountFormatted: '45',
  minimumAmount: '10000000',
  maximumAmount: '1000000000000',
  availableAmount: '1000000000',
  availableAmountFormatted: '1000',
  paused: false,
  deliverable: true,
  undeliverableReason: null,
  deliverableAt: null,
  estimatedSeconds: 3_756,
};

/** Runs a program, and returns its milliseconds. */
async function time(words: readonly string[]): Promise<number> {
  const begun = performance.now();
  const child = spawn(values.node, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  const tookMs = performance.now() - begun;
  if (code !== 0 || !output.includes('"outputAmount"'))
    throw new Error(`${words.join(' ')} ended with ${String(code)}`);
  return tookMs;
}

const getMedian = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

const server = createServer((_, response) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(QUOTE));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
const query = `${api}/bridge/fee-quote?token=USDC&amount=50&direction=PARTNER_TO_ETHEREUM`;
const bare = `const answer = await fetch('${query}'); console.log(JSON.stringify(await answer.json()));`;

const times = { bare: [] as number[], causeway: [] as number[] };
for (let run = 0; run < Number(values.runs); run += 1) {
  times.bare.push(await time(['--input-type=module', '--eval', bare]));
  times.causeway.push(await time([MAIN, 'quote', 'USDC', '50', '--to', 'ethereum', '--json', '--api', api]));
}
server.close();
const [ofBare, ofCommand] = [getMedian(times.bare), getMedian(times.causeway)];
process.stdout.write(
  `causeway quote --json / a bare script: ${(ofCommand / ofBare).toFixed(2)} (goal: at most ${GOAL}; ` +
    `${ofCommand.toFixed(0)} ms / ${ofBare.toFixed(0)} ms)\n`,
);
