import { describe, expect, it } from '@jest/globals';
import { QuorumError, type AgreedBlock } from '@causeway/chain';
import type { Finality, Operation } from '@causeway/store';
import { pino } from 'pino';
import type { Hex } from 'viem';
import { FinalBlocks } from '../final-blocks.js';
import { FinalizeStage } from './finalize.js';

const FENCE = { name: 'relayer', token: 1n };
const makeHash = (number: bigint): Hex => `0x${number.toString(16).padStart(64, '0')}`;
const INVENTED = `0x${'f'.repeat(64)}` as const;

/** A chain of which a quorum has the blocks up to `head`. Reading a block of `failing` throws its error. */
function scriptedChain(
  chainId: number,
  confirmations: number,
  head: bigint | null,
  failing: ReadonlyMap<bigint, Error>,
) {
  const asked: bigint[] = [];
  const connection = {
    agreedHead: async () => {
      if (head === null) throw new QuorumError('away', 2, []);
      return head;
    },
    agreedBlock: async (number: bigint): Promise<AgreedBlock> => {
      asked.push(number);
      const error = failing.get(number);
      if (error !== undefined) throw error;
      return { number, hash: makeHash(number), parentHash: makeHash(number - 1n), timestampSeconds: 1_000n + number };
    },
  };
  return { asked, chain: { chainId, confirmations, finality: new FinalBlocks(connection, () => 0) } };
}

function operation(id: string, blockNumber: bigint, over: object = {}): Operation {
  return {
    id,
    direction: 'ETHEREUM_TO_PARTNER',
    originChainId: 1,
    destinationChainId: 2,
    requiredConfirmations: 12,
    origin: { txHash: makeHash(7n), logIndex: 0, blockNumber, blockHash: makeHash(blockNumber) },
    ...over,
  } as unknown as Operation;
}

/**
 * The heads of the chains (null: unavailable), halted chains, operations that another step finalized first, and blocks
 * of Ethereum that cannot be read.
 */
interface Run {
  readonly ethereum?: bigint | null;
  readonly partner?: bigint | null;
  readonly halted?: readonly number[];
  readonly moved?: readonly string[];
  readonly failing?: ReadonlyMap<bigint, Error>;
}

async function finalize(operations: Operation[], { halted = [], moved = [], failing = new Map(), ...heads }: Run = {}) {
  const ethereum = scriptedChain(1, 12, heads.ethereum === undefined ? 100n : heads.ethereum, failing);
  const partner = scriptedChain(2, 6, heads.partner === undefined ? 100n : heads.partner, new Map());
  const logged: unknown[] = [];
  const done: Record<string, Finality> = {};
  const counted: Record<number, bigint> = {};
  const store = {
    halts: { list: async () => halted.map((chainId) => ({ chainId, since: new Date(0), reason: 'a reorg' })) },
    operations: {
      findConfirming: async (chainId: number) => operations.filter((each) => each.originChainId === chainId),
      countConfirmations: async (_: unknown, chainId: number, head: bigint) => void (counted[chainId] = head),
      finalizeAll: async (_: unknown, origins: readonly Finality[]) => {
        const written = origins.filter(({ operationId }) => !moved.includes(operationId));
        for (const origin of written) done[origin.operationId] = origin;
        return new Set(written.map(({ operationId }) => operationId));
      },
    },
  };
  const chains = { ethereum: ethereum.chain, partner: partner.chain };
  const logger = pino({ base: null, timestamp: false }, { write: (line) => void logged.push(JSON.parse(line)) });
  const stage = new FinalizeStage(chains, store, { holdSeconds: 3_600 }, logger);
  const outcome: unknown = await stage.run(FENCE).catch((error: unknown) => error);
  return { done, counted, outcome, logged, asked: ethereum.asked };
}

const burn = (id: string, blockNumber: bigint) =>
  operation(id, blockNumber, {
    direction: 'PARTNER_TO_ETHEREUM',
    originChainId: 2,
    destinationChainId: 1,
    requiredConfirmations: 6,
  });

describe('the finalize stage', () => {
  it('finalizes origins with enough confirmations below the head of the quorum', async () => {
    const { done, counted } = await finalize([operation('old', 89n), operation('young', 90n)]);
    expect(Object.keys(done)).toEqual(['old']);
    expect(counted).toEqual({ 1: 100n });
    expect(done['old']).toEqual({
      operationId: 'old',
      blockHash: makeHash(89n),
      confirmations: 12,
      finalizedAt: new Date(1_100_000),
      holdUntil: null,
    });
  });

  it('returns whether it wrote', async () => {
    const log = [{ level: 30, operationId: 'old', holdUntil: null, msg: 'origin is final' }];
    expect(await finalize([operation('old', 89n)])).toMatchObject({ outcome: true, logged: log });
    const moved = ['old'];
    expect(await finalize([operation('old', 89n)], { moved })).toMatchObject({ outcome: false, logged: [] });
    expect(await finalize([])).toMatchObject({ outcome: false, counted: {} });
  });

  it('finalizes nothing from or to a halted chain, and nothing without an origin', async () => {
    const old = [operation('deposit', 50n), burn('burn', 50n)];
    for (const chainId of [1, 2]) expect((await finalize(old, { halted: [chainId] })).done).toEqual({});
    expect(await finalize([operation('removed', 50n, { origin: null })])).toMatchObject({ done: {}, outcome: false });
  });

  it("never finalizes an origin in a block that only the reader's node has", async () => {
    const origin = { txHash: makeHash(7n), logIndex: 0, blockNumber: 50n, blockHash: INVENTED };
    const { done, logged } = await finalize([operation('invented', 50n, { origin })]);
    expect(done).toEqual({});
    expect(logged).toMatchObject([{ level: 40, operationId: 'invented' }]);
    expect((await finalize([operation('far ahead', 900n)])).done).toEqual({});
  });

  it('makes no request about an origin with too few confirmations', async () => {
    expect((await finalize([operation('young', 90n)])).asked).toEqual([]);
  });

  it('finalizes the others while the nodes do not answer about one, and fails on a defect', async () => {
    const operations = [operation('unread', 50n), operation('old', 60n)];
    const away = new Map([[50n, new QuorumError('away', 2, [])]]);
    const { done, outcome, logged } = await finalize(operations, { failing: away });
    expect([Object.keys(done), outcome]).toEqual([['old'], true]);
    expect(logged).toContainEqual(expect.objectContaining({ level: 40, operationId: 'unread' }));
    const defect = new TypeError('a defect');
    expect((await finalize(operations, { failing: new Map([[50n, defect]]) })).outcome).toBe(defect);
  });

  it('starts the hold at the agreed time of the block that made the origin final', async () => {
    const { done } = await finalize([burn('burn', 50n)]);
    expect(done['burn']?.finalizedAt).toEqual(new Date(1_055_000));
    expect(done['burn']?.holdUntil).toEqual(new Date(1_055_000 + 3_600_000));
  });

  it("requires the larger number of confirmations, the operation's or this relayer's", async () => {
    const { done } = await finalize([
      operation('more', 85n, { requiredConfirmations: 20 }),
      operation('fewer', 95n, { requiredConfirmations: 1 }),
    ]);
    expect(done).toEqual({});
  });

  it('requests one header per block, however many operations it holds', async () => {
    const { done, asked } = await finalize(['a', 'b', 'c'].map((id) => operation(id, 50n)));
    expect(Object.keys(done)).toHaveLength(3);
    expect(asked).toEqual([50n, 61n]);
  });

  it('continues with the other chain while one is unavailable', async () => {
    const { done, outcome } = await finalize([operation('deposit', 50n), burn('burn', 50n)], { partner: null });
    expect(Object.keys(done)).toEqual(['deposit']);
    expect(outcome).toBeInstanceOf(QuorumError);
  });
});
