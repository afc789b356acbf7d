import { getState, type CausewayErrorType, type Direction, type StateResponse } from '@causeway/sdk';
import { useQuery } from '@tanstack/react-query';
import { useBridge } from '../settings/context.js';
import { readDirection, type DirectionAnswer } from '../status/direction-state.js';
import { MOVE } from '../words/move.js';

/** Interval and time-out of a poll: together the form closes well within 20 seconds. */
const POLL_MS = 5_000;
/** Difference of clocks from which deadlines of signatures suffer. */
const MOST_CLOCK_MS = 5 * 60_000;

/** Why no transfer can begin. */
export type Closed = Omit<DirectionAnswer, 'open'>;

/** Judges from the newest state whether a direction is closed; null while it is open. Pure. */
export function judgeClosed(
  { data, error }: { readonly data: StateResponse | undefined; readonly error: CausewayErrorType | null },
  asset: string,
  direction: Direction,
  isOnline: boolean,
): Closed | null {
  if (!isOnline) return { reason: MOVE.closed.OFFLINE, problem: null, until: null };
  if (error !== null) {
    const isBusy = error.name === 'ApiError' && error.status === 429;
    const reason = isBusy ? MOVE.closed.API_BUSY : MOVE.closed.API_AWAY;
    return { reason, problem: `${error.message.replace(/\.?$/, '.')} ${error.nextStep}`, until: null };
  }
  if (data === undefined) return null;
  const { open, ...closed } = readDirection(data, asset, direction);
  return open ? null : closed;
}

/** Polls the state of the bridge: why a direction is closed, null while it is open, and whether the clocks differ. */
export function useClosed(asset: string, direction: Direction) {
  const bridge = useBridge();
  const { data, dataUpdatedAt, error } = useQuery<StateResponse, CausewayErrorType>({
    queryKey: ['state', 'form'],
    queryFn: async ({ signal }) => getState({ ...bridge, timeoutMs: POLL_MS }, { signal }),
    refetchInterval: POLL_MS,
  });
  return {
    closed: judgeClosed({ data, error }, asset, direction, navigator.onLine),
    isClockOff: data !== undefined && Math.abs(dataUpdatedAt - Date.parse(data.time)) > MOST_CLOCK_MS,
  };
}
