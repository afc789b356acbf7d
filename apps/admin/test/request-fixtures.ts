import {
  requestTypedData,
  computeVersion,
  type RequestSnapshot,
  type PreviewResponse,
  type RequestResponse,
  type RequestTerms,
} from '@causeway/protocol/admin';
import { account, ago, AMOUNT, hash, HOSTILE } from './fixtures.js';

// Requests of the admin API, with words and messages derived as in the API.

/** The deployment whose requests are signed. */
const DEPLOYMENT = {
  domain: { name: 'Causeway', version: '1', chainId: 8_901, verifyingContract: account('0a') },
  chainIds: { ethereum: 31_337, partner: 8_901 },
} as const;

/** The state of the refund. */
export const REFUND_STATE = {
  about: 'refund',
  status: 'REQUESTED',
  operationId: hash('ab'),
  chainId: 8_901,
  asset: 'XCN',
  amount: AMOUNT,
  payer: account('a1'),
  recipient: null,
} as const satisfies RequestSnapshot;

/** The approval of the refund to its payer. */
const APPROVAL = {
  kind: 'REFUND_APPROVE',
  refundId: hash('e1'),
  recipient: account('a1'),
  amount: AMOUNT,
} as const satisfies RequestTerms;

/** A request of another member that needs one more approval. */
export function request(
  id: string = hash('f1'),
  state: RequestResponse['state'] = 'AWAITING_APPROVAL',
): RequestResponse {
  const signed = {
    id: id as `0x${string}`,
    terms: APPROVAL,
    decidedOn: REFUND_STATE,
    reason: `The payer wrote to us; the transfer named no intent. ${HOSTILE}`,
    validUntil: Math.floor(Date.now() / 1_000) + 780,
  };
  return {
    ...signed,
    state,
    version: computeVersion(REFUND_STATE),
    chainIds: DEPLOYMENT.chainIds,
    requestedBy: account('e5'),
    createdAt: ago(100),
    approvalsNeeded: 2,
    approvals: [{ address: account('e5'), at: ago(100) }],
    typedData: requestTypedData(DEPLOYMENT, signed),
    endedAt: state === 'DONE' || state === 'REFUSED' || state === 'EXPIRED' ? ago(1) : null,
    outcome: state === 'DONE' ? 'The refund is approved.' : null,
  };
}

/** The answer of the API to the body of a preview, in this state. */
export function preview(
  requestId: `0x${string}`,
  { terms, reason }: { readonly terms: RequestTerms; readonly reason: string },
  state: RequestSnapshot,
  isSigned: boolean,
): PreviewResponse {
  const validUntil = Math.floor(Date.now() / 1_000) + 900;
  const signed = { id: requestId, terms, decidedOn: state, reason, validUntil };
  return {
    requestId,
    version: computeVersion(state),
    validUntil,
    approvalsNeeded: isSigned ? 2 : 0,
    state,
    chainIds: DEPLOYMENT.chainIds,
    typedData: isSigned ? requestTypedData(DEPLOYMENT, signed) : null,
  };
}
