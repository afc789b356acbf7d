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

/** A request as a page shows it, with the API's message for the wallet. */
export type ShownRequest = Pick<
  RequestResponse,
  'id' | 'terms' | 'decidedOn' | 'version' | 'reason' | 'validUntil' | 'chainIds' | 'typedData'
>;

/** Converts a preview to the request that it becomes. */
export function toShown(preview: PreviewResponse, terms: RequestTerms, reason: string): ShownRequest {
  const { requestId: id, state: decidedOn, version, validUntil, chainIds, typedData } = preview;
  return { id, terms, decidedOn, version, reason, validUntil, chainIds, typedData };
}

/** Derives the words of a request from its terms and state, as the relayer does. */
export function getWords(request: ShownRequest): RequestWords {
  return requestWords(request, request.chainIds);
}

/** Returns the words in the wallet's order. */
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

/** Returns the other fields of the message, which bind the words, in the wallet's order. */
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

/** Returns whether the API's message for the wallet equals the one that the page derives. */
export function isAsShown(request: ShownRequest): boolean {
  const { typedData } = request;
  return typedData === null || JSON.stringify(deriveTypedData(request, typedData)) === JSON.stringify(typedData);
}

/** Derives the message as the relayer does. Only the domain, which the wallet also shows, comes from the API. */
function deriveTypedData(
  { typedData: _given, chainIds, ...request }: ShownRequest,
  given: NonNullable<ShownRequest['typedData']>,
) {
  const { domain } = given as unknown as Pick<RequestDeployment, 'domain'>;
  return requestTypedData({ domain, chainIds }, request);
}
