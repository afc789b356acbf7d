import type { Logger } from 'pino';
import type { Backend } from './backend.js';
import { createEmbeddedBackend, type EmbeddedOptions } from './embedded/create-embedded-backend.js';
import { createUpstreamBackend } from './upstream/create-upstream-backend.js';
import type { UpstreamOptions } from './upstream/upstream-options.js';

/** What stands behind the gateway, and how. */
export type BackendOptions =
  | ({ readonly kind: 'embedded' } & Omit<EmbeddedOptions, 'logger'>)
  | ({ readonly kind: 'upstream' } & Omit<UpstreamOptions, 'logger'>);

/**
 * Opens what stands behind the gateway.
 *
 * @throws Error that says why it cannot be: a directory of another chain, no node of the right chain, …
 */
export function createBackend(options: BackendOptions, logger: Logger): Promise<Backend> {
  return options.kind === 'embedded'
    ? createEmbeddedBackend({ ...options, logger })
    : createUpstreamBackend({ ...options, logger });
}
