import { setTimeout } from 'node:timers/promises';
import type { Backend } from '../backends/backend.js';
import { Filters } from '../filters/filters.js';
import type { ServiceInfo } from '../open-rpc/service-info.js';
import { BlockLogs } from '../subscriptions/block-logs.js';
import { ChainFeed } from '../subscriptions/chain-feed.js';
import { Subscriptions } from '../subscriptions/subscriptions.js';
import { buildMethods } from './build-methods.js';
import type { Method } from './method.js';

/** The methods on offer and what they keep. */
export interface CreatedMethods {
  readonly methods: ReadonlyMap<string, Method>;
  readonly filters: Filters;
  readonly subscriptions: Subscriptions;
}

/**
 * Puts the methods together with filters and subscriptions of their own. Filters are to be closed at the end.
 *
 * @param logger hears of subscribers that had to be disconnected.
 */
export function createMethods(
  backend: Backend,
  info: ServiceInfo,
  logger: { warn(details: object, message: string): void },
): CreatedMethods {
  const feed = new ChainFeed(backend);
  const blockLogs = new BlockLogs(backend, feed, (ms) => setTimeout(ms, undefined, { ref: false }));
  const filters = new Filters({ backend, feed, blockLogs, now: () => performance.now() });
  const subscriptions = new Subscriptions({ backend, feed, blockLogs, logger });
  return { methods: buildMethods({ backend, filters, subscriptions, info }), filters, subscriptions };
}
