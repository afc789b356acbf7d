import type { Fleet } from '@causeway/testbed/services';
import type { Operations } from './operations.js';
import { prepareRequests } from './requests.js';
import { Traffic } from './traffic.js';

/** Requests a second of all clients. */
const REQUESTS_PER_SECOND = 500;

/**
 * Runs work while clients send requests and a number of operations are in flight.
 *
 * @returns the wrongly answered requests, and the number of requests.
 */
export async function underTraffic(fleet: Fleet, operations: Operations, inFlight: number, work: () => Promise<void>) {
  const requests = await prepareRequests(fleet, operations.firstTxHash);
  const isOver = new AbortController();
  await operations.keepInFlight(inFlight, isOver.signal);
  const traffic = new Traffic(requests, REQUESTS_PER_SECOND);
  let sent = 0;
  try {
    await work();
  } finally {
    isOver.abort();
    sent = await traffic.stop();
  }
  return { failures: traffic.failures, sent };
}
