import { z } from 'zod';
import { blockOverrides, stateOverrides } from './overrides.js';
import { address, data, hash, limitedList, quantity, quantity64 } from './primitives.js';

/** More than the gas of a call could pay for: 1,900 for a slot, 2,400 for an address (EIP-2930), of 2^24 at most. */
const MAX_ACCESS_LIST = 10_000;
/** More than the gas of a call could pay for: 25,000 for each (EIP-7702), of 2^24 at most. */
const MAX_AUTHORIZATIONS = 1_000;

const accessListEntry = z.looseObject(
  { address, storageKeys: limitedList(hash, MAX_ACCESS_LIST, 'must be an array of at most 10,000 storage keys') },
  'must be an object',
);

export const accessList = limitedList(
  accessListEntry,
  MAX_ACCESS_LIST,
  'must be an array of at most 10,000 { address, storageKeys }',
).meta({
  id: 'AccessList',
  title: 'access list',
  description: 'Addresses and storage slots a transaction names (EIP-2930).',
});

const authorization = z.looseObject(
  { chainId: quantity, address, nonce: quantity64, yParity: quantity, r: quantity, s: quantity },
  'must be an object',
);

export const authorizationList = limitedList(
  authorization,
  MAX_AUTHORIZATIONS,
  'must be an array of at most 1,000 authorizations',
).meta({
  id: 'AuthorizationList',
  title: 'authorization list',
  description: 'Signed authorizations of accounts to run the code of a contract (EIP-7702).',
});

const fields = {
  from: address.nullish().describe('The sender; the zero address when left out.'),
  to: address.nullish().describe('The recipient; left out or null for the creation of a contract.'),
  gas: quantity64.nullish().describe('Units of gas at most.'),
  gasPrice: quantity.nullish().describe('Wei for a unit of gas; not together with maxFeePerGas.'),
  maxFeePerGas: quantity.nullish().describe('Wei for a unit of gas at most (EIP-1559).'),
  maxPriorityFeePerGas: quantity.nullish().describe('Wei of it for the producer of the block (EIP-1559).'),
  value: quantity
    .nullish()
    .describe('Wei sent along; a multiple of 10^10 on a chain whose coin has 8 decimals inside.'),
  data: data.nullish().describe('The input of the contract, or the code that creates one.'),
  input: data.nullish().describe('The same as data, by its newer name; if both are given they must be equal.'),
  nonce: quantity64.nullish(),
  accessList: accessList.nullish(),
  type: z.enum(['0x0', '0x1', '0x2', '0x4'], 'must be one of 0x0, 0x1, 0x2, 0x4').nullish(),
  chainId: quantity.nullish().describe('Must be that of this chain.'),
  authorizationList: authorizationList.nullish(),
  blobVersionedHashes: z.array(z.unknown()).max(0, 'blobs are not offered').nullish(),
};

/** The transaction of eth_call and eth_estimateGas. Unknown fields are dropped; `input` becomes `data`. */
export const callRequest = z
  .object(fields, 'must be a transaction object')
  .transform(({ input, blobVersionedHashes: _none, ...request }, context): Readonly<Record<string, unknown>> => {
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (typeof request.data === 'string' && typeof input === 'string' && request.data !== input) {
      refuse('input', 'differs from data; give one of them');
    }
    const isDynamic = (request.maxFeePerGas ?? request.maxPriorityFeePerGas ?? null) !== null;
    if (isDynamic && (request.gasPrice ?? null) !== null) {
      refuse('gasPrice', 'cannot be combined with maxFeePerGas or maxPriorityFeePerGas');
    }
    const merged = { ...request, data: request.data ?? input };
    return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined && value !== null));
  })
  .meta({
    id: 'CallRequest',
    title: 'call',
    description: 'A transaction to be tried. All fields are optional; unknown ones are ignored.',
  });

const tracerConfig = z
  .object(
    {
      onlyTopCall: z.boolean('must be a boolean').optional().describe('callTracer: true to leave out the inner calls.'),
      withLog: z.literal(false, 'logs in call frames are not offered').optional(),
      diffMode: z
        .boolean('must be a boolean')
        .optional()
        .describe('prestateTracer: true for what changed, before and after.'),
    },
    'must be an object',
  )
  .transform(({ onlyTopCall = false, diffMode }) =>
    diffMode === undefined ? { onlyTopCall } : { onlyTopCall, diffMode },
  )
  .optional();

const traceFields = {
  tracer: z
    .enum(['callTracer', 'prestateTracer'], 'must be "callTracer" or "prestateTracer", the tracers on offer')
    .default('callTracer'),
  tracerConfig,
};

/** Options of debug_traceTransaction. geth's `timeout` is dropped: the gateway has its own. */
export const traceOptions = z.object(traceFields, 'must be { "tracer": "callTracer" }').meta({
  id: 'TraceOptions',
  title: 'trace options',
  description: 'The tracer, callTracer when left out, and how much of its result is wanted.',
});

/** Options of debug_traceCall. */
export const traceCallOptions = z
  .object({ ...traceFields, stateOverrides, blockOverrides }, 'must be { "tracer": "callTracer" }')
  .meta({
    id: 'TraceCallOptions',
    title: 'trace options of a call',
    description: 'The tracer, callTracer when left out, and the overrides of state and block.',
  });
