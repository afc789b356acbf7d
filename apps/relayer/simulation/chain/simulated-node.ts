import { HttpRequestError, RpcRequestError, TimeoutError, type EIP1193RequestFn, type Hex, type Transport } from 'viem';
import type { Step } from '../step.ts';
import type { SimulatedBlock } from './blocks.ts';
import { answer, NodeError, type NodeView } from './node-answers.ts';
import type { SimulatedChain } from './simulated-chain.ts';
import { readTransaction } from './transactions.ts';

export interface NodeRequest {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Replaces an honest answer. */
export type Lie = (request: NodeRequest, honest: unknown, view: NodeView) => unknown;

/** The current faults of a node. */
export interface NodeFaults {
  /** The node accepts no connection. */
  readonly isDown: boolean;
  /** The node never answers: each request times out. */
  readonly isSilent: boolean;
  /** How many blocks its head is behind the chain's. */
  readonly lagBlocks: number;
  /** The node stays on a branch that the chain has left. */
  readonly stuckAt: SimulatedBlock | null;
  /** How many states the node keeps. Null: all. */
  readonly keptStates: number | null;
  readonly hidesLogs: boolean;
  /** What the node does with transactions. `swallows` pretends to accept them. */
  readonly broadcasts: 'sends' | 'refuses' | 'swallows';
  /** The age of its answers when they arrive, in milliseconds. */
  readonly delayMs: number;
  /** Each request arrives twice, and the second answer counts. */
  readonly isTwice: boolean;
  readonly lie: Lie | null;
}

export const HONEST: NodeFaults = {
  isDown: false,
  isSilent: false,
  lagBlocks: 0,
  stuckAt: null,
  keptStates: null,
  hidesLogs: false,
  broadcasts: 'sends',
  delayMs: 0,
  isTwice: false,
  lie: null,
};

/** How a process reaches a node. */
export interface NodeAccess {
  readonly step: Step;
  readonly sleep: (ms: number) => Promise<void>;
  readonly timeoutMs: number;
}

/** A node of a chain, shared by all processes. Its faults can change at any time. */
export class SimulatedNode {
  faults = HONEST;

  readonly name: string;
  readonly chain: SimulatedChain;

  constructor(name: string, chain: SimulatedChain) {
    this.name = name;
    this.chain = chain;
  }

  /** The chain as the node currently sees it. */
  view(): NodeView {
    const { chain } = this;
    const { lagBlocks, stuckAt, keptStates } = this.faults;
    const isStuck = stuckAt !== null && !chain.has(stuckAt);
    const head = isStuck ? stuckAt : chain.blockAt(Math.max(0, chain.head.number - lagBlocks));
    return { chain, head, oldestState: keptStates === null ? 0 : head.number - keptStates + 1 };
  }

  /**
   * Answers a request now.
   *
   * @throws NodeError
   */
  async answer(request: NodeRequest): Promise<unknown> {
    const { hidesLogs, broadcasts, isTwice, lie } = this.faults;
    const { method, params } = request;
    if (method === 'eth_sendRawTransaction' && broadcasts === 'refuses') throw new NodeError(-32_000, 'txpool is full');
    if (method === 'eth_sendRawTransaction' && broadcasts === 'swallows') return this.hashOnly(request);
    const view = this.view();
    if (isTwice) await this.tryOnce(request, view);
    const honest = method === 'eth_getLogs' && hidesLogs ? [] : await answer(view, method, params);
    return lie === null ? honest : lie(request, honest, view);
  }

  private async tryOnce({ method, params }: NodeRequest, view: NodeView): Promise<void> {
    try {
      await answer(view, method, params);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
    }
  }

  /** The hash of a transaction that no other node will see. */
  private hashOnly({ params: [raw] }: NodeRequest): unknown {
    return readTransaction(raw as Hex).hash;
  }
}

/** The transport of a process to a node, for `connectNodes`. */
export function nodeTransport(node: SimulatedNode, { step, sleep, timeoutMs }: NodeAccess): Transport {
  const url = `http://${node.name}.invalid`;
  const request = async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) => {
    const body = { method, params };
    const outcome = await step(`${node.name} ${method}`, async () => {
      const { isDown, isSilent, delayMs } = node.faults;
      if (isDown || isSilent) return { kind: isDown ? 'down' : 'silent', delayMs } as const;
      try {
        return { kind: 'answer', result: await node.answer(body), delayMs } as const;
      } catch (error) {
        if (error instanceof NodeError) return { kind: 'error', error, delayMs } as const;
        throw error;
      }
    });
    const isLate = outcome.kind === 'silent' || outcome.delayMs >= timeoutMs;
    if (isLate || outcome.delayMs > 0) await sleep(isLate ? timeoutMs : outcome.delayMs);
    if (isLate) throw new TimeoutError({ body, url });
    switch (outcome.kind) {
      case 'answer':
        return outcome.result;
      case 'down':
        throw new HttpRequestError({ body, url, details: 'connection refused' });
      case 'error': {
        const { code, message, data } = outcome.error;
        throw new RpcRequestError({ body, url, error: { code, message, data } });
      }
    }
  };
  // No retries by viem here: the clients of the pool already have them.
  const typed = request as EIP1193RequestFn;
  const config = { key: 'simulated', name: node.name, type: 'simulated', request: typed, retryCount: 0 };
  return () => ({ config, request: typed, value: {} });
}
