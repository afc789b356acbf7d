import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { bytesToHex, keccak256, stringToHex, toRlp, type Hex } from 'viem';
import { openChainDatabase } from '../src/db/open-database.js';
import { ChainReader } from '../src/blocks/chain-reader.js';
import { minimal, naiveStateRoot } from './flat-state.js';
import { naiveTrieRoot } from './naive-trie.js';

/** How often a chain is killed in all. */
const KILLS = 100;
/** Chains that live and die side by side. */
const LANES = 2;
/** The longest that a chain lives after its first block, in milliseconds. */
const LONGEST_LIFE = 100;
/** One of so many is killed while it starts, at the latest after so many milliseconds. */
const EARLY_ONE_OF = 5;
const LATEST_EARLY = 800;
const KEYS = ['one', 'two', 'three'].map((name) => keccak256(stringToHex(`sender ${name}`)));
const CHILD = new URL('./chain-under-load.ts', import.meta.url);

interface ToldBlock {
  readonly number: number;
  readonly hash: Hex;
  readonly receipts: readonly { hash: Hex; status: number; gasUsed: string; logs: number }[];
}
type Told = ToldBlock | { readonly failure: string };

it('nothing that was said to be mined is lost when the process is killed, and the chain goes on', async () => {
  const told = await Promise.all(Array.from({ length: LANES }, () => killAgainAndAgain(KILLS / LANES)));
  for (const transactions of told) expect(transactions).toBeGreaterThan(KILLS / LANES);
}, 600_000);

/** @returns how many transactions were said to be mined. */
async function killAgainAndAgain(kills: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'partner-chain-kill-'));
  let transactions = 0;
  let checked = 0;
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const isEarly = kill % EARLY_ONE_OF === EARLY_ONE_OF - 1;
      const told = await runAndKill(directory, isEarly);
      // It went on from where it was.
      if (!isEarly) expect(told).not.toHaveLength(0);
      if (told[0] !== undefined) expect(told[0].number).toBe(checked + 1);
      for (const { receipts } of told) transactions += receipts.length;
      checked = await check(directory, told, checked);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return transactions;
}

/** Lets a chain live for a moment after its first block, or not even that long. */
async function runAndKill(directory: string, isEarly: boolean): Promise<ToldBlock[]> {
  const child = fork(CHILD, [directory, ...KEYS], { execArgv: [] });
  const told: Told[] = [];
  const exit = once(child, 'exit');
  try {
    await new Promise<void>((resolve, reject) => {
      if (isEarly) setTimeout(resolve, Math.random() * LATEST_EARLY);
      child.on('message', (message: Told) => {
        if (told.push(message) === 1 && !isEarly) setTimeout(resolve, Math.random() * LONGEST_LIFE);
      });
      child.on('exit', (code) => reject(new Error(`the chain ended by itself, with ${code}`)));
    });
  } finally {
    child.kill('SIGKILL');
  }
  await exit;
  const failures = told.filter((each) => 'failure' in each);
  expect(failures).toEqual([]);
  return told.filter((each) => 'number' in each);
}

/**
 * Everything that was told is there, every block since the last check follows from the one before, and the newest is
 * consistent.
 *
 * @returns the number of the newest block.
 */
async function check(directory: string, told: readonly ToldBlock[], checked: number): Promise<number> {
  const reader = new ChainReader(openChainDatabase(directory, { readOnly: true }));
  try {
    const head = reader.headNumber()!;
    expect(head).toBeGreaterThanOrEqual(told.at(-1)?.number ?? checked);
    for (const { number, hash, receipts } of told) {
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
      expect(reader.numberOf(block.hash)).toBe(number);
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
