import {
  checkTransfer,
  type CausewayErrorType,
  type CheckReport,
  type CheckTerms,
  type PlannedTransfer,
  type Wallet,
} from '@causeway/sdk';
import type { UseQueryResult } from '@tanstack/react-query';
import { useRead, type QueryOptions } from './query.js';
import { VALID_MS } from './quote.js';

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
