import { RpcError } from '../../jsonrpc/errors.js';
import type { Backend, BackendListener, BackendStatus, SyncState } from '../backend.js';
import type { Asker } from '../asker.js';
import { askNodes, type ChainView } from './ask-nodes.js';
import { callText } from './call-text.js';
import { GenesisPin } from './genesis-pin.js';
import { HeadTracker } from './head-tracker.js';
import { isCallFrame } from './is-call-frame.js';
import { JsonRpcNode } from './json-rpc-node.js';
import { Listeners } from './listeners.js';
import { NodeMonitor } from './node-monitor.js';
import { NodeSet } from './node-set.js';
import { PendingWatcher } from './pending-watcher.js';
import { readValidators, type Validator } from './read-validators.js';
import { ResultCache } from './result-cache.js';
import { submitTransaction } from './submit-transaction.js';
import type { UpstreamOptions } from './upstream-options.js';
import { withFinalBlock } from './with-final-block.js';

/** Blocks whose makers count as the active validators. */
const VALIDATOR_BLOCKS = 100;

/** One or more real nodes of the same chain, as one that does not fail while one of them works. */
export class UpstreamBackend implements Backend {
  private readonly genesis: GenesisPin;
  private readonly nodes: NodeSet;
  private readonly tracker: HeadTracker;
  private readonly cache: ResultCache;
  private readonly pending: PendingWatcher;
  private readonly listeners: Listeners;
  private readonly view: ChainView;
  private syncState: SyncState = false;
  private closed = false;

  constructor(private readonly options: Required<UpstreamOptions>) {
    this.genesis = new GenesisPin(options.genesisHash);
    const monitors = options.urls.map(
      (url) =>
        new NodeMonitor(new JsonRpcNode(url, options), options, this.genesis, (monitor) => this.nodeLooked(monitor)),
    );
    this.nodes = new NodeSet(monitors, options.maxLagBlocks, options.clock);
    this.view = { nodes: this.nodes, head: () => this.tracker.number };
    this.cache = new ResultCache(options.cacheBytes, options.confirmations);
    this.tracker = new HeadTracker(
      options,
      (event) => this.listeners.head(event),
      () => this.cache.clear(),
    );
    this.pending = new PendingWatcher(
      () => this.nodes.first()?.node ?? null,
      (hash) => this.listeners.pendingTransaction(hash),
      options.pollIntervalMs,
    );
    this.listeners = new Listeners((count) => (count > 0 ? this.pending.start() : this.pending.stop()));
  }

  /** Looks at all nodes once and then in intervals. */
  async start(): Promise<void> {
    const { monitors } = this.nodes;
    const rest = [...monitors];
    // One by one until one has shown its first block: which chain is meant does not depend on who answers first.
    while (!this.genesis.known && rest.length > 0) await rest.shift()?.look();
    await Promise.all(rest.map((monitor) => monitor.look()));
    if (this.nodes.first() === null) this.options.logger.warn('No upstream node can be used yet');
    for (const monitor of monitors) monitor.start();
  }

  request(method: string, given: readonly unknown[]): Promise<unknown> {
    if (this.closed) return Promise.reject(shuttingDown());
    const params = withFinalBlock(given, this.tracker.shown, this.options.confirmations);
    switch (method) {
      case 'eth_chainId':
        return Promise.resolve(`0x${this.options.chainId.toString(16)}`);
      case 'eth_syncing':
        return Promise.resolve(this.nodes.syncing());
      case 'eth_sendRawTransaction':
        return submitTransaction(this.nodes, params[0]);
      case 'eth_getLogs':
        return this.logs(params);
      case 'eth_blockNumber':
        return this.blockNumber();
      case 'partner_getValidators':
        return this.validators();
      case 'debug_traceTransaction':
        return this.callTree(params);
      default:
        return this.cache.concerns(method) ? this.readCached(method, params) : this.ask(method, params);
    }
  }

  listen(listener: BackendListener): () => void {
    return this.listeners.add(listener);
  }

  status(): BackendStatus {
    return {
      kind: 'upstream',
      available: !this.closed && this.nodes.first() !== null,
      syncing: this.nodes.syncing(),
      blockNumber: this.tracker.number,
      nodes: this.nodes.statuses(),
    };
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.pending.stop();
    await Promise.all(this.nodes.monitors.map((monitor) => monitor.close()));
  }

  private ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const question = { method, params, text: callText(method, params) };
    return new Promise((resolve, reject) => askNodes(this.view, question, { resolve, reject }));
  }

  private askPlainly(method: string, text: string, asker: Asker): void {
    if (this.closed) asker.reject(shuttingDown());
    else askNodes(this.view, { method, params: null, text }, asker);
  }

  private async readCached(method: string, params: readonly unknown[]): Promise<unknown> {
    const kept = this.cache.get(method, params);
    if (kept !== undefined) return kept.result;
    const { epoch } = this.cache;
    const result = await this.ask(method, params);
    this.cache.put(method, params, result, this.tracker.shown, epoch);
    return result;
  }

  private blockNumber(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.askPlainly('eth_blockNumber', callText('eth_blockNumber', []), this.seenBy({ resolve, reject }));
    });
  }

  /** Tells the asker of a block number, and sees it as the head. */
  private seenBy(asker: Asker): Asker {
    return {
      resolve: (number) => {
        this.tracker.saw(Number(number));
        asker.resolve(number);
      },
      reject: (error) => asker.reject(error),
    };
  }

  private async logs(params: readonly unknown[]): Promise<unknown> {
    const logs = await this.ask('eth_getLogs', params);
    const { maxLogs } = this.options;
    if (Array.isArray(logs) && logs.length > maxLogs) {
      throw new RpcError('INVALID_PARAMS', `more than ${maxLogs} logs, narrow the block range`);
    }
    return logs;
  }

  private async callTree(params: readonly unknown[]): Promise<unknown> {
    const tree = await this.ask('debug_traceTransaction', params);
    if (isCallFrame(tree)) return tree;
    if ((await this.readCached('eth_getTransactionReceipt', [params[0]])) === null) {
      throw new RpcError('RESOURCE_NOT_FOUND', 'the transaction is not in a block');
    }
    throw new RpcError('METHOD_NOT_SUPPORTED', 'the node has no callTracer');
  }

  /** A partner chain's node names its validators itself; of any other chain the makers of the latest blocks are told. */
  private async validators(): Promise<unknown> {
    try {
      return await this.ask('partner_getValidators', []);
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind !== 'METHOD_NOT_SUPPORTED') throw error;
      return this.recentMakers();
    }
  }

  private async recentMakers(): Promise<Validator[]> {
    const head = Number(await this.blockNumber());
    const count = Math.min(VALIDATOR_BLOCKS, head + 1);
    const blocks = Array.from({ length: count }, (_, index) =>
      this.readCached('eth_getBlockByNumber', [`0x${(head - index).toString(16)}`, false]),
    );
    return readValidators(await Promise.all(blocks));
  }

  private async nodeLooked(monitor: NodeMonitor): Promise<void> {
    const { header } = monitor.health;
    if (header !== null && this.nodes.first() === monitor) await this.tracker.follow(monitor.node, header);
    const state = this.nodes.syncing();
    if (JSON.stringify(state) === JSON.stringify(this.syncState)) return;
    this.syncState = state;
    this.listeners.syncing(state);
  }
}

function shuttingDown(): RpcError {
  return new RpcError('RESOURCE_UNAVAILABLE', 'the gateway is shutting down, try again');
}
