import {
  isTerminal,
  watchOperation,
  type BridgeOperationResponse,
  type CausewayError,
  type CausewayErrorType,
  type OperationIdentifier,
  type RetryEvent,
  type SentTransfer,
} from '@causeway/sdk';
import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useCauseway } from './provider.js';
import { makeKey, useRead, type QueryOptions } from './query.js';

/**
 * Follows an operation: `data` is its newest state, and `isFetching` is true until COMPLETED, FAILED or EXPIRED. While
 * the API does not answer, `failureReason` says why and `data` can be out of date. All components share one watch,
 * which stops with the last of them.
 *
 * @param sent the outcome of a transfer, or one id of an operation; null while there is none.
 * @example
 * ```tsx
 * const status = useStatus(transfer.outcome);
 * return <p>{status.data?.status}</p>;
 * ```
 */
export function useStatus(
  sent: SentTransfer | OperationIdentifier | null | undefined,
  options: QueryOptions<BridgeOperationResponse> = {},
): UseQueryResult<BridgeOperationResponse, CausewayErrorType> {
  const { bridge } = useCauseway();
  const client = useQueryClient();
  const identifier = identify(sent);
  return useRead(
    'status',
    identifier,
    async (_, each, signal) => {
      const queryKey = makeKey(bridge, 'status', each);
      const report = (error: CausewayError | null) =>
        client.getQueryCache().find<unknown, CausewayError>({ queryKey })?.setState({ fetchFailureReason: error });
      const reports = { onRetry: ({ error }: RetryEvent) => report(error), onAnswer: () => report(null) };
      let last: BridgeOperationResponse | undefined;
      for await (last of watchOperation(bridge, each, { signal, ...reports })) client.setQueryData(queryKey, last);
      return last as BridgeOperationResponse;
    },
    {
      staleTime: ({ state }) => (state.data !== undefined && isTerminal(state.data.status) ? Infinity : 0),
      ...options,
    },
  );
}

function identify(sent: SentTransfer | OperationIdentifier | null | undefined): OperationIdentifier | null {
  if (sent === null || sent === undefined) return null;
  if (!('record' in sent)) return sent;
  const { record, originTxHash, intentId } = sent;
  // A claim does not cross the bridge.
  if (record.kind === 'CLAIM') return null;
  return intentId === undefined ? { originTxHash } : { intentId };
}
