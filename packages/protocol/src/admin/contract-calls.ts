import { z } from 'zod';
import { address, amountText, asset, hash32, timestamp } from '../rest/fields.js';

const side = z.enum(['ethereum', 'partner']);
const shown = z.array(z.object({ name: z.string(), value: z.string() }));

/** A decoded transaction for the signing account. */
const preparedTransaction = z.object({
  side,
  chainId: z.int(),
  step: z.enum(['call', 'schedule', 'wait', 'execute']),
  contract: z.string(),
  functionName: z.string(),
  arguments: shown,
  to: address,
  data: z.string(),
  value: amountText.describe('In wei.'),
  readyAt: timestamp.nullable(),
  callHash: hash32.describe(
    'keccak256 of abi.encode(chainId, to, value, data). `causeway-admin hash` computes the same from the address book.',
  ),
  blockNumber: z.int().nullable().describe('Null if the chain could not be read.'),
  changes: z.array(z.object({ name: z.string(), before: z.string(), after: z.string() })),
  isSimulated: z
    .boolean()
    .describe('True if `after` was read in a simulation of the call; false if it repeats the arguments.'),
  maySend: z.boolean().describe('False while the call waits, is blocked, or reverts.'),
  problem: z
    .string()
    .nullable()
    .describe('Why the call reverts, waits for the other chain, or could not be checked in an emergency.'),
});

/** `GET /contracts`: the contracts' state at one block per chain, the announced calls, and earlier changes. */
export const contractsResponseSchema = z.object({
  blocks: z.array(
    z.object({
      side,
      number: z.int(),
      at: timestamp,
      eventsThrough: z
        .int()
        .nullable()
        .describe(
          '`announced`, `history` and the owners of a timelock are complete up to this block. Null: not read yet.',
        ),
    }),
  ),
  pauses: z.array(
    z.object({
      side,
      direction: z.string(),
      isPaused: z.boolean(),
      what: z.enum(['beginnings', 'deliveries']),
      until: timestamp.nullable(),
      count: z.string().describe('Pause count, which an unpause must name.'),
    }),
  ),
  assets: z.array(
    z.object({
      side,
      asset,
      mayBegin: z.boolean(),
      mayBeDelivered: z.boolean(),
      feeBps: z.int().nullable(),
      minimumFee: amountText.nullable(),
      minimumAmount: amountText.nullable(),
      maximumAmount: amountText.nullable(),
      outflowCapacity: amountText.nullable(),
      outflowRoom: amountText.nullable(),
      collectableFees: amountText.nullable(),
    }),
  ),
  roles: z.array(z.object({ side, role: z.string(), address })),
  announced: z
    .array(
      z.object({
        side,
        id: hash32,
        contract: z.string(),
        functionName: z.string(),
        arguments: shown,
        target: address,
        value: amountText.describe('In wei.'),
        data: z.string(),
        predecessor: hash32.describe('Id of a call that must be executed before; zero if there is none.'),
        salt: hash32.nullable().describe('Null if no event contains it.'),
        readyAt: timestamp,
        isReady: z.boolean().describe('True once the delay has passed and the predecessor is executed.'),
        txHash: hash32.describe('The transaction that announced the call.'),
        execute: preparedTransaction
          .nullable()
          .describe('For the owner of the timelock: computed, not simulated. Null for a call of a batch.'),
      }),
    )
    .describe('Scheduled in the timelock, neither executed nor cancelled.'),
  history: z.array(
    z.object({
      side,
      at: timestamp.nullable(),
      blockNumber: z.int(),
      event: z.string(),
      arguments: shown,
      txHash: hash32,
    }),
  ),
});
/** Its answer. */
export type ContractsResponse = z.output<typeof contractsResponseSchema>;

/**
 * `GET /contracts/calls`: the calls available to role holders, with their command-line names and options. The console
 * builds its forms from them.
 */
export const contractCallsResponseSchema = z.object({
  calls: z.array(
    z.object({
      command: z.string(),
      description: z.string(),
      role: z.string(),
      options: z.array(
        z.object({
          name: z.string(),
          description: z.string(),
          isRequired: z.boolean(),
          choices: z.array(z.string()).nullable().describe('A switch has the choices yes and no.'),
          fallback: z.string().nullable().describe('Default.'),
        }),
      ),
    }),
  ),
});
/** Its answer. */
export type ContractCallsResponse = z.output<typeof contractCallsResponseSchema>;

/** `POST /contracts/calls/prepare`: the transactions of a call for the signing account. It changes nothing. */
export const prepareCallBodySchema = z.strictObject({
  command: z.string().regex(/^[a-z][a-z-]{0,39}$/, 'must be the name of a call'),
  options: z.record(z.string().max(40), z.string().max(500)),
  account: address,
});
/** Its body. */
export type PrepareCallBody = z.input<typeof prepareCallBodySchema>;
/** The decoded transactions, with values before and after the call in a simulation at the current block. */
export const prepareCallResponseSchema = z.object({
  transactions: z.array(preparedTransaction),
  safeTransaction: z
    .record(z.string(), z.unknown())
    .describe('Files for the Transaction Builder of a Safe, by chain id.'),
});
/** Its answer. */
export type PrepareCallResponse = z.output<typeof prepareCallResponseSchema>;

/** Command name for reports of `announced[].execute`. */
export const EXECUTE_ANNOUNCED = 'execute-announced';
/**
 * `POST /contracts/calls/report`: records transactions that the member sent in the audit log. 400 if the nodes lack one
 * of them or it calls no contract of the bridge.
 */
export const reportCallBodySchema = z.strictObject({
  command: z
    .string()
    .regex(/^[a-z][a-z-]{0,39}$/, 'must be the name of a call')
    .describe(`The name of a call, or ${EXECUTE_ANNOUNCED}.`),
  reason: z
    .string('must state a reason')
    .trim()
    .min(3, 'must state a reason')
    .max(500, 'must be at most 500 characters'),
  transactions: z
    .array(z.strictObject({ side, txHash: hash32 }), 'must be a list of transactions')
    .min(1, 'must name a transaction')
    .max(20, 'must be at most 20 transactions'),
});

/** Its body. */
export type ReportCallBody = z.input<typeof reportCallBodySchema>;

/** The on-chain state of a reported transaction, read again for each response. */
export const reportedCallSchema = z.object({
  side,
  txHash: hash32,
  state: z
    .enum(['SUCCEEDED', 'REVERTED', 'NOT_CONFIRMED', 'FOREIGN'])
    .describe('NOT_CONFIRMED: not mined, or the nodes disagree. FOREIGN: calls no contract of the bridge.'),
  calls: z
    .array(z.object({ contract: z.string(), functionName: z.string(), arguments: shown }))
    .describe('The call of the transaction; for a timelock, followed by the announced or executed call.'),
  sender: address.nullable(),
  blockNumber: z.int().nullable(),
  sentence: z.string(),
});
export type ReportedCall = z.output<typeof reportedCallSchema>;
