import { setTimeout } from 'node:timers/promises';
import type { Backend } from '../backends/backend.js';
import type { Method, Methods } from '../jsonrpc/method.js';
import { ClientBudget } from '../client-budget.js';
import { BlockLogs } from '../subscriptions/block-logs.js';
import { Filters } from '../subscriptions/filters.js';
import { HeadFeed } from '../subscriptions/head-feed.js';
import { Subscriptions } from '../subscriptions/subscriptions.js';
import { blockMethods } from './blocks.js';
import { chainMethods } from './chain.js';
import { logMethods, subscriptionMethods } from './events.js';
import { buildOpenRpc, discoverMethod, type ServiceInfo } from './openrpc.js';
import { partnerMethods } from './partner.js';
import { poolMethods } from './pool.js';
import { rawMethods } from './raw.js';
import { sendTransactionSync } from './send-sync.js';
import { simulationMethods } from './simulation.js';
import { stateMethods } from './state.js';

/** The supported methods, with their filters (to be closed at the end) and subscriptions. */
export interface MethodRegistry {
  readonly methods: Methods;
  readonly filters: Filters;
  readonly subscriptions: Subscriptions;
}

function throughBackend({ wholeCalls }: Backend, method: Method): Method {
  if (wholeCalls?.has(method.name) !== true) return method;
  return { ...method, answer: (params, { ip }) => wholeCalls.answer(method.name, params, ip) };
}

/** @param further methods in addition to those of every gateway. */
export function createMethods(
  backend: Backend,
  info: ServiceInfo,
  logger: { warn(details: object, message: string): void },
  budget: ClientBudget = new ClientBudget(),
  further: readonly Method[] = [],
): MethodRegistry {
  const feed = new HeadFeed(backend);
  const blockLogs = new BlockLogs(backend, feed, (ms) => setTimeout(ms, undefined, { ref: false }));
  const filters = new Filters({ backend, feed, blockLogs, budget, now: () => performance.now() });
  const subscriptions = new Subscriptions({ backend, feed, blockLogs, budget, logger });
  const methods = new Map<string, Method>();
  const all = [
    ...chainMethods(backend),
    ...blockMethods(backend),
    ...poolMethods(backend),
    ...stateMethods(backend),
    ...simulationMethods(backend),
    ...rawMethods(backend),
    sendTransactionSync(backend, budget),
    ...logMethods(backend, filters),
    ...subscriptionMethods(subscriptions),
    ...partnerMethods(backend),
    ...further,
    discoverMethod(() => buildOpenRpc(methods, info)),
  ];
  for (const method of all) {
    if (methods.has(method.name)) throw new Error(`The method ${method.name} is defined twice`);
    methods.set(method.name, throughBackend(backend, method));
  }
  return { methods, filters, subscriptions };
}
