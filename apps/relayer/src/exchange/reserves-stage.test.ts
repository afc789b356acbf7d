import { beforeEach, expect, it } from '@jest/globals';
import type { Fence, PublishedReserves } from '@causeway/store';
import { aHash, anAddress } from '@causeway/test-kit';
import { zeroHash, type Address } from 'viem';
import type { BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { Board } from './board.js';
import { ReservesStage } from './reserves-stage.js';

const DAY = 20_000n;
const DAY_MS = 86_400_000;
const members: readonly Address[] = [anAddress(), anAddress(), anAddress()];
const usdc = { asset: 'USDC', locked: 7n, supply: 5n, held: 0n, inFlight: 2n, fees: 3n };

let nowMs: number;
let head: bigint;
let threshold: number;
let published: PublishedReserves[];
let board: Board;
let stage: ReservesStage;
const run = async () => stage.run({ token: 1n } as Fence);
const state = (member: Address, locked = 7n) => {
  const { proposal } = board.reserves!;
  const statement = { ...proposal, assets: [{ ...usdc, locked }] };
  board.reserves!.state(member, { statement, digest: locked === 7n ? zeroHash : aHash(), signature: '0x12' });
};

beforeEach(() => {
  [nowMs, head, threshold, published] = [Number(DAY) * DAY_MS + 5_000, 100n, 2, []];
  board = new Board(() => nowMs);
  const makeChain = (confirmations: number) => ({
    confirmations,
    finality: {
      head: async () => head,
      blockAt: async (number: bigint) => ({
        number,
        hash: zeroHash,
        timestampSeconds: BigInt(Math.floor(nowMs / 1_000)) - head + number,
      }),
    },
    connection: { agree: async () => [4n, members, BigInt(threshold)] },
  });
  const reserves = {
    newest: async () => published.at(-1) ?? null,
    publish: async (_: Fence, each: PublishedReserves) => void published.push(each),
  };
  const logger = { info: () => undefined, warn: () => undefined };
  stage = new ReservesStage(
    { ethereum: makeChain(12), partner: makeChain(2) } as unknown as BridgeChains,
    { reserves },
    { exchange: {} } as Pick<Configuration, 'exchange'>,
    { now: () => nowMs },
    logger,
    { board, readSet: async () => ({ setNumber: 4n, members, threshold }) },
  );
});

it('publishes one statement a day, which follows the one before', async () => {
  await run();
  const first = { day: DAY, previous: zeroHash, ethereumBlock: 89n, partnerBlock: 99n };
  expect(board.reserves?.proposal).toMatchObject(first);
  state(members[0]!);
  state(members[1]!, 8n);
  await run();
  expect(published).toEqual([]);
  state(members[2]!);
  await run();
  await run();
  expect(published).toMatchObject([{ statement: first, setNumber: 4n, signatures: [{}, {}] }]);
  expect(board.reserves).toBeNull();
  nowMs += DAY_MS;
  published = [{ ...published[0]!, digest: aHash() }];
  await run();
  expect(board.reserves?.proposal).toMatchObject({ day: DAY + 1n, previous: published[0]!.digest });
});

it('proposes a newer pair of blocks when too few attesters agree for ten minutes', async () => {
  await run();
  for (const [index, member] of members.entries()) state(member, BigInt(index + 10));
  [nowMs, head] = [nowMs + 599_000, 150n];
  await run();
  expect(board.reserves?.proposal.partnerBlock).toBe(99n);
  nowMs += 1_000;
  await run();
  expect(board.reserves?.proposal.partnerBlock).toBe(149n);
});

it('proposes nothing without attesters, or while the newest final block is of a day already stated', async () => {
  threshold = 0;
  await run();
  expect(board.reserves).toBeNull();
  threshold = 2;
  published = [{ statement: { day: DAY - 1n } } as PublishedReserves];
  nowMs -= 4_500;
  await run();
  expect(board.reserves).toBeNull();
  nowMs += 4_500;
  await run();
  expect(board.reserves?.proposal.day).toBe(DAY);
});
