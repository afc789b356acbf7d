import { z } from 'zod';
import { address, amountText, asset, hash32, timestamp } from '../rest/fields.js';

const side = z.enum(['ethereum', 'partner']);
const shown = z.array(z.object({ name: z.string(), value: z.string() }));

/** A decoded transaction, for the account that signs it. */
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
    'keccak256 of abi.encode(chainId, to, value, data). `causeway-admin hash` computes it from the address book.',
  ),
  blockNumber: z.int().nullable().describe('Null when the chain could not be read.'),
  changes: z.array(z.object({ name: z.string(), before: z.string(), after: z.string() })),
  isSimulated: z
    .boolean()
    .describe('`after` was read behind a simulation of the call. Otherwise it is what the arguments say.'),
  maySend: z.boolean().describe('False while it waits, is held back, or reverts.'),
  problem: z
    .string()
    .nullable()
    .describe('Why it reverts, waits for the other chain, or could not be checked in an emergency.'),
});

/** `GET /contracts`: what the contracts say now, at one block a chain, the announced calls, and earlier changes. */
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
          '`announced`, `history` and the owners of a timelock are complete to this block. Null: not read yet.',
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
      count: z.string().describe('An unpause names it.'),
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
        predecessor: hash32.describe('The id of a call that must be executed before it; zero without one.'),
        salt: hash32.nullable().describe('Null when no event has it.'),
        readyAt: timestamp,
        isReady: z.boolean().describe('Its time has come, and its predecessor is executed.'),
        txHash: hash32.describe('The transaction that announced it.'),
        execute: preparedTransaction
          .nullable()
          .describe('For the owner of the timelock: computed, not simulated. Null for a call that is part of a batch.'),
      }),
    )
    .describe('Scheduled in the timelock, and neither executed nor cancelled.'),
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
 * `GET /contracts/calls`: the calls that a role holder can make, as the command line names them, with options. The
 * console draws a form from it.
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
          choices: z.array(z.string()).nullable().describe('A switch has yes and no.'),
          fallback: z.string().nullable().describe('What counts when it is left out.'),
        }),
      ),
    }),
  ),
});
/** Its answer. */
export type ContractCallsResponse = z.output<typeof contractCallsResponseSchema>;

/** `POST /contracts/calls/prepare`: the transactions of a call, for the account that signs them. Changes nothing. */
export const prepareCallBodySchema = z.strictObject({
  command: z.string().regex(/^[a-z][a-z-]{0,39}$/, 'must be the name of a call'),
  options: z.record(z.string().max(40), z.string().max(500)),
  account: address,
});
/** Its body. */
export type PrepareCallBody = z.input<typeof prepareCallBodySchema>;
/** The decoded transactions, with the values before and after in a simulation at the current block. */
export const prepareCallResponseSchema = z.object({
  transactions: z.array(preparedTransaction),
  safeTransaction: z
    .record(z.string(), z.unknown())
    .describe('A file for the Transaction Builder of a Safe, by chain id.'),
});
/** Its answer. */
export type PrepareCallResponse = z.output<typeof prepareCallResponseSchema>;

/** The command of a report about `announced[].execute`. */
export const EXECUTE_ANNOUNCED = 'execute-announced';
/**
 * `POST /contracts/calls/report`: the member sent these transactions. It becomes a row of the audit log. 400 when the
 * nodes do not have one of them, or when it calls no contract of the bridge.
 */
export const reportCallBodySchema = z.strictObject({
  command: z
    .string()
    .regex(/^[a-z][a-z-]{0,39}$/, 'must be the name of a call')
    .describe(`The name of a call, or ${EXECUTE_ANNOUNCED}.`),
  reason: z.string('must say why').trim().min(3, 'must say why').max(500, 'must be at most 500 characters'),
  transactions: z
    .array(z.strictObject({ side, txHash: hash32 }), 'must be a list of transactions')
    .min(1, 'must name a transaction')
    .max(20, 'must be at most 20 transactions'),
});

/** Its body. */
export type ReportCallBody = z.input<typeof reportCallBodySchema>;

/** A transaction that a member reported, as the chain shows it. It is read again for each answer. */
export const reportedCallSchema = z.object({
  side,
  txHash: hash32,
  state: z
    .enum(['SUCCEEDED', 'REVERTED', 'NOT_CONFIRMED', 'FOREIGN'])
    .describe('NOT_CONFIRMED: not mined, or the nodes do not agree now. FOREIGN: it calls no contract of the bridge.'),
  calls: z
    .array(z.object({ contract: z.string(), functionName: z.string(), arguments: shown }))
    .describe('The call of the transaction; of a timelock, the announced or executed one after it.'),
  sender: address.nullable(),
  blockNumber: z.int().nullable(),
  sentence: z.string(),
});
/** One of them. */
export type ReportedCall = z.output<typeof reportedCallSchema>;
