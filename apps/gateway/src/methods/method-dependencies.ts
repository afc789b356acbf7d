import type { Backend } from '../backends/backend.js';
import type { Filters } from '../filters/filters.js';
import type { ServiceInfo } from '../open-rpc/service-info.js';
import type { Subscriptions } from '../subscriptions/subscriptions.js';

/** What the methods work with. */
export interface MethodDependencies {
  readonly backend: Backend;
  readonly filters: Filters;
  readonly subscriptions: Subscriptions;
  /** How rpc.discover introduces the service. */
  readonly info: ServiceInfo;
}
