import {
  requestTypedData,
  requestWords,
  type PreviewResponse,
  type RequestDeployment,
  type RequestResponse,
  type RequestTerms,
  type RequestWords,
} from '@causeway/protocol/admin';
import type { Values } from './decided-state.js';

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
export function wordsOf(request: ShownRequest): RequestWords {
  return requestWords(request, request.chainIds);
}

/** What binds the words: the other fields of the message, exactly as the wallet shows them. */
export function bindingFields(request: ShownRequest): Values {
  const { id, terms, version, validUntil, typedData } = request;
  if (typedData === null) return { requestId: id, terms: JSON.stringify(terms), state: version, validUntil };
  const words = wordsOf(request);
  return Object.fromEntries(Object.entries(messageOf(typedData)).filter(([name]) => !(name in words)));
}

/** Whether the message that the wallet would show is the one that the page derives. */
export function isAsShown({ typedData, chainIds, ...request }: ShownRequest): boolean {
  if (typedData === null) return true;
  const { domain } = typedData as unknown as Pick<RequestDeployment, 'domain'>;
  return JSON.stringify(requestTypedData({ domain, chainIds }, request)) === JSON.stringify(typedData);
}

function messageOf({ message }: Values): Values {
  return typeof message === 'object' && message !== null ? (message as Values) : {};
}
