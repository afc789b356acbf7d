import type { Hex } from 'viem';
import { z } from 'zod';
import { address, amountText, hash32, timestamp } from '../rest/fields.js';
import { pageCursors, pageFields } from './access.js';
import { FIELDS, type Field } from './actions/fields.js';
import { ACTIONS, REQUEST_KINDS, type RequestKind, type RequestTerms } from './actions/table.js';
import { requestSnapshotSchema } from './request-snapshot.js';

/**
 * States of a request. `DONE`, `REFUSED` and `EXPIRED` are terminal.
 *
 * - `AWAITING_APPROVAL`: approvals are missing.
 * - `QUEUED`: the holder of the lease executes it next.
 * - `DONE`: executed once.
 * - `REFUSED`: the relayer refused it without any change; `outcome` has the reason.
 * - `EXPIRED`: approvals were missing after 15 minutes. Nothing changed.
 */
export const REQUEST_STATES = ['AWAITING_APPROVAL', 'QUEUED', 'DONE', 'REFUSED', 'EXPIRED'] as const;
/** One of the states. */
export type RequestState = (typeof REQUEST_STATES)[number];

/** Time limit for the approvals of a request. */
export const APPROVAL_WINDOW_SECONDS = 15 * 60;

const reason = z
  .string('must state a reason')
  .trim()
  .min(3, 'must state a reason')
  .max(500, 'must be at most 500 characters')
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must be one line of text');
/** Only EOAs can approve: a contract account could accept a signature that nobody made. */
const keySignature = z
  .string('must be 65 bytes of hex')
  .regex(/^0x[0-9a-fA-F]{130}$/, 'must be 65 bytes of hex')
  .transform((text) => text.toLowerCase() as Hex);
/** The schema of each field type. A choice can have its own error text in the table. */
function fieldSchema({ type, choices = [], rule }: Field): z.ZodType {
  if (type === 'choice') return rule === undefined ? z.enum(choices) : z.enum(choices, rule);
  return { id: hash32, address, amount: amountText }[type];
}

function termsSchema(kind: RequestKind) {
  const fields = ACTIONS[kind].fields.map((name) => [name, fieldSchema(FIELDS[name])]);
  return z.strictObject({ kind: z.literal(kind), ...Object.fromEntries(fields) });
}

/** The terms of a request: one schema per action of the table. */
export const requestTermsSchema = z.discriminatedUnion(
  'kind',
  REQUEST_KINDS.map(termsSchema) as [ReturnType<typeof termsSchema>],
) as unknown as z.ZodType<RequestTerms, RequestTerms>;

/** Needed to derive the words of a request from its terms and state: see `requestWords`. */
const chainIds = z.object({ ethereum: z.int(), partner: z.int() }).describe('The chains of the deployment.');

/**
 * `POST /requests/preview`: the state that a request with these terms would be decided on. `version` is the hash of
 * that state; `typedData` is the message that an approver signs. Both go into `POST /requests`.
 */
export const previewBodySchema = z.strictObject({ terms: requestTermsSchema, reason });
/** Its body. */
export type PreviewBody = z.input<typeof previewBodySchema>;
export const previewResponseSchema = z.object({
  requestId: hash32,
  version: hash32,
  validUntil: z.int().describe('Unix seconds.'),
  approvalsNeeded: z.int().describe('0 if no signature is needed.'),
  state: requestSnapshotSchema.describe('The state that approvers decide on; `version` is its hash.'),
  chainIds,
  typedData: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('EIP-712 message for eth_signTypedData_v4; null if no signature is needed.'),
});
/** Its answer. */
export type PreviewResponse = z.output<typeof previewResponseSchema>;

/**
 * `POST /requests`: 409 STALE_VERSION if the state changed since the preview, 409 WRONG_STATE if the request does not
 * apply to the state. Repeating a `requestId` returns the same request.
 */
export const createRequestBodySchema = z.strictObject({
  requestId: hash32,
  terms: requestTermsSchema,
  reason,
  version: hash32,
  validUntil: z.int('must be Unix seconds').min(0),
  signature: keySignature.nullable(),
});

/** Its body, before and after validation. */
export type CreateRequestBody = z.input<typeof createRequestBodySchema>;
export type CheckedRequestBody = z.output<typeof createRequestBodySchema>;

/** `POST /requests/{id}/approvals`: 410 APPROVAL_EXPIRED after `validUntil`; 409 for the member's own request. */
export const approveRequestBodySchema = z.strictObject({
  signature: keySignature,
});

/** `/requests/{id}` */
export const requestParametersSchema = z.strictObject({ id: hash32 });

/** A request with its approvals and outcome. */
export const requestResponseSchema = z.object({
  id: hash32,
  terms: requestTermsSchema,
  reason: z.string(),
  state: z.enum(REQUEST_STATES),
  version: hash32,
  decidedOn: requestSnapshotSchema,
  chainIds,
  requestedBy: address,
  createdAt: timestamp,
  validUntil: z.int().describe('Unix seconds.'),
  approvalsNeeded: z.int(),
  approvals: z.array(z.object({ address, at: timestamp })),
  typedData: z.record(z.string(), z.unknown()).nullable(),
  endedAt: timestamp.nullable(),
  outcome: z.string().nullable().describe('The result, or why the relayer refused.'),
});
/** The response for one request. */
export type RequestResponse = z.output<typeof requestResponseSchema>;

/** `GET /requests`, newest first. */
export const requestsQuerySchema = z.strictObject({ state: z.enum(REQUEST_STATES).optional(), ...pageFields });
export const requestsResponseSchema = z.object({ requests: z.array(requestResponseSchema), ...pageCursors });
/** Its answer. */
export type RequestsResponse = z.output<typeof requestsResponseSchema>;
