import {
  parseRequestSnapshot,
  requestTermsSchema,
  type AdminRole,
  type RequestSnapshot,
  type RequestApproval,
  type RequestState,
  type RequestTerms,
  type SignedRequest,
} from '@causeway/protocol/admin';
import type { Address, Hex } from 'viem';
import type { Prisma } from '../generated/prisma/client.js';

/** A person's request to the relayer. */
export interface NewRequest extends SignedRequest {
  /** The hash of the state. */
  readonly version: Hex;
  readonly requestedBy: Address;
  readonly approvalsNeeded: number;
}

/** A request with its approvals. Nothing is verified: any writer of the database could have created it. */
export interface AdminRequest extends Omit<SignedRequest, 'terms' | 'decidedOn'> {
  /** Null when the row has no valid terms. */
  readonly terms: RequestTerms | null;
  /** Null when the row has no valid state. */
  readonly decidedOn: RequestSnapshot | null;
  /** The hash of the state, as stored. */
  readonly version: Hex;
  readonly requestedBy: Address;
  readonly approvalsNeeded: number;
  readonly state: RequestState;
  readonly outcome: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  /** Oldest first. */
  readonly approvals: readonly (RequestApproval & { readonly createdAt: Date })[];
}

/** A request with valid terms and state. */
export type ReadableRequest = AdminRequest & SignedRequest;

/** Whether terms and state are valid. Only a foreign writer of the database creates other requests. */
export function isReadable(request: AdminRequest): request is ReadableRequest {
  return request.terms !== null && request.decidedOn !== null;
}

/** The author of a step, for the audit log. */
export interface Actor {
  /** Null for the relayer, and for a command with an unknown operator. */
  readonly address: Address | null;
  readonly role: AdminRole | null;
  /** Null for the relayer and for commands. */
  readonly sessionId: string | null;
}

/** The relayer itself. */
export const RELAYER_ITSELF: Actor = { address: null, role: null, sessionId: null };

/** The relations that an `AdminRequest` needs. */
export const WITH_APPROVALS = {
  approvals: { orderBy: [{ createdAt: 'asc' }, { operator: 'asc' }] },
} as const satisfies Prisma.AdminRequestInclude;

/** Converts a row with its relations. */
export function toRequest(row: Prisma.AdminRequestGetPayload<{ include: typeof WITH_APPROVALS }>): AdminRequest {
  const { reason, approvalsNeeded, state, outcome, createdAt, endedAt } = row;
  const terms = requestTermsSchema.safeParse(row.terms);
  return {
    id: row.id as Hex,
    terms: terms.success ? terms.data : null,
    version: row.version as Hex,
    validUntil: Math.floor(row.validUntil.getTime() / 1_000),
    decidedOn: parseRequestSnapshot(row.decidedOn),
    requestedBy: row.requestedBy as Address,
    approvals: row.approvals.map((approval) => ({
      operator: approval.operator as Address,
      signature: approval.signature as Hex,
      createdAt: approval.createdAt,
    })),
    reason,
    approvalsNeeded,
    state,
    outcome,
    createdAt,
    endedAt,
  };
}
