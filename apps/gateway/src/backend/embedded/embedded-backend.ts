import type { PartnerChain } from '@causeway/partner-chain';
import { hexToBytes, type Hex } from 'viem';
import { RpcError } from '../../json-rpc/rpc-error.js';
import type { Backend, BackendListener, BackendStatus } from '../backend.js';
import { CallTrees } from './call-trees.js';
import { findBlock } from './find-block.js';
import { formatHeader } from './format/format-header.js';
import { FormattedBlocks } from './formatted-blocks.js';
import { blockHandlers } from './handlers/block-handlers.js';
import { feeHandlers } from './handlers/fee-handlers.js';
import type { Handlers } from './handlers/handlers.js';
import { logHandlers } from './handlers/log-handlers.js';
import { nodeHandlers } from './handlers/node-handlers.js';
import { stateHandlers } from './handlers/state-handlers.js';
import { transactionHandlers } from './handlers/transaction-handlers.js';
import { laneOf } from './lane-of.js';
import { Lanes } from './lanes.js';
import { toRpcError } from './to-rpc-error.js';

/** Where the embedded chain tells of its own faults. */
export interface EmbeddedLogger {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** The partner chain within this process. It makes the blocks itself, so it neither lags nor reorganises. */
export class EmbeddedBackend implements Backend {
  /** The call trees that were asked for lately, whoever asked. */
  readonly callTrees: CallTrees;
  readonly lazyAccountGas: bigint;
  readonly #handlers: ReadonlyMap<string, (...params: never[]) => unknown>;
  readonly #lanes = new Lanes();
  readonly #stopListening: () => void;
  #failure: string | null = null;

  /** @param clientVersion what web3_clientVersion answers. */
  constructor(
    readonly chain: PartnerChain,
    clientVersion: string,
    logger: EmbeddedLogger,
  ) {
    this.lazyAccountGas = chain.options.lazyAccountGas;
    this.callTrees = new CallTrees(chain.reader);
    const handlers: Handlers = {
      ...nodeHandlers(chain, clientVersion),
      ...blockHandlers(chain, new FormattedBlocks(chain)),
      ...transactionHandlers(chain, this.callTrees),
      ...stateHandlers(chain),
      ...logHandlers(chain),
      ...feeHandlers(chain),
    };
    this.#handlers = new Map(Object.entries(handlers));
    this.#stopListening = chain.listen({
      onBlock: () => undefined,
      onPendingTransaction: () => undefined,
      onFault: (error) => logger.warn({ err: error }, 'A transaction was dropped'),
      onFailure: (error) => {
        this.#failure = error.message;
        logger.error({ err: error }, 'The chain makes no more blocks');
      },
    });
  }

  async request(method: string, params: readonly unknown[], caller = ''): Promise<unknown> {
    const handler = this.#handlers.get(method);
    if (handler === undefined) throw new RpcError('METHOD_NOT_SUPPORTED', `${method} is not offered by this chain`);
    try {
      const lane = laneOf(method, params, (hash) => this.#logCount(hash as Hex));
      return await this.#lanes.run(lane, caller, () => handler(...(params as never[])));
    } catch (error) {
      throw toRpcError(error);
    }
  }

  /**
   * Does what takes long on this thread, when the caller's turn comes among the heavy calls.
   *
   * @throws PartnerChainError UNAVAILABLE when that would take too long, or what the task throws.
   */
  inTurn<T>(caller: string, task: () => T | Promise<T>): Promise<T> {
    return this.#lanes.run('heavy', caller, task);
  }

  listen(listener: BackendListener): () => void {
    return this.chain.listen({
      onBlock: ({ number }) => {
        const block = findBlock(this.chain, `0x${number.toString(16)}`);
        if (block !== null) listener.onHead({ header: formatHeader(block), removed: [] });
      },
      onPendingTransaction: (hash) => listener.onPendingTransaction(hash),
      onFault: () => undefined,
      onFailure: () => undefined,
    });
  }

  status(): BackendStatus {
    const blockNumber = this.chain.headNumber();
    const healthy = this.#failure === null;
    return {
      kind: 'embedded',
      available: healthy,
      syncing: false,
      blockNumber,
      nodes: [{ name: 'embedded', healthy, blockNumber, latencyMs: 0, problem: this.#failure }],
    };
  }

  #logCount(transactionHash: Hex): number {
    const { reader } = this.chain;
    const place = reader.place(hexToBytes(transactionHash));
    return place === null ? 0 : (reader.receiptRecord(place.blockNumber, place.index)?.logCount ?? 0);
  }

  async close(): Promise<void> {
    this.#stopListening();
    this.#lanes.close();
    await this.chain.close();
  }
}
