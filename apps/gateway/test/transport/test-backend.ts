import type { Backend, BackendStatus } from '../../src/backends/backend.js';

/** A backend that is asked nothing but how it is. */
export class TestBackend implements Backend {
  closed = false;
  available = true;

  request(): Promise<unknown> {
    return Promise.reject(new Error('The transport asks a backend nothing'));
  }

  listen(): () => void {
    return () => undefined;
  }

  status(): BackendStatus {
    const healthy = this.available;
    return {
      kind: 'upstream',
      available: this.available,
      syncing: false,
      blockNumber: 7,
      nodes: [
        { name: 'node-1', healthy, blockNumber: 7, latencyMs: 12, problem: healthy ? null : 'no answer' },
        { name: 'node-2', healthy: false, blockNumber: null, latencyMs: null, problem: 'no answer' },
      ],
    };
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}
