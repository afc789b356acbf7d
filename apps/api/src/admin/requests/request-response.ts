import type { IntentDomain } from '@causeway/protocol';
import { requestTypedData, type RequestResponse } from '@causeway/protocol/admin';
import type { AdminRequest, ReadableRequest } from '@causeway/store';

/** Whether a request has terms that can be shown. Only a foreign writer of the database makes another. */
export function isReadable(request: AdminRequest): request is ReadableRequest {
  return request.terms !== null;
}

/** The answer for one request. `typedData`: what its next approver signs. */
export function toRequestResponse(domain: IntentDomain, request: ReadableRequest): RequestResponse {
  const { id, terms, reason, state, version, decidedOn, requestedBy, validUntil, approvalsNeeded, outcome } = request;
  const approvals = request.approvals.map(({ operator, createdAt }) => ({
    address: operator,
    at: createdAt.toISOString(),
  }));
  return {
    id,
    terms,
    reason,
    state,
    version,
    decidedOn,
    requestedBy,
    createdAt: request.createdAt.toISOString(),
    validUntil,
    approvalsNeeded,
    approvals,
    typedData: approvalsNeeded === 0 ? null : requestTypedData(domain, request),
    endedAt: request.endedAt?.toISOString() ?? null,
    outcome,
  };
}
