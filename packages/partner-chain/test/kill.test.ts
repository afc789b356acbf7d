import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLong } from '@causeway/test-kit';
import { expect, it } from '@jest/globals';
import { bytesToHex, keccak256, stringToHex, toRlp, type Hex } from 'viem';
import { openChainDatabase } from '../src/db/open-database.js';
import { ChainReader } from '../src/blocks/chain-reader.js';
import { minimal, naiveStateRoot, naiveTrieRoot } from './flat-state.js';

// Kills only the chain. e2e/chaos kills the whole bridge, and does not notice a block that a kill interrupts.

/** The number of kills. The nightly workflow runs the full length (script `test:long`). */
const KILLS = isLong ? 100 : 10;
/** Seed of the times of the kills. */
const SEED = isLong ? Date.now() : 7;
/** Chains that run and are killed in parallel. */
const LANES = 2;
/** Maximum milliseconds that a chain runs after its first block. */
const LONGEST_LIFE = 100;
/** One in five chains is killed during its start, after at most `LATEST_EARLY` milliseconds. */
const EARLY_ONE_OF = 5;
const LATEST_EARLY = 800;
const random = generator(SEED);
const KEYS = ['one', 'two', 'three'].map((name) => keccak256(stringToHex(`sender ${name}`)));
const CHILD = new URL('./chain-under-load.ts', import.meta.url);

interface AnnouncedBlock {
  readonly number: number;
  readonly hash: Hex;
  readonly receipts: readonly { hash: Hex; status: number; gasUsed: string; logs: number }[];
}
type Announcement = AnnouncedBlock | { readonly failure: string };

it('no announced transaction is lost if the process is killed, and the chain continues', async () => {
  const announced = await Promise.all(Array.from({ length: LANES }, () => killAgainAndAgain(KILLS / LANES)));
  for (const transactions of announced) expect(transactions).toBeGreaterThan(KILLS / LANES);
}, 600_000);

/** @returns the number of announced transactions. */
async function killAgainAndAgain(kills: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'partner-chain-kill-'));
  let transactions = 0;
  let checked = 0;
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const isEarly = kill % EARLY_ONE_OF === EARLY_ONE_OF - 1;
      const announced = await runAndKill(directory, isEarly);
      // The chain continued from its newest block.
      if (!isEarly) expect(announced).not.toHaveLength(0);
      if (announced[0] !== undefined) expect(announced[0].number).toBe(checked + 1);
      for (const { receipts } of announced) transactions += receipts.length;
      checked = await check(directory, announced, checked);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return transactions;
}

/** Kills a chain shortly after its first block, or before it. */
async function runAndKill(directory: string, isEarly: boolean): Promise<AnnouncedBlock[]> {
  const child = fork(CHILD, [directory, ...KEYS], { execArgv: [] });
  const announced: Announcement[] = [];
  const exit = once(child, 'exit');
  try {
    await new Promise<void>((resolve, reject) => {
      if (isEarly) setTimeout(resolve, random() * LATEST_EARLY);
      child.on('message', (message: Announcement) => {
        if (announced.push(message) === 1 && !isEarly) setTimeout(resolve, random() * LONGEST_LIFE);
      });
      child.on('exit', (code) => reject(new Error(`the chain ended with code ${code}`)));
    });
  } finally {
    child.kill('SIGKILL');
  }
  await exit;
  const failures = announced.filter((each) => 'failure' in each);
  expect(failures).toEqual([]);
  return announced.filter((each) => 'number' in each);
}

/**
 * Checks that all announced blocks are on disk, that each block since the last check follows its parent, and that the
 * newest block is consistent.
 *
 * @returns the number of the newest block.
 */
async function check(directory: string, announced: readonly AnnouncedBlock[], checked: number): Promise<number> {
  const reader = new ChainReader(openChainDatabase(directory, { readOnly: true }));
  try {
    const head = reader.headNumber()!;
    expect(head).toBeGreaterThanOrEqual(announced.at(-1)?.number ?? checked);
    for (const { number, hash, receipts } of announced) {
      expect(bytesToHex(reader.block(number)!.hash)).toBe(hash);
      const kept = reader.receipts(number).map(({ status, gasUsed, logs }, index) => ({
        hash: keccak256(reader.transactionAt(number, index)!.raw),
        status,
        gasUsed: gasUsed.toString(),
        logs: logs.length,
      }));
      expect(kept).toEqual(receipts);
    }
    for (let number = checked + 1; number <= head; number += 1) {
      const block = reader.block(number)!;
      expect(bytesToHex(block.header.parentHash)).toBe(bytesToHex(reader.block(number - 1)!.hash));
      expect(reader.findNumber(block.hash)).toBe(number);
      const transactions = reader.transactions(number);
      const root = naiveTrieRoot(
        transactions.map(({ raw }, index) => [toRlp(minimal(BigInt(index))), bytesToHex(raw)]),
      );
      expect(bytesToHex(block.header.transactionsRoot)).toBe(root);
      expect(reader.receipts(number)).toHaveLength(transactions.length);
      expect(transactions.every((_, index) => reader.calls(number, index) !== null)).toBe(true);
    }
    expect(reader.block(head + 1)).toBeNull();
    expect(reader.transactions(head + 1)).toEqual([]);
    expect(bytesToHex(reader.block(head)!.header.stateRoot)).toBe(naiveStateRoot(reader.database));
    return head;
  } finally {
    await reader.database.root.close();
  }
}

/** Mulberry32: reproducible numbers from 0 to 1. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
