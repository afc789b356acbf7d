import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startAnvil, startGateway } from '@causeway/test-kit';
import { Inspector } from '../test/setup/inspector.ts';
import { LoadGenerator } from './load.ts';
import { report, slope } from './measure.ts';
import { CHAIN_ID, deployToken, readBodies, signTransfers, subscribe, timeTransfers } from './traffic.ts';

// Measures the growth of the gateway's memory under load on both transports, with subscribers, and a full garbage
// collection each minute. Run it after a build: node bench/memory.bench.ts [--backend embedded|upstream] [--minutes 10]
// [--rate 1000]
const { values } = parseArgs({
  options: {
    backend: { type: 'string', default: 'embedded' },
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '1000' },
    'minute-ms': { type: 'string', default: '60000' },
  },
});
const SUBSCRIBERS = 10;
/** Transfers per account and minute. */
const TRANSFERS = 60;
const MIB = 1024 * 1024;
const minutes = Number(values.minutes);
const durationMs = Number(values['minute-ms']);
const rate = Number(values.rate);

const directory = await mkdtemp(join(tmpdir(), 'gateway-memory-'));
// A block per second: with a block for every transaction, anvil leaves some in its pool under load, even without a
// gateway.
const anvil =
  values.backend === 'upstream' ? await startAnvil({ chainId: CHAIN_ID, args: ['--block-time', '1'] }) : null;
const env =
  anvil === null
    ? { BACKEND: 'embedded', DATA_DIRECTORY: directory, BLOCK_INTERVAL_MS: '1000' }
    : { BACKEND: 'upstream', UPSTREAM_URLS: anvil.url };
const gateway = await startGateway({ ...env, CHAIN_ID: String(CHAIN_ID) }, { execArgv: ['--inspect=127.0.0.1:0'] });
const load = new LoadGenerator();
const batches = new LoadGenerator();
try {
  report.machine();
  const inspector = await Inspector.connect(gateway.printed());
  const subscribers = await Promise.all(Array.from({ length: SUBSCRIBERS }, () => subscribe(gateway.wsUrl)));
  const bodies = readBodies(await deployToken(gateway.httpUrl));
  report.title(`${values.backend}: ${rate} calls /s, half of them in batches; ${SUBSCRIBERS} subscribers`);
  const rss: number[] = [];
  const heap: number[] = [];
  for (let minute = 0; minute <= minutes; minute++) {
    const { rss: all, heapUsed, external } = await inspector.memory();
    const delivered = subscribers.reduce((sum, { received }) => sum + received(), 0);
    report.line(
      `minute ${minute}`,
      `RSS ${mib(all)}  heap ${mib(heapUsed)}  external ${mib(external)} MiB  ${delivered} notifications`,
    );
    // The first minute is a warm-up.
    if (minute > 0) {
      rss.push(all / MIB);
      heap.push(heapUsed / MIB);
    }
    if (minute === minutes) break;
    const first = minute * TRANSFERS;
    const signed = await signTransfers(first, TRANSFERS);
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
