import type { Logger } from 'pino';
import type { Backend } from './backend.js';
import { createEmbeddedBackend, type EmbeddedOptions } from './embedded/embedded-backend.js';
import type { UpstreamOptions } from './upstream/options.js';
import { createUpstreamBackend } from './upstream/upstream-backend.js';

/** Which backend the gateway opens, and its options. */
export type BackendOptions =
  | ({ readonly kind: 'embedded' } & Omit<EmbeddedOptions, 'logger'>)
  | ({ readonly kind: 'upstream' } & Omit<UpstreamOptions, 'logger'>);

/** @throws ConfigurationError for an invalid directory, genesis file or system clock, or nodes of another chain. */
export function createBackend(options: BackendOptions, logger: Logger): Promise<Backend> {
  return options.kind === 'embedded'
    ? createEmbeddedBackend({ ...options, logger })
    : createUpstreamBackend({ ...options, logger });
}
