import { getQuote, type CausewayErrorType, type FeeQuoteResponse, type QuoteParameters } from '@causeway/sdk';
import type { UseQueryResult } from '@tanstack/react-query';
import { useRead, type QueryOptions } from './query.js';

/** A quote is valid for five seconds. */
export const VALID_MS = 5_000;

/**
 * Quotes fee and output of a transfer.
 *
 * @param parameters as those of `getQuote`; null while the form is incomplete.
 * @example
 * ```tsx
 * const quote = useQuote({ asset: 'USDC', amount: '25', direction: 'PARTNER_TO_ETHEREUM' });
 * return <p>{quote.error?.nextStep ?? quote.data?.outputAmountFormatted}</p>;
 * ```
 */
export function useQuote(
  parameters: QuoteParameters | null | undefined,
  options: QueryOptions<FeeQuoteResponse> = {},
): UseQueryResult<FeeQuoteResponse, CausewayErrorType> {
  return useRead('quote', parameters, async (bridge, each, signal) => getQuote(bridge, each, { signal }), {
    staleTime: VALID_MS,
    ...options,
  });
}
