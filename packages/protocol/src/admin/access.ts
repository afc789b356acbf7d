import { addressBookSchema } from '@causeway/contracts/address-book-schema';
import { z } from 'zod';
import { address, hash32, timestamp } from '../rest/fields.js';
import { reportedCallSchema } from './contract-calls.js';
import { ADMIN_ROLES } from './roles.js';

/** Error codes of the admin API in addition to those of the public API. */
export const ADMIN_ERROR_CODES = {
  UNAUTHENTICATED: 401,
  SIGN_IN_REFUSED: 401,
  FORBIDDEN: 403,
  CSRF_REFUSED: 403,
  ORIGIN_REFUSED: 403,
  NOT_FOUND: 404,
  STALE_VERSION: 409,
  WRONG_STATE: 409,
  APPROVAL_EXPIRED: 410,
} as const;
/** One of the codes. */
export type AdminErrorCode = keyof typeof ADMIN_ERROR_CODES;

/** `POST /sign-in/nonce`: a nonce for one message of Sign-In with Ethereum (EIP-4361). */
export const nonceResponseSchema = z.object({
  nonce: z.string(),
  expiresAt: timestamp,
  chainIds: z.array(z.int()).min(1).describe('Chain ids that the message can name; the first is the default.'),
});
/** Its answer. */
export type NonceResponse = z.output<typeof nonceResponseSchema>;

/** `POST /sign-in`: the message and its signature, of an EOA or verified by a contract account. */
export const signInBodySchema = z.strictObject({
  message: z.string('must be a message of EIP-4361').min(1).max(4_096),
  signature: z.string('must be whole bytes of hex').max(4_096),
});

/** A session. Every change sends the CSRF token in the header `X-CSRF-Token`. */
export const sessionResponseSchema = z.object({
  id: z.string(),
  address,
  role: z.enum(ADMIN_ROLES),
  csrfToken: z.string(),
  createdAt: timestamp,
  idleExpiresAt: timestamp,
  expiresAt: timestamp,
  assets: addressBookSchema.shape.assets.describe('Assets in addition to ETH, USDC and XCN; absent if there are none.'),
});
/** The answer of `POST /sign-in` and `GET /session`. */
export type SessionResponse = z.output<typeof sessionResponseSchema>;

/** `GET /sessions`: the sessions of the signed-in member, newest first. */
export const sessionsResponseSchema = z.object({
  sessions: z.array(
    z.object({
      id: z.string(),
      isCurrent: z.boolean(),
      createdAt: timestamp,
      lastUsedAt: timestamp,
      expiresAt: timestamp,
      clientIp: z.string().nullable(),
      userAgent: z.string().nullable(),
    }),
  ),
});
/** Its answer. */
export type SessionsResponse = z.output<typeof sessionsResponseSchema>;

/** `DELETE /sessions/{id}` */
export const sessionParametersSchema = z.strictObject({ id: z.uuid('must be the id of a session') });

/** `GET /members`: the allow-list. A request cannot change members of the configuration. */
export const membersResponseSchema = z.object({
  members: z.array(
    z.object({
      address,
      /** From the configuration; null for members added by a request. */
      name: z.string().nullable(),
      role: z.enum(ADMIN_ROLES),
      source: z.enum(['configuration', 'request']),
      addedBy: address.nullable(),
      addedAt: timestamp.nullable(),
    }),
  ),
});
/** Its answer. */
export type MembersResponse = z.output<typeof membersResponseSchema>;

/** Keyset pagination. Cursors are opaque. */
export const pageFields = {
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,400}$/, 'must be a cursor of an earlier response')
    .optional()
    .describe('`nextCursor` or `previousCursor` of an earlier response with the same filters.'),
  limit: z.coerce.number('must be a whole number').int('must be a whole number').min(1).max(200).default(50),
};

/** The cursors of a page; null at the ends. */
export const pageCursors = { nextCursor: z.string().nullable(), previousCursor: z.string().nullable() };

/** `GET /audit`. */
export const auditQuerySchema = z.strictObject({
  actor: address.optional(),
  action: z
    .string()
    .regex(/^[a-z][a-z-]{0,39}$/, 'must be the name of an action')
    .optional(),
  subject: z
    .string()
    .regex(/^(0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})|[0-9a-fA-F-]{36})$/, 'must be an id or an address')
    .transform((text) => text.toLowerCase())
    .optional()
    .describe('The operation, refund, intent, request, session or member.'),
  ...pageFields,
});
/** `GET /audit.csv`. */
export const auditCsvQuerySchema = auditQuerySchema.omit({ cursor: true, limit: true });
/** A checked query. */
export type AuditQuery = z.output<typeof auditQuerySchema>;

/** One row of the audit log. `hash` covers the row and the hash of the previous row. */
export const auditRowSchema = z.object({
  sequence: z.int(),
  at: timestamp,
  actor: address.nullable().describe('Null for the relayer.'),
  role: z.enum(ADMIN_ROLES).nullable(),
  sessionId: z.string().nullable(),
  action: z.string(),
  subject: z.string().nullable(),
  before: z.unknown(),
  after: z.unknown(),
  reason: z.string().nullable(),
  txHash: hash32.nullable(),
  previousHash: hash32,
  hash: hash32,
  reported: z
    .array(reportedCallSchema)
    .nullable()
    .describe('On-chain result of a `contract-call`, which a member reported. Null for other rows.'),
});
export const auditResponseSchema = z.object({ rows: z.array(auditRowSchema), ...pageCursors });
/** Its answer. */
export type AuditResponse = z.output<typeof auditResponseSchema>;
