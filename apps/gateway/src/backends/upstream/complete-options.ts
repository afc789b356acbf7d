// A name of its own: the global one is looked up by a getter, on every call.
import { performance } from 'node:perf_hooks';
import type { UpstreamOptions } from './upstream-options.js';

const MIB = 1024 * 1024;

/**
 * Fills in what was left open.
 *
 * @throws Error when no address is given, or one is not http or https. The message holds no address: there may be a key in it.
 */
export function completeOptions(options: UpstreamOptions): Required<UpstreamOptions> {
  if (options.urls.length === 0) throw new Error('The upstream backend needs the address of a node');
  for (const [index, url] of options.urls.entries()) {
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
      throw new Error(`Upstream node ${index + 1}: not an http(s) address`);
  }
  return {
    genesisHash: null,
    pollIntervalMs: 300,
    probeTimeoutMs: 2_000,
    timeoutMs: 5_000,
    heavyTimeoutMs: 20_000,
    maxLagBlocks: 3,
    confirmations: 6,
    retreatPatienceMs: 5_000,
    maxBatchCalls: 100,
    maxResponseBytes: 64 * MIB,
    cacheBytes: 64 * MIB,
    maxLogs: 10_000,
    logger: { info: () => undefined, warn: () => undefined },
    clock: () => performance.now(),
    ...options,
  };
}
