import { afterEach } from '@jest/globals';
import type { Backend } from '../../src/backends/backend.js';
import { createUpstreamBackend } from '../../src/backends/upstream/upstream-backend.js';
import type { UpstreamOptions } from '../../src/backends/upstream/options.js';
import { startAnvil, type Anvil } from '../processes/start-anvil.js';

const CHAIN_ID = 8901;
const GENESIS_TIME = 1_700_000_000;
const TRIES = 400;
const PAUSE_MS = 25;

/** Starts nodes and backends for a test and ends them after it. */
export class UpstreamFixture {
  readonly chainId = CHAIN_ID;
  /** Nodes with these arguments have the same first block, and with blocks at the same times the same chain. */
  readonly twin = ['--chain-id', String(CHAIN_ID), '--timestamp', String(GENESIS_TIME), '--no-mining'];
  private readonly endings: (() => Promise<void>)[] = [];

  /** Call it at the top level of a test file: it registers an `afterEach`. */
  constructor() {
    afterEach(async () => {
      for (const end of this.endings.splice(0).toReversed()) await end();
    });
  }

  /** @param end called after the test. */
  endWith(end: () => Promise<void>): void {
    this.endings.push(end);
  }

  /** @param args of anvil. By default it makes a block for every transaction. */
  async start(args: readonly string[] = ['--chain-id', String(CHAIN_ID)], port?: number): Promise<Anvil> {
    const anvil = await startAnvil(args, port);
    this.endWith(anvil.kill);
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

  /** Mines the same blocks on every twin, with fixed times. */
  async mineOn(nodes: readonly Anvil[], count: number, first = 1): Promise<void> {
    for (let block = first; block < first + count; block++) {
      for (const node of nodes) await node.ask('evm_mine', [{ timestamp: GENESIS_TIME + block }]);
    }
  }

  /** @throws Error when the condition is still false after ten seconds. */
  async until(condition: () => boolean): Promise<void> {
    for (let round = 0; round < TRIES; round++) {
      if (condition()) return;
      await this.pause(PAUSE_MS);
    }
    throw new Error(`still false after ten seconds: ${condition.toString()}`);
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }
}
