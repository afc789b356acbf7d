import { z } from 'zod';
import { blockOverrides, stateOverrides } from './overrides.js';
import { address, data, hash, limitedList, quantity, quantity64 } from './primitives.js';

/** More than a call's gas can pay for: 1,900 per slot and 2,400 per address (EIP-2930), of at most 2^24. */
const MAX_ACCESS_LIST = 10_000;
/** More than a call's gas can pay for: 25,000 each (EIP-7702), of at most 2^24. */
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
  description: 'Addresses and storage slots that a transaction names (EIP-2930).',
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
  from: address.nullish().describe('The sender. Default: the zero address.'),
  to: address.nullish().describe('The recipient; omitted or null to create a contract.'),
  gas: quantity64.nullish().describe('Maximum units of gas.'),
  gasPrice: quantity.nullish().describe('Wei per unit of gas; cannot be combined with maxFeePerGas.'),
  maxFeePerGas: quantity.nullish().describe('Maximum wei per unit of gas (EIP-1559).'),
  maxPriorityFeePerGas: quantity.nullish().describe('The part of it for the block producer, in wei (EIP-1559).'),
  value: quantity
    .nullish()
    .describe('Wei to send; a multiple of 10^10 on a chain whose coin has 8 decimals inside the EVM.'),
  data: data.nullish().describe('The input of the contract, or the creation code.'),
  input: data.nullish().describe('The newer name of data; if both are given, they must be equal.'),
  nonce: quantity64.nullish(),
  accessList: accessList.nullish(),
  type: z.enum(['0x0', '0x1', '0x2', '0x4'], 'must be one of 0x0, 0x1, 0x2, 0x4').nullish(),
  chainId: quantity.nullish().describe('Must be the id of this chain.'),
  authorizationList: authorizationList.nullish(),
  blobVersionedHashes: z.array(z.unknown()).max(0, 'blobs are not supported').nullish(),
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
    description: 'A transaction to simulate. All fields are optional; unknown ones are ignored.',
  });

const tracerConfig = z
  .object(
    {
      onlyTopCall: z.boolean('must be a boolean').optional().describe('callTracer: true to omit inner calls.'),
      withLog: z.literal(false, 'logs in call frames are not supported').optional(),
      diffMode: z
        .boolean('must be a boolean')
        .optional()
        .describe('prestateTracer: true for the changed state, before and after.'),
    },
    'must be an object',
  )
  .transform(({ onlyTopCall = false, diffMode }) =>
    diffMode === undefined ? { onlyTopCall } : { onlyTopCall, diffMode },
  )
  .optional();

const traceFields = {
  tracer: z
    .enum(['callTracer', 'prestateTracer'], 'must be "callTracer" or "prestateTracer", the supported tracers')
    .default('callTracer'),
  tracerConfig,
};

/** Options of debug_traceTransaction. geth's `timeout` is dropped: the gateway has its own. */
export const traceOptions = z.object(traceFields, 'must be { "tracer": "callTracer" }').meta({
  id: 'TraceOptions',
  title: 'trace options',
  description: 'The tracer (default: callTracer) and the extent of its result.',
});

/** Options of debug_traceCall. */
export const traceCallOptions = z
  .object({ ...traceFields, stateOverrides, blockOverrides }, 'must be { "tracer": "callTracer" }')
  .meta({
    id: 'TraceCallOptions',
    title: 'trace options of a call',
    description: 'The tracer (default: callTracer), and overrides of state and block.',
  });
