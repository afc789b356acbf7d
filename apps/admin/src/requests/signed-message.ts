import {
  requestTypedData,
  requestWords,
  type PreviewResponse,
  type RequestDeployment,
  type RequestResponse,
  type RequestTerms,
  type RequestWords,
} from '@causeway/protocol/admin';
import type { Fact } from './snapshot-facts.js';

/** A request as a page shows it, and the message that the API gives for the wallet. */
export type ShownRequest = Pick<
  RequestResponse,
  'id' | 'terms' | 'decidedOn' | 'version' | 'reason' | 'validUntil' | 'chainIds' | 'typedData'
>;

/** A preview as the request that it becomes. */
export function toShown(preview: PreviewResponse, terms: RequestTerms, reason: string): ShownRequest {
  const { requestId: id, state: decidedOn, version, validUntil, chainIds, typedData } = preview;
  return { id, terms, decidedOn, version, reason, validUntil, chainIds, typedData };
}

/** The words of a request. The page derives them from the terms and the state, as the relayer does. */
export function getWords(request: ShownRequest): RequestWords {
  return requestWords(request, request.chainIds);
}

/** The words, in the order in which the wallet shows them. */
export function wordFacts(request: ShownRequest): readonly Fact[] {
  const { action, amount, recipient, chain, expires, reason } = getWords(request);
  return [
    { label: 'Action', text: action },
    { label: 'Amount', text: amount },
    { label: 'Recipient', text: recipient },
    { label: 'Chain', text: chain },
    { label: 'Expires', text: expires },
    { label: 'Reason', text: reason },
  ];
}

/** The fields that bind the words: the other ones of the message, in the order in which the wallet shows them. */
export function bindingFacts(request: ShownRequest): readonly Fact[] {
  const { id, version, validUntil, typedData } = request;
  const message = typedData === null ? null : deriveTypedData(request, typedData).message;
  return [
    { label: 'Request id', text: id },
    ...(message === null ? [] : [{ label: 'Kind', text: message.kind }]),
    { label: 'Terms', text: message === null ? JSON.stringify(request.terms) : message.terms },
    { label: 'State', text: message === null ? version : message.state },
    { label: 'Valid until', text: String(validUntil) },
  ];
}

/** Whether the message that the wallet would show is the one that the page derives. */
export function isAsShown(request: ShownRequest): boolean {
  const { typedData } = request;
  return typedData === null || JSON.stringify(deriveTypedData(request, typedData)) === JSON.stringify(typedData);
}

/** The message as the relayer derives it. Only its domain comes from the API: the wallet shows it, too. */
function deriveTypedData(
  { typedData: _given, chainIds, ...request }: ShownRequest,
  given: NonNullable<ShownRequest['typedData']>,
) {
  const { domain } = given as unknown as Pick<RequestDeployment, 'domain'>;
  return requestTypedData({ domain, chainIds }, request);
}
