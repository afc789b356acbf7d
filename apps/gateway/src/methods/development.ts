import { PartnerChainError } from '@causeway/partner-chain';
import { bytesToHex } from 'viem';
import { z } from 'zod';
import type { EmbeddedBackend } from '../backends/embedded/embedded-backend.js';
import { RpcError } from '../jsonrpc/errors.js';
import type { Method } from '../jsonrpc/method.js';
import { quantity, quantity64 } from '../schemas/primitives.js';
import { defineMethod, param } from './forward.js';

/** Maximum blocks made by one call. */
const MAX_BLOCKS = 1_024;
/** Maximum seconds of one step in time: a hundred years. */
const MAX_SECONDS = 3_153_600_000;

const amount = z
  .union(
    [quantity64.transform(Number), z.int().nonnegative('must not be negative')],
    'must be a quantity or an integer',
  )
  .refine((value) => value <= Number.MAX_SAFE_INTEGER, 'must be at most 2^53 - 1');
const seconds = amount.refine((value) => value <= MAX_SECONDS, 'must be at most 100 years');
const done = { name: 'done', schema: z.boolean() };

/** Snapshots and time travel for tests, under the names of Hardhat and anvil. */
export function developmentMethods(backend: EmbeddedBackend): readonly Method[] {
  const { chain } = backend;
  const mine = async (blocks: number, interval: number): Promise<void> => {
    if (blocks > MAX_BLOCKS) throw new RpcError('INVALID_PARAMS', `one call makes at most ${MAX_BLOCKS} blocks`);
    for (let made = 0; made < blocks; made += 1) {
      if (made > 0) {
        const newest = chain.reader.block(chain.headNumber());
        await chain.setNextTimestamp((newest?.header.timestamp ?? 0) + Math.max(interval, 1));
      }
      await chain.mine();
    }
  };
  const setNextTimestamp = async (timestamp: number): Promise<void> => {
    try {
      await chain.setNextTimestamp(timestamp);
    } catch (error) {
      if (!(error instanceof PartnerChainError)) throw error;
      throw new RpcError('INVALID_PARAMS', error.message, { cause: error });
    }
  };
  return [
    defineMethod({
      name: 'evm_snapshot',
      summary: 'Take a snapshot; returns its number.',
      params: [],
      result: { name: 'snapshot', schema: quantity },
      run: async () => `0x${(await chain.snapshot()).toString(16)}`,
    }),
    defineMethod({
      name: 'evm_revert',
      summary: 'Revert to a snapshot: later blocks, snapshots and pending transactions are lost.',
      params: [param('snapshot', amount)],
      result: { name: 'done', schema: z.boolean().describe('False for an unknown snapshot.') },
      run: ([snapshot]) => backend.revertTo(snapshot),
    }),
    defineMethod({
      name: 'evm_increaseTime',
      summary: "Move the chain's clock forward; returns by how many seconds it is now ahead.",
      params: [param('seconds', seconds)],
      result: { name: 'ahead', schema: z.string() },
      run: async ([more]) => String(await chain.increaseTime(more)),
    }),
    defineMethod({
      name: 'evm_setNextBlockTimestamp',
      summary: 'Set the time of the next block, in seconds since 1970.',
      params: [param('timestamp', amount)],
      result: { name: 'timestamp', schema: z.string() },
      run: async ([timestamp]) => {
        await setNextTimestamp(timestamp);
        return String(timestamp);
      },
    }),
    defineMethod({
      name: 'evm_mine',
      summary: 'Make a block now.',
      params: [param('timestamp', amount.optional(), 'Its time, in seconds since 1970.')],
      result: { name: 'zero', schema: quantity },
      run: async ([timestamp]) => {
        if (timestamp !== undefined) await setNextTimestamp(timestamp);
        await mine(1, 0);
        return '0x0';
      },
    }),
    defineMethod({
      name: 'hardhat_metadata',
      summary: 'The facts by which Hardhat recognizes a development network.',
      params: [],
      result: { name: 'metadata', schema: z.looseObject({ clientVersion: z.string(), chainId: z.int() }) },
      run: async () => {
        const latestBlockNumber = chain.headNumber();
        const [genesis, block] = [chain.reader.block(0), chain.reader.block(latestBlockNumber)];
        return {
          clientVersion: await backend.request('web3_clientVersion', []),
          chainId: chain.options.chainId,
          instanceId: genesis === null ? null : bytesToHex(genesis.hash),
          latestBlockNumber,
          latestBlockHash: block === null ? null : bytesToHex(block.hash),
        };
      },
    }),
    defineMethod({
      name: 'hardhat_mine',
      summary: 'Make blocks now, at most 1,024.',
      params: [
        param('blocks', amount.default(1)),
        param('interval', seconds.default(1), 'Seconds between two blocks, at least 1.'),
      ],
      result: done,
      run: async ([blocks, interval]) => {
        await mine(blocks, interval);
        return true;
      },
    }),
  ];
}
