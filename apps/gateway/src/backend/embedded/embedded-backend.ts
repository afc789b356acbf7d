import type { PartnerChain } from '@causeway/partner-chain';
import { RpcError } from '../../json-rpc/rpc-error.js';
import type { Backend, BackendListener, BackendStatus } from '../backend.js';
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
import { toRpcError } from './to-rpc-error.js';

/** The partner chain within this process. It makes the blocks itself, so it neither lags nor reorganises. */
export class EmbeddedBackend implements Backend {
  readonly #handlers: ReadonlyMap<string, (...params: never[]) => unknown>;
  readonly #stopListening: () => void;
  #failure: string | null = null;

  /** @param clientVersion what web3_clientVersion answers. */
  constructor(
    readonly chain: PartnerChain,
    clientVersion: string,
  ) {
    const handlers: Handlers = {
      ...nodeHandlers(chain, clientVersion),
      ...blockHandlers(chain, new FormattedBlocks(chain)),
      ...transactionHandlers(chain),
      ...stateHandlers(chain),
      ...logHandlers(chain),
      ...feeHandlers(chain),
    };
    this.#handlers = new Map(Object.entries(handlers));
    this.#stopListening = chain.listen({
      onBlock: () => undefined,
      onPendingTransaction: () => undefined,
      onFailure: (error) => (this.#failure = error.message),
    });
  }

  async request(method: string, params: readonly unknown[]): Promise<unknown> {
    const handler = this.#handlers.get(method);
    if (handler === undefined) throw new RpcError('METHOD_NOT_SUPPORTED', `${method} is not offered by this chain`);
    try {
      return await handler(...(params as never[]));
    } catch (error) {
      throw toRpcError(error);
    }
  }

  listen(listener: BackendListener): () => void {
    return this.chain.listen({
      onBlock: ({ number }) => {
        const block = findBlock(this.chain, `0x${number.toString(16)}`);
        if (block !== null) listener.onHead({ header: formatHeader(block), removed: [] });
      },
      onPendingTransaction: (hash) => listener.onPendingTransaction(hash),
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

  async close(): Promise<void> {
    this.#stopListening();
    await this.chain.close();
  }
}
