import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bed } from './bed.ts';
import { Section } from './runbook.ts';

/** The steps of a person with a database that is behind the chains. */
const PAGE = Section.read('runbook.md', 'Restoring an old copy of the database');

const WAITS = 'the wallet has nonces that the database lacks';
/** Ten minutes in production. */
const QUIET = { RECONCILE_QUIET_MS: '3000' };
const LOOK_MS = 3_000;
const TRY_AGAIN_MS = 500;

/** How often the relayer has begun to wait for a reconciliation. */
export function countWaits({ directory }: Bed): number {
  return readFileSync(join(directory, 'logs', 'relayer.log'), 'utf8').split(WAITS).length - 1;
}

/** Waits until the running relayer waits for a reconciliation, and checks that it sends nothing. */
export async function untilItWaits(bed: Bed, before: number): Promise<void> {
  await bed.until('the relayer waits for a reconciliation', () => countWaits(bed) > before);
  await bed.check('a waiting relayer sends nothing', async () => {
    const sent = await countSent(bed);
    await sleep(LOOK_MS);
    assert.deepEqual(await countSent(bed), sent);
  });
}

/** Compares the database with the chains, and ends the state by the page. */
export async function reconcile(bed: Bed): Promise<void> {
  await bed.run(PAGE, 'relayer reconcile');
  const finish = PAGE.command('relayer reconcile finish');
  while ((await bed.try(finish, QUIET)).code !== 0) await sleep(TRY_AGAIN_MS);
}

/** Resumes what is halted, as the page says, without accepting anything. */
export async function resume(bed: Bed): Promise<void> {
  const { output } = await bed.environment.relayerCommand('halts');
  if (!output.includes('Nothing is halted')) await bed.run(PAGE, 'relayer resume', 'deliveries');
}

async function countSent({ environment: { ethereum, partner, book } }: Bed): Promise<readonly number[]> {
  const wallet = { address: book.relayer, blockTag: 'pending' } as const;
  return Promise.all([ethereum, partner].map(async ({ client }) => client.getTransactionCount(wallet)));
}
