import { getHistory, type AddressHistory, type BridgeOperationResponse, type CausewayErrorType } from '@causeway/sdk';
import { skipToken, useInfiniteQuery, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { useCauseway } from './provider.js';
import { makeKey } from './query.js';

/** A result of `useHistory`: all operations read so far. */
export type UseHistoryResult = UseInfiniteQueryResult<readonly BridgeOperationResponse[], CausewayErrorType>;

/**
 * Reads the operations of an account, newest first, page by page: `data` has those read so far, `fetchNextPage` reads
 * more, and `hasNextPage` says whether there are more.
 *
 * @param parameters as those of `getHistory`; null while no account is known.
 * @example
 * ```tsx
 * const history = useHistory({ address: wallet.account });
 * return history.data?.map(({ id, status }) => <li key={id}>{status}</li>);
 * ```
 */
export function useHistory(parameters: Omit<AddressHistory, 'cursor'> | null | undefined): UseHistoryResult {
  const { bridge } = useCauseway();
  return useInfiniteQuery({
    queryKey: makeKey(bridge, 'history', parameters),
    queryFn:
      parameters === null || parameters === undefined
        ? skipToken
        : async ({ pageParam, signal }) => getHistory(bridge, { ...parameters, cursor: pageParam }, { signal }),
    initialPageParam: undefined as AddressHistory['cursor'],
    getNextPageParam: ({ pagination }) => pagination.nextCursor,
    select: ({ pages }) => pages.flatMap(({ operations }) => operations),
    retry: false,
  });
}
