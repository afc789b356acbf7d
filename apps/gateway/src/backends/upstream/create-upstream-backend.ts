import type { Backend } from '../backend.js';
import { completeOptions } from './complete-options.js';
import { UpstreamBackend } from './upstream-backend.js';
import type { UpstreamOptions } from './upstream-options.js';

/**
 * Connects to one or more nodes of a chain and looks at each of them once.
 *
 * It does not wait for a node to be usable: until one is, calls are answered with RESOURCE_UNAVAILABLE and `status()` says what is wrong.
 *
 * @throws Error when the addresses are none.
 */
export async function createUpstreamBackend(options: UpstreamOptions): Promise<Backend> {
  const backend = new UpstreamBackend(completeOptions(options));
  await backend.start();
  return backend;
}
