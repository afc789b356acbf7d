import { requestTypedData, type RequestDeployment, type RequestResponse } from '@causeway/protocol/admin';
import type { ReadableRequest } from '@causeway/store';

/** Converts a request. `typedData` is what its next approver signs. */
export function toRequestResponse(deployment: RequestDeployment, request: ReadableRequest): RequestResponse {
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
    chainIds: deployment.chainIds,
    requestedBy,
    createdAt: request.createdAt.toISOString(),
    validUntil,
    approvalsNeeded,
    approvals,
    typedData: approvalsNeeded === 0 ? null : requestTypedData(deployment, request),
    endedAt: request.endedAt?.toISOString() ?? null,
    outcome,
  };
}
