import { startAnvil, waitUntil, type Anvil, type AnvilOptions } from '@causeway/test-kit';
import { afterEach } from '@jest/globals';
import type { Backend } from '../../src/backends/backend.js';
import { createUpstreamBackend } from '../../src/backends/upstream/upstream-backend.js';
import type { UpstreamOptions } from '../../src/backends/upstream/options.js';

const CHAIN_ID = 8901;
const GENESIS_TIME = 1_700_000_000;

/** Nodes and backends of a test, closed at its end. */
export class UpstreamFixture {
  readonly chainId = CHAIN_ID;
  /** Equal arguments make an equal first block, and blocks with equal times an equal chain. */
  readonly twin: AnvilOptions = { args: ['--timestamp', String(GENESIS_TIME), '--no-mining'] };
  private readonly endings: (() => Promise<void>)[] = [];

  /** To be called where tests are declared. */
  constructor() {
    afterEach(async () => {
      for (const end of this.endings.splice(0).toReversed()) await end();
    });
  }

  /** @param end called after the test. */
  endWith(end: () => Promise<void>): void {
    this.endings.push(end);
  }

  /** Starts an anvil with the chain id of the tests; without options it makes a block for every transaction. */
  async start(options: AnvilOptions = {}): Promise<Anvil> {
    const anvil = await startAnvil({ chainId: CHAIN_ID, ...options });
    this.endWith(anvil.stop);
    return anvil;
  }

  startTwins(): Promise<[Anvil, Anvil]> {
    return Promise.all([this.start(this.twin), this.start(this.twin)]);
  }

  async connect(urls: readonly string[], options: Partial<UpstreamOptions> = {}): Promise<Backend> {
    const backend = await createUpstreamBackend({ urls, chainId: CHAIN_ID, pollIntervalMs: 50, ...options });
    this.endWith(() => backend.close());
    return backend;
  }

  /** Mines the same blocks on every twin, with equal times. */
  async mineOn(nodes: readonly Anvil[], count: number, first = 1): Promise<void> {
    for (let block = first; block < first + count; block++) {
      for (const node of nodes) await node.request('evm_mine', [{ timestamp: GENESIS_TIME + block }]);
    }
  }

  async until(condition: () => boolean): Promise<void> {
    await waitUntil('the expected state is reached', condition, { timeoutMs: 10_000 });
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }
}
