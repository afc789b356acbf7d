import {
  checkTransfer,
  getQuote,
  type CausewayErrorType,
  type CheckReport,
  type CheckTerms,
  type FeeQuoteResponse,
  type PlannedTransfer,
  type QuoteParameters,
  type Wallet,
} from '@causeway/sdk';
import type { UseQueryResult } from '@tanstack/react-query';
import { useRead, type QueryOptions } from './query.js';

/** A quote is valid for five seconds. */
const VALID_MS = 5_000;

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

/** Arguments of `useCheck`. */
export interface UseCheckParameters extends Omit<CheckTerms, 'signal'> {
  /** The check runs again for another account. After a change of chain, call `refetch`. */
  readonly wallet: Wallet | null | undefined;
  /** Null while the form is incomplete. */
  readonly transfer: PlannedTransfer | null | undefined;
}

/**
 * Runs the check of a flow, so that a form can show the findings. It opens no window of the wallet.
 *
 * @example
 * ```tsx
 * const check = useCheck({ wallet, transfer: { kind: 'DEPOSIT', asset: 'ETH', amount: '0.5', recipient } });
 * return check.data?.findings.map(({ code, message }) => <li key={code}>{message}</li>);
 * ```
 */
export function useCheck(
  { wallet, transfer, ...terms }: UseCheckParameters,
  options: QueryOptions<CheckReport> = {},
): UseQueryResult<CheckReport, CausewayErrorType> {
  const isReady = wallet !== null && wallet !== undefined && transfer !== null && transfer !== undefined;
  return useRead(
    'check',
    // A wallet is not serializable; its account identifies it.
    isReady ? { account: wallet.account, transfer, terms } : null,
    async (bridge, each, signal) => checkTransfer(bridge, wallet as Wallet, each.transfer, { ...each.terms, signal }),
    { staleTime: VALID_MS, ...options },
  );
}
