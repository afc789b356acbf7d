import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import type { AttestItem } from '@causeway/protocol/attest';
import { isLong, seed, waitUntil } from '@causeway/test-kit';
import type { TransactionReceipt } from 'viem';
import { freePort, temporaryEnvironment, type TestEnvironment } from '../temporary-environment.js';
import { Campaign } from './campaign.js';
import { getDomain } from './consent.js';
import {
  findBlockAt,
  findExcuse,
  findPause,
  findRefusal,
  format,
  printTable,
  snapshot,
  toOutflow,
  toTerms,
} from './execution.js';
import { FORGED_CONSENTS } from './forged-consents.js';
import { FORGED_DELIVERIES } from './forged-deliveries.js';
import { FORGED_REFUNDS } from './forged-refunds.js';
import { BASES, choose, type Base, type Forgery, type Honest, type Scene } from './forgery.js';
import { prepare, type Prepared } from './prepare.js';
import { sendAll, type Call, type Side } from './transactions.js';

// A thief has the relayer's key, and as many attester keys as must sign. Another organisation runs a watchtower.

const SIDES = ['ethereum', 'partner'] as const;
const ALL = [...FORGED_DELIVERIES, ...FORGED_REFUNDS, ...FORGED_CONSENTS];
/** Number of forgeries in a short run. */
const SOME = 12;
const [ATTESTERS, THRESHOLD] = [3, 2];
/** As short as the partner chain's. */
const BLOCK_SECONDS = 2;
/** Most blocks of each chain from the forged delivery to the pause. */
const MOST_BLOCKS = 2n;
const PATIENCE = { timeoutMs: 20_000 };

const SEED = seed();
const forgeries = isLong ? ALL : choose(ALL, SOME, SEED);
let environment: TestEnvironment;
let campaign: Campaign;
let prepared: Prepared;
let scene: Scene;
let port: number;
let starts = 0;
const rows: (readonly string[])[] = [['forgery', 'paid', 'outflow room', 'result']];

/** A forgery as the thief's transaction. */
interface Theft {
  readonly forgery: Forgery;
  readonly side: Side;
  readonly call: Call;
  /** Forged items that the contract pays. */
  readonly forged: readonly AttestItem[];
  /** Why the watchtower does not pause; null when it must. */
  readonly harmless: string | null;
}

beforeAll(async () => {
  environment = await temporaryEnvironment({
    attesters: ATTESTERS,
    threshold: THRESHOLD,
    firstDeposits: true,
    holdSeconds: 1,
    ethereumConfirmations: 2,
    partnerConfirmations: 2,
    ethereumBlockSeconds: BLOCK_SECONDS,
    partnerBlockSeconds: BLOCK_SECONDS,
  });
  port = await freePort();
  campaign = await Campaign.begin(environment);
  for (let index = 1; index <= ATTESTERS; index += 1) await environment.processes.kill(`attester-${index}`);
  const mallory = environment.accounts.auditor;
  const counts = Object.fromEntries(
    BASES.map((base) => [base, 2 + forgeries.filter((one) => one.base === base).length]),
  ) as Record<Base, number>;
  prepared = await prepare(environment, mallory, counts);
  scene = { environment, mallory, others: pick(1), made: prepared.made };
});
afterAll(async () => {
  printTable(rows);
  campaign?.exchange.stop();
  await environment?.stop();
});

const pick = (place: number): Honest =>
  Object.fromEntries(BASES.map((base) => [base, prepared.honest[base][place]!])) as unknown as Honest;

/** Makes the thief's transaction, whose attestation ends soon. The honest item of a forgery is that of no other. */
async function prepareTheft(forgery: Forgery): Promise<Theft> {
  const place = 2 + forgeries.filter(({ base }) => base === forgery.base).indexOf(forgery);
  const honest = { ...scene.others, [forgery.base]: prepared.honest[forgery.base][place]! };
  const request = await forgery.forge(honest, scene);
  const { side, call } = await campaign.encodeAttempt(request, (_, quorum) => quorum);
  const owed = new Set([...Object.values(honest), ...Object.values(scene.others)].map(toTerms));
  const forged = request.asked.filter((item) => !owed.has(toTerms(item)));
  const refusal = await findRefusal(environment, side, call);
  const excuses = forged.map((item) => findExcuse(item, honest[forgery.base]));
  const excuse = excuses.includes(null) ? null : (excuses[0] ?? 'pays what is owed');
  const harmless = refusal === null ? excuse : `the contract refuses it: ${refusal}`;
  return { forgery, side, call, forged, harmless };
}

/** Sends transactions of the thief, and returns their receipts. */
async function send(thefts: readonly Theft[], side: Side): Promise<readonly TransactionReceipt[]> {
  const calls = thefts.filter((theft) => theft.side === side).map(({ call }) => call);
  return sendAll(environment, side, environment.accounts.relayer, calls);
}

const findPauses = async (from: Readonly<Record<Side, bigint>>) => ({
  ethereum: await findPause(environment, 'ethereum', from.ethereum),
  partner: await findPause(environment, 'partner', from.partner),
});

const readHeads = async () => ({
  ethereum: await environment.ethereum.client.getBlockNumber(),
  partner: await environment.partner.client.getBlockNumber(),
});

/** Waits for more blocks of both chains. */
async function untilBlocks(count: bigint): Promise<void> {
  const from = await readHeads();
  await waitUntil('there are more blocks', async () => {
    const heads = await readHeads();
    return SIDES.every((side) => heads[side] >= from[side] + count);
  });
}

/** The codes for which the latest watchtower paused the bridge; empty until it has logged them. */
function readCodes(): string {
  const [, log = ''] =
    /.*"msg":"started"(.*)/s.exec(readFileSync(join(environment.stack.logs, 'watchtower.log'), 'utf8')) ?? [];
  const lines = log.split('\n').filter((line) => line.includes('The bridge is paused.'));
  return [...new Set(lines.map((line) => /"code":"(\w+)"/.exec(line)?.[1]))].join(', ');
}

/** Starts a watchtower that has seen nothing yet, and waits until it judges. */
async function startWatchtower(): Promise<void> {
  starts += 1;
  const DATA_DIRECTORY = join(dirname(environment.stack.addressBookFile), `watchtower-${starts}`);
  environment.startService('watchtower', 'watchtower', { METRICS_PORT: `${port}`, DATA_DIRECTORY });
  await waitUntil('the watchtower judges', async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok);
}

/** Runs work on a bridge with a watchtower, and restores both chains. */
async function watched(work: () => Promise<void>): Promise<void> {
  const restore = await snapshot(environment);
  await startWatchtower();
  await work();
  await environment.processes.kill('watchtower');
  await restore();
}

/** Executes a theft. Returns whether both chains were paused in time. */
async function steal(theft: Theft): Promise<boolean> {
  const { side, forgery, forged, harmless } = theft;
  const { symbol, token, amount } = toOutflow(forged[0]!, side, environment);
  const lock = { address: getDomain(environment.book, side).contract, abi: bridgeLockAbi } as const;
  const { client } = environment[side];
  const room = await client.readContract({ ...lock, functionName: 'outflowRoom', args: [token] });
  const [receipt] = await send([theft], side);
  const { status, blockNumber } = receipt!;
  expect({ name: forgery.name, harmless, status }).toEqual({ name: forgery.name, harmless: null, status: 'success' });
  const { timestamp } = await client.getBlock({ blockNumber });
  const other = side === 'ethereum' ? 'partner' : 'ethereum';
  const from = { [other]: await findBlockAt(environment, other, timestamp), [side]: blockNumber } as Record<
    Side,
    bigint
  >;
  const find = async () => {
    const { ethereum, partner } = await findPauses(from);
    if (ethereum === null || partner === null) return null;
    return { ethereum: ethereum - from.ethereum, partner: partner - from.partner };
  };
  const blocks = await waitUntil('both chains are paused', find, PATIENCE).catch(() => null);
  const codes = await waitUntil('the watchtower says why', async () => readCodes(), PATIENCE).catch(() => 'no reason');
  const result =
    blocks === null
      ? 'is not paused'
      : `${codes}: paused after ${blocks.ethereum} blocks of Ethereum, ${blocks.partner} of the partner chain`;
  rows.push([forgery.name, format(amount, symbol), format(room, symbol), result]);
  return blocks !== null && SIDES.every((one) => blocks[one] <= MOST_BLOCKS);
}

describe('a thief with the keys of the relayer and of as many attesters as must sign', () => {
  let thefts: readonly Theft[];

  it(`is not paused for what is owed or refused (TEST_SEED=${SEED})`, async () => {
    const all = await Promise.all(forgeries.map(prepareTheft));
    thefts = all.filter(({ harmless }) => harmless === null);
    const others = all.filter(({ harmless }) => harmless !== null);
    await watched(async () => {
      const from = await readHeads();
      await Promise.all(SIDES.map(async (side) => send(others, side)));
      for (const { forgery, harmless } of others) rows.push([forgery.name, '', '', harmless!]);
      await untilBlocks(MOST_BLOCKS + 1n);
      expect(await findPauses(from)).toEqual({ ethereum: null, partner: null });
    });
  }, 600_000);

  it('is paused on both chains after any other forged delivery', async () => {
    const late: string[] = [];
    for (const { forgery } of thefts)
      await watched(async () => {
        if (!(await steal(await prepareTheft(forgery)))) late.push(forgery.name);
      });
    expect(late).toEqual([]);
  }, 3_600_000);
});
