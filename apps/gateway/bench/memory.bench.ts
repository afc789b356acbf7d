import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { forkGateway } from '../test/processes/fork-gateway.ts';
import { Inspector } from '../test/processes/inspector.ts';
import { deployToken } from './deploy-token.ts';
import { LoadGenerator } from './load-generator.ts';
import { readBodies } from './read-bodies.ts';
import { report } from './report.ts';
import { signTransfers } from './sign-transfers.ts';
import { slope } from './slope.ts';
import { startAnvil } from './start-anvil.ts';
import { subscribe } from './subscribe.ts';
import { timeTransfers } from './time-transfers.ts';

// Whether the gateway grows: load on every way in, with subscribers that read everything, and what is left after a full garbage collection each
// minute. Run it after a build: node bench/memory.bench.ts [--backend embedded|upstream] [--minutes 10] [--rate 1000]
const { values } = parseArgs({
  options: {
    backend: { type: 'string', default: 'embedded' },
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '1000' },
    'minute-ms': { type: 'string', default: '60000' },
  },
});
const CHAIN_ID = 8901;
const SUBSCRIBERS = 10;
/** What each account sends in a minute. */
const TRANSFERS = 60;
const MIB = 1024 * 1024;
const minutes = Number(values.minutes);
const durationMs = Number(values['minute-ms']);
const rate = Number(values.rate);

const directory = await mkdtemp(join(tmpdir(), 'gateway-memory-'));
// A block a second: an anvil that makes one for every transaction leaves some in its pool when many come in (seen without a gateway too).
const anvil =
  values.backend === 'upstream' ? await startAnvil(['--chain-id', String(CHAIN_ID), '--block-time', '1']) : null;
const env =
  anvil === null
    ? { BACKEND: 'embedded', DATA_DIRECTORY: directory, BLOCK_INTERVAL_MS: '1000' }
    : { BACKEND: 'upstream', UPSTREAM_URLS: anvil.url };
const gateway = await forkGateway({ ...env, CHAIN_ID: String(CHAIN_ID) }, ['--inspect=127.0.0.1:0']);
const load = new LoadGenerator();
const batches = new LoadGenerator();
try {
  report.machine();
  const inspector = await Inspector.connect(gateway.printed());
  const subscribers = await Promise.all(Array.from({ length: SUBSCRIBERS }, () => subscribe(gateway.wsUrl)));
  const bodies = readBodies(await deployToken(gateway.httpUrl, CHAIN_ID));
  report.title(`${values.backend}: ${rate} calls /s, half of them in batches; ${SUBSCRIBERS} subscribers`);
  const rss: number[] = [];
  const heap: number[] = [];
  for (let minute = 0; minute <= minutes; minute++) {
    const { rss: all, heapUsed, external } = await inspector.memory();
    const told = subscribers.reduce((sum, { received }) => sum + received(), 0);
    report.line(
      `minute ${minute}`,
      `RSS ${mib(all)}  heap ${mib(heapUsed)}  external ${mib(external)} MiB  ${told} notifications`,
    );
    // The first minute warms it up.
    if (minute > 0) {
      rss.push(all / MIB);
      heap.push(heapUsed / MIB);
    }
    if (minute === minutes) break;
    const first = minute * TRANSFERS;
    const signed = await signTransfers(CHAIN_ID, first, TRANSFERS);
    const job = { url: gateway.httpUrl, connections: 20, durationMs };
    await Promise.all([
      load.run({ ...job, bodies: [...bodies.call, ...bodies.blockNumber], rate: rate / 2 }),
      batches.run({ ...job, bodies: bodies.mixedBatch, rate: rate / 200 }),
      timeTransfers(gateway.httpUrl, signed, first + TRANSFERS),
    ]);
  }
  report.line('RSS a minute', `${slope(rss).toFixed(3)} MiB`);
  report.line('heap a minute', `${slope(heap).toFixed(3)} MiB`);
  for (const subscriber of subscribers) subscriber.close();
  inspector.close();
} finally {
  load.stop();
  batches.stop();
  await gateway.stop();
  await anvil?.stop();
  await rm(directory, { recursive: true, force: true });
}

function mib(bytes: number): string {
  return (bytes / MIB).toFixed(1).padStart(7);
}
