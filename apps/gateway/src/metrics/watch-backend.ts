import type { Backend } from '../backends/backend.js';
import type { GatewayMetrics } from './gateway-metrics.js';

/** Shows the backend's state among the metrics. */
export function watchBackend(metrics: GatewayMetrics, backend: Backend): void {
  const nodes = () => backend.status().nodes;
  metrics.watch('backend_available', '1 if calls can be answered, else 0', () => Number(backend.status().available));
  metrics.watch('backend_syncing', '1 while the backend catches up, else 0', () =>
    Number(backend.status().syncing !== false),
  );
  metrics.watch('backend_block_number', 'The newest block', () => backend.status().blockNumber ?? Number.NaN);
  metrics.watchNodes('node_healthy', '1 if the node is used, else 0', () =>
    nodes().map(({ name, healthy }) => [name, Number(healthy)] as const),
  );
  metrics.watchNodes('node_block_number', 'The newest block of a node', () =>
    nodes().map(({ name, blockNumber }) => [name, blockNumber ?? Number.NaN] as const),
  );
  metrics.watchNodes('node_latency_seconds', 'How long a node took to answer last', () =>
    nodes().map(({ name, latencyMs }) => [name, latencyMs === null ? Number.NaN : latencyMs / 1_000] as const),
  );
}
