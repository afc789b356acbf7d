import { DELAY_REASONS, ERROR_CODES, OPERATION_STATUSES, type ErrorCode } from '@causeway/protocol';
import { isAddress, type Address } from 'viem';
import { z } from 'zod';
import type { Bench } from '../scenarios/bench.js';
import {
  emptyFloat,
  holdBlocks,
  limitOutflow,
  passTime,
  pause,
  raiseFees,
  stopApi,
  stopRelayer,
  type Lift,
} from '../scenarios/conditions.js';
import { reachDelay } from '../scenarios/delays.js';
import { reachError } from '../scenarios/errors.js';
import { reachStatus } from '../scenarios/statuses.js';
import { bindLate, fund, passHold, refuseRecipient, reorg } from '../scenarios/transfers.js';

/** A call that clients can make. */
export interface ScenarioCall {
  /** Schema of the parameters. */
  readonly parameters: z.ZodType<Readonly<Record<string, unknown>>>;
  /** `lift` ends a condition; the other fields are the answer. */
  readonly run: (bench: Bench, parameters: never) => Promise<{ readonly lift?: Lift } | void>;
}

const MOST_SECONDS = 3_153_600_000;
const side = z.enum(['ethereum', 'partner']);
const codes = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];
/** Assets that the bridge contracts pay out and that `fund` can give. */
const asset = z.enum(['ETH', 'USDC', 'XCN']);
const address = z.custom<Address>((text) => typeof text === 'string' && isAddress(text), {
  error: 'must be 0x and 40 hex digits, in lower case or with the right checksum (EIP-55)',
});
const amount = z
  .string('must be a whole number of atomic units, as text')
  .regex(/^[1-9]\d{0,77}$/, 'must be a whole number of atomic units above 0')
  .transform(BigInt);

function define<S extends z.ZodRawShape>(
  shape: S,
  run: (bench: Bench, parameters: z.output<z.ZodObject<S>>) => Promise<{ readonly lift?: Lift } | void>,
): ScenarioCall {
  return { parameters: z.strictObject(shape), run };
}

/** A condition without further answer. */
function defineCondition<S extends z.ZodRawShape>(
  shape: S,
  begin: (bench: Bench, parameters: z.output<z.ZodObject<S>>) => Promise<Lift>,
): ScenarioCall {
  return define(shape, async (bench, parameters) => ({ lift: await begin(bench, parameters) }));
}

/** All calls, by name. */
export const SCENARIO_CALLS: Readonly<Record<string, ScenarioCall>> = {
  reachStatus: define({ status: z.enum(OPERATION_STATUSES) }, (bench, { status }) => reachStatus(bench, status)),
  reachDelay: define({ reason: z.enum(DELAY_REASONS) }, (bench, { reason }) => reachDelay(bench, reason)),
  reachError: define({ code: z.enum(codes) }, (bench, { code }) => reachError(bench, code)),
  pause: defineCondition({ chain: side, what: z.enum(['beginnings', 'deliveries']) }, (bench, { chain, what }) =>
    pause(bench, chain, what),
  ),
  limitOutflow: defineCondition({ chain: side, asset }, (bench, parameters) =>
    limitOutflow(bench, parameters.chain, parameters.asset),
  ),
  emptyFloat: defineCondition({}, emptyFloat),
  raiseFees: defineCondition({}, raiseFees),
  holdBlocks: defineCondition({}, holdBlocks),
  stopApi: defineCondition({}, stopApi),
  stopRelayer: defineCondition({}, stopRelayer),
  reorg: define({}, reorg),
  refuseRecipient: define({}, refuseRecipient),
  bindLate: define({}, bindLate),
  passHold: define({}, passHold),
  passTime: define({ seconds: z.int().min(1).max(MOST_SECONDS) }, (bench, { seconds }) => passTime(bench, seconds)),
  fund: define({ chain: side, asset, address, amount }, (bench, parameters) =>
    fund(bench, parameters.chain, parameters.asset, parameters.address, parameters.amount),
  ),
};
