import { z } from 'zod';
import { accessList, callRequest } from './call-request.js';
import { blockOverrides, stateOverrides } from './overrides.js';
import { address, data, hash, limitedList, quantity, quantity64 } from './primitives.js';
import { block, callFrame, log } from './results.js';

/** Maximum blocks of a simulation, and maximum calls of all blocks. */
const MAX_BLOCKS = 256;
const MAX_CALLS = 1_000;
const BLOCKS = 'must be an array of 1 to 256 blocks with at most 1,000 calls in all';

const blockCalls = z.object(
  {
    blockOverrides,
    stateOverrides,
    calls: limitedList(callRequest, MAX_CALLS, 'must be an array of at most 1,000 calls').nullish(),
  },
  'must be an object',
);

function countCalls(blocks: unknown): number {
  if (!Array.isArray(blocks)) return 0;
  return blocks.reduce((sum: number, each: { readonly calls?: unknown } | null) => {
    const calls = each?.calls;
    return sum + (Array.isArray(calls) ? calls.length : 0);
  }, 0);
}

/** The request of eth_simulateV1. */
export const simulationRequest = z
  .object(
    {
      // Counted before parsing, because a megabyte of empty calls takes half a second.
      blockStateCalls: z.preprocess(
        (blocks) => (countCalls(blocks) > MAX_CALLS ? null : blocks),
        limitedList(blockCalls, MAX_BLOCKS, BLOCKS).refine((blocks) => blocks.length > 0, BLOCKS),
      ),
      traceTransfers: z.boolean('must be a boolean').optional().describe('Shows transfers of the native coin as logs.'),
      validation: z
        .boolean('must be a boolean')
        .optional()
        .describe('Whether nonces and prices are checked as for real transactions.'),
      returnFullTransactions: z.boolean('must be a boolean').optional(),
    },
    'must be an object',
  )
  .meta({
    id: 'SimulationRequest',
    title: 'simulation',
    description: 'Consecutive blocks to simulate, each with overrides and calls.',
  });

const simulatedCall = z.looseObject({
  status: z.enum(['0x0', '0x1']).describe('0x1 for success, 0x0 for failure.'),
  returnData: data,
  gasUsed: quantity64,
  logs: z.array(log),
  error: z.looseObject({ code: z.int(), message: z.string(), data: data.optional() }).optional(),
});

export const simulatedBlocks = z.array(
  z.looseObject({ ...block.shape, size: quantity64.optional().describe('Bytes.'), calls: z.array(simulatedCall) }),
);

export const accessListResult = z.looseObject({
  accessList,
  gasUsed: quantity64.describe('The gas that the call uses with this list.'),
  error: z.string().optional().describe('The error of the call, if it fails.'),
});

export const accountProof = z.looseObject({
  address,
  balance: quantity.describe('Wei.'),
  nonce: quantity64,
  codeHash: hash,
  storageHash: hash,
  accountProof: z.array(data).describe('Trie nodes from the state root to the account.'),
  storageProof: z.array(z.looseObject({ key: quantity.or(hash), value: quantity, proof: z.array(data) })),
});

const tracedAccounts = z.record(
  address,
  z.looseObject({
    balance: quantity.optional().describe('Wei.'),
    nonce: z.int().optional(),
    code: data.optional(),
    storage: z.record(hash, hash).optional(),
  }),
);

/** The result of a tracer: the call tree, or the accounts before, or before and after. */
export const traceResult = z.union([
  callFrame,
  z.object({ pre: tracedAccounts, post: tracedAccounts }).meta({ title: 'state before and after' }),
  tracedAccounts.meta({ title: 'state before' }),
]);

export const blockTraces = z.array(
  z.looseObject({ txHash: hash, result: traceResult.optional(), error: z.string().optional() }),
);
