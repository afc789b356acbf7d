import { buildOpenRpc } from '../open-rpc/build-open-rpc.js';
import { discoverMethod } from '../open-rpc/discover-method.js';
import { accountMethods } from './eth/account-methods.js';
import { blockMethods } from './eth/block-methods.js';
import { chainMethods } from './eth/chain-methods.js';
import { executionMethods } from './eth/execution-methods.js';
import { feeMethods } from './eth/fee-methods.js';
import { logMethods } from './eth/log-methods.js';
import { partnerMethods } from './eth/partner-methods.js';
import { subscriptionMethods } from './eth/subscription-methods.js';
import { transactionMethods } from './eth/transaction-methods.js';
import type { MethodDependencies } from './method-dependencies.js';
import type { Method } from './method.js';

/** Every method on offer, by name. */
export function buildMethods({
  backend,
  filters,
  subscriptions,
  info,
}: MethodDependencies): ReadonlyMap<string, Method> {
  const methods = new Map<string, Method>();
  const discover = discoverMethod(() => buildOpenRpc(methods, info));
  const all = [
    ...chainMethods(backend),
    ...blockMethods(backend),
    ...accountMethods(backend),
    ...transactionMethods(backend),
    ...executionMethods(backend),
    ...feeMethods(backend),
    ...logMethods(backend, filters),
    ...subscriptionMethods(subscriptions),
    ...partnerMethods(backend),
    discover,
  ];
  for (const method of all) {
    if (methods.has(method.name)) throw new Error(`There are two methods ${method.name}`);
    methods.set(method.name, method);
  }
  return methods;
}
