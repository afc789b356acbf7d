import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { bootEnvironment, DEFAULT_ENVIRONMENT_OPTIONS, type Environment } from '@causeway/testbed';
import { findPercentile, measureLatencies, mintTimes, sendPaced, signDeposits, watchHeads } from './deposits.ts';

// The price of attesting: a bridge with three attesters, of whom two must sign, and one without, in one run and by
// turns. Prints the time from the block that makes a deposit final to the broadcast of its mint, and the difference.
// Run it after a build: node bench/attesting.bench.ts [--operations 60]
const { values } = parseArgs({ options: { operations: { type: 'string', default: '60' } } });
const OPERATIONS = Number(values.operations);
/** Operations of one turn, one a block of a second. */
const TURN = 10;
const CONFIRMATIONS = 2;
const portBase = 30_000 + 20 * Math.floor(Math.random() * 1_000);

const bare = await boot('without attesters', 0, portBase);
const attested = await boot('three attesters', 3, portBase + 10).catch(async (error: unknown) => {
  await bare.stop();
  throw error;
});
try {
  // The attesters wait after their start, and every process loads what it needs.
  await sleep(5_000);
  for (const each of [bare, attested]) await each.turn(TURN);
  const latencies = { bare: [] as number[], attested: [] as number[] };
  for (let done = 0; done < OPERATIONS; done += TURN) {
    latencies.bare.push(...(await bare.turn(TURN)));
    latencies.attested.push(...(await attested.turn(TURN)));
  }
  for (const share of [0.5, 0.99]) {
    const [without, with3] = [findPercentile(latencies.bare, share), findPercentile(latencies.attested, share)];
    process.stdout.write(
      `from the final block to the broadcast, p${100 * share}: ${without} ms without attesters, ${with3} ms with two ` +
        `of three: ${with3 - without} ms more, ratio ${(with3 / without).toFixed(2)}\n`,
    );
  }
} finally {
  await Promise.all([bare.stop(), attested.stop()]);
}

/** Starts a bridge, and returns how it is measured. */
async function boot(title: string, attesters: number, base: number) {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
  const environment: Environment = await bootEnvironment(
    {
      ...DEFAULT_ENVIRONMENT_OPTIONS,
      directory,
      ...(attesters === 0 ? {} : { attesters, threshold: Math.floor(attesters / 2) + 1 }),
      ethereumConfirmations: CONFIRMATIONS,
      partnerConfirmations: CONFIRMATIONS,
      retireAfterSeconds: 86_400,
      portBase: base,
    },
    (step) => process.stderr.write(`${title}: ${step}\n`),
  );
  const heads = watchHeads(environment);
  return {
    turn: async (count: number): Promise<number[]> => {
      const minted = mintTimes(environment, count);
      const hashes = await sendPaced(environment, await signDeposits(environment, count), 1);
      await minted;
      return measureLatencies(environment, hashes, heads.seenAt, CONFIRMATIONS);
    },
    stop: async (): Promise<void> => {
      await heads.end();
      await environment.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
