import type { Bridge, CausewayErrorType } from '@causeway/sdk';
import { skipToken, useQuery, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query';
import { useCauseway } from './provider.js';

/** TanStack Query's options of a read. It does not retry by default, because the SDK does. */
export type QueryOptions<T> = Omit<UseQueryOptions<T, CausewayErrorType>, 'queryKey' | 'queryFn'>;

/** Returns the key of a read. */
export function makeKey({ apiUrl }: Bridge, name: string, parameters: unknown): readonly unknown[] {
  // TanStack Query cannot hash bigints.
  const text = JSON.stringify(parameters, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
  return ['causeway', apiUrl, name, text];
}

/** Reads from the bridge; waits while `parameters` is null. */
export function useRead<P, T>(
  name: string,
  parameters: P | null | undefined,
  read: (bridge: Bridge, parameters: P, signal: AbortSignal) => Promise<T>,
  options: QueryOptions<T>,
): UseQueryResult<T, CausewayErrorType> {
  const { bridge } = useCauseway();
  return useQuery({
    retry: false,
    ...options,
    queryKey: makeKey(bridge, name, parameters),
    queryFn:
      parameters === null || parameters === undefined
        ? skipToken
        : async ({ signal }) => read(bridge, parameters, signal),
  });
}
