import { ConfigurationError } from '@causeway/service/configuration';
import { copyChain, PartnerChain, PartnerChainError, type PartnerChainErrorCode } from '@causeway/partner-chain';
import { hexToBytes, type Hex } from 'viem';
import { CALL_MODULE } from '../../call-module.js';
import { RpcError, type RpcErrorName } from '../../jsonrpc/errors.js';
import type { Backend, BackendListener, BackendStatus, RpcHeader, WholeCalls } from '../backend.js';
import { blockHandlers, findBlock } from './block-handlers.js';
import { CallScheduler, estimateCost, isWholeCall, LongTask, weighWholeCall } from './call-scheduler.js';
import { feeHandlers } from './fee-history.js';
import { formatHeader } from './format-blocks.js';
import { quantity } from './format-transactions.js';
import { loadGenesis } from './genesis.js';
import { poolHandlers } from './pool-handlers.js';
import { stateHandlers } from './state-handlers.js';
import { rawHandlers } from './raw-handlers.js';
import { CallTrees, traceHandlers } from './trace-handlers.js';
import { transactionHandlers } from './transaction-handlers.js';

export interface EmbeddedOptions {
  readonly chainId: number;
  readonly dataDirectory: string;
  /** The genesis file, or null for a development chain. */
  readonly genesisFile: string | null;
  /** Milliseconds between blocks; 0 makes a block whenever a transaction is pending. */
  readonly blockIntervalMs: number;
  /** Whether clients move the chain's time forward, so that its newest block can be in the future. */
  readonly hasTimeTravel?: boolean;
  /** Gas for each account that a transaction creates, on top of its ordinary gas. Default: the specification's. */
  readonly lazyAccountGas?: bigint;
  /** Confirmations after which a block is final (the bridge's). Default: six. */
  readonly confirmations?: number;
  /** The answer of web3_clientVersion. */
  readonly clientVersion: string;
  readonly logger?: EmbeddedLogger;
}

interface EmbeddedLogger {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/**
 * @throws ConfigurationError when the genesis file is invalid, belongs to another chain than the directory, or is
 *   missing outside the testnet; when another process uses the directory; when it is a copy that the operator has not
 *   accepted; when the clock of this machine is far behind the newest block.
 */
export async function createEmbeddedBackend(options: EmbeddedOptions): Promise<EmbeddedBackend> {
  const { chainId, dataDirectory, blockIntervalMs, lazyAccountGas, confirmations, clientVersion, logger } = options;
  const input = {
    chainId,
    dataDirectory,
    blockIntervalMs,
    lazyAccountGas,
    confirmations,
    genesis: loadGenesis(chainId, options.genesisFile),
    ...(options.hasTimeTravel === true ? { clockToleranceMs: null } : {}),
  };
  const chain = await PartnerChain.open(input, { module: CALL_MODULE }).catch(refuse('used'));
  return new EmbeddedBackend(chain, clientVersion, logger ?? { warn: () => undefined, error: () => undefined });
}

/**
 * Copies the chain's directory, also while a gateway runs on it.
 *
 * @returns the number of the copy's newest block.
 * @throws ConfigurationError when the directory holds no chain, or the copy's directory exists.
 */
export function copyEmbeddedChain(dataDirectory: string, target: string): Promise<number> {
  return copyChain(dataDirectory, target).catch(refuse('copied'));
}

const refuse = (action: 'used' | 'copied') => (error: unknown) => {
  if (!(error instanceof PartnerChainError && error.code === 'UNUSABLE_DIRECTORY')) throw error;
  throw new ConfigurationError([`DATA_DIRECTORY cannot be ${action}: ${error.message}`], { cause: error });
};

/** Answers a method. The gateway has checked the params against the method's schemas. */
type Handler = (...params: never[]) => unknown;

/**
 * The partner chain in this process. It makes the blocks itself, so it neither lags nor reorganises. Only development
 * chains go back to a snapshot.
 */
export class EmbeddedBackend implements Backend {
  /** Cache of call trees, shared by all clients. */
  readonly callTrees: CallTrees;
  readonly lazyAccountGas: bigint;
  readonly wholeCalls: WholeCalls = {
    has: isWholeCall,
    answer: (method, params, client) => this.answer(method, params, client),
  };
  private readonly handlers: ReadonlyMap<string, Handler>;
  private readonly scheduler = new CallScheduler();
  private readonly stopListening: () => void;
  private failure: string | null = null;
  /** Headers that a development chain has dropped since the newest block, newest first. */
  private dropped: readonly RpcHeader[] = [];
  /** Headers that it dropped right before the newest block. */
  private removed: readonly RpcHeader[] = [];

  constructor(
    readonly chain: PartnerChain,
    clientVersion: string,
    logger: EmbeddedLogger,
  ) {
    this.lazyAccountGas = chain.options.lazyAccountGas;
    this.callTrees = new CallTrees(chain.reader);
    const handlers: Readonly<Record<string, Handler>> = {
      ...nodeHandlers(chain, clientVersion),
      ...blockHandlers(chain),
      ...transactionHandlers(chain),
      ...traceHandlers(chain, this.callTrees),
      ...rawHandlers(chain),
      ...stateHandlers(chain),
      ...feeHandlers(chain),
      ...poolHandlers(chain),
    };
    this.handlers = new Map(Object.entries(handlers));
    this.stopListening = chain.listen({
      // Must be the first listener.
      onBlock: () => {
        this.removed = this.dropped;
        this.dropped = [];
      },
      onPendingTransaction: () => undefined,
      onFault: (error) => logger.warn({ err: error }, 'A transaction was dropped'),
      onFailure: (error) => {
        this.failure = error.message;
        logger.error({ err: error }, 'The chain has stopped making blocks');
      },
    });
  }

  async request(method: string, params: readonly unknown[], client = ''): Promise<unknown> {
    if (isWholeCall(method)) return JSON.parse(await this.answer(method, params, client));
    const handler = this.handlers.get(method);
    if (handler === undefined) throw new RpcError('METHOD_NOT_SUPPORTED', `${method} is not supported by this chain`);
    try {
      const cost = estimateCost(method, params, (hash) => this.logCount(hash as Hex));
      const answer = await this.scheduler.run(cost, client, () => handler(...(params as never[])));
      return answer instanceof LongTask ? await this.inTurn(client, answer.run) : answer;
    } catch (error) {
      throw toRpcError(error);
    }
  }

  private async answer(method: string, given: unknown, client: string): Promise<string> {
    const params = encodeParams(given ?? []);
    const run = () => this.chain.run('answer', this.chain.headNumber(), { method, params });
    return this.scheduler.run(weighWholeCall(method, params), client, run).catch((error: unknown) => {
      throw toRpcError(error);
    });
  }

  /** Queues a long task with the heavy calls. @throws PartnerChainError UNAVAILABLE after too long a wait. */
  inTurn<T>(client: string, task: () => T | Promise<T>): Promise<T> {
    return this.scheduler.run('heavy', client, task);
  }

  listen(listener: BackendListener): () => void {
    return this.chain.listen({
      onBlock: ({ number }) => {
        const block = findBlock(this.chain, quantity(number));
        if (block !== null) listener.onHead({ header: formatHeader(block), removed: this.removed });
      },
      onPendingTransaction: (hash) => listener.onPendingTransaction(hash),
      onFault: () => undefined,
      onFailure: () => undefined,
    });
  }

  /** Reverts a development chain to a snapshot. @returns false if the snapshot does not exist. */
  async revertTo(snapshot: number): Promise<boolean> {
    const blocks = await this.chain.revertTo(snapshot);
    if (blocks === null) return false;
    this.dropped = [...blocks.map(formatHeader), ...this.dropped];
    this.callTrees.clear();
    return true;
  }

  status(): BackendStatus {
    const blockNumber = this.chain.headNumber();
    const healthy = this.failure === null;
    return {
      kind: 'embedded',
      available: healthy,
      syncing: false,
      blockNumber,
      nodes: [{ name: 'embedded', healthy, blockNumber, latencyMs: 0, problem: this.failure }],
    };
  }

  async close(): Promise<void> {
    this.stopListening();
    this.scheduler.close();
    await this.chain.close();
  }

  private logCount(transactionHash: Hex): number {
    const { reader } = this.chain;
    const place = reader.place(hexToBytes(transactionHash));
    return place === null ? 0 : (reader.receiptRecord(place.blockNumber, place.index)?.logCount ?? 0);
  }
}

function encodeParams(params: unknown): string {
  try {
    return JSON.stringify(params);
  } catch (error) {
    // JSON.parse accepts deeper nesting than JSON.stringify, which recurses.
    throw new RpcError('INVALID_PARAMS', 'the params are nested too deeply', { cause: error });
  }
}

function nodeHandlers({ options }: PartnerChain, clientVersion: string) {
  return {
    eth_chainId: () => quantity(options.chainId),
    net_version: () => String(options.chainId),
    // This node makes the blocks, so it is never behind.
    eth_syncing: () => false,
    web3_clientVersion: () => clientVersion,
    net_peerCount: () => '0x0',
    eth_mining: () => false,
    eth_hashrate: () => '0x0',
    eth_coinbase: () => options.validator,
    partner_getValidators: () => [{ address: options.validator, active: true }],
  };
}

const RPC_ERROR_OF = {
  TRANSACTION_REJECTED: 'TRANSACTION_REJECTED',
  EXECUTION_REVERTED: 'EXECUTION_REVERTED',
  // Dust in a call. Dust in a signed transaction is already TRANSACTION_REJECTED.
  DUST: 'INVALID_PARAMS',
  INVALID_PARAMS: 'INVALID_PARAMS',
  NOT_FOUND: 'RESOURCE_NOT_FOUND',
  TOO_MANY_RESULTS: 'RATE_LIMIT_EXCEEDED',
  UNAVAILABLE: 'RESOURCE_UNAVAILABLE',
  UNUSABLE_DIRECTORY: 'RESOURCE_UNAVAILABLE',
} as const satisfies Record<PartnerChainErrorCode, RpcErrorName>;

/** Maps an error of the chain to the client's (spec "Errors"). Any other error stays unchanged. */
function toRpcError(error: unknown): unknown {
  if (!(error instanceof PartnerChainError)) return error;
  return new RpcError(RPC_ERROR_OF[error.code], error.message, {
    cause: error,
    ...(error.data === undefined ? {} : { data: error.data }),
  });
}
