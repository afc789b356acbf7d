import type { Node } from '@causeway/verifier';
import { numberToHex, type Address, type Hex } from 'viem';
import type { SimulatedBlock, SimulatedChain } from './simulated-chain.js';

/** A node's answers other than blocks and logs. */
export interface Answers<State> {
  readonly call: (block: SimulatedBlock<State>, to: Address, data: Hex) => Hex;
  readonly transaction: (hash: Hex) => unknown;
  readonly transactionCount: (block: SimulatedBlock<State>) => bigint;
  readonly send: (raw: Hex) => Hex;
}

interface LogFilter {
  readonly address: Address | readonly Address[];
  readonly topics: readonly (Hex | readonly Hex[] | null)[];
  readonly fromBlock: Hex;
  readonly toBlock: Hex;
}

type Request = { readonly method: string; readonly params: readonly unknown[] };

/** A node as an EIP-1193 provider. It can lag, be away and lie. */
export class SimulatedNode<State> implements Node {
  lagSeconds = 0;
  isAway = false;
  /** Changes its answers. */
  lie: ((method: string, answer: unknown) => unknown) | null = null;
  readonly client = {
    request: async (...calls: never[]): Promise<unknown> => this.request(...(calls as readonly unknown[] as [Request])),
  };

  constructor(
    readonly name: string,
    private readonly chain: SimulatedChain<State>,
    private readonly answers: Answers<State>,
    /** Unix seconds. */
    private readonly now: () => number,
  ) {}

  private async request({ method, params }: Request): Promise<unknown> {
    if (this.isAway) throw new Error('connection refused');
    const answer = this.answer(method, params);
    return this.lie === null ? answer : this.lie(method, answer);
  }

  private answer(method: string, [first, second]: readonly unknown[]): unknown {
    const { chain, answers } = this;
    const head = chain.headAt(this.now() - this.lagSeconds);
    switch (method) {
      case 'eth_chainId':
        return numberToHex(chain.chainId);
      case 'eth_blockNumber':
        return numberToHex(head.number);
      case 'eth_getBlockByNumber':
        return chain.ancestorAt(head, Number(first))?.json ?? null;
      case 'eth_getBlockByHash':
        return findByHash(head, first as Hex).json;
      case 'eth_getBlockReceipts':
        return findByHash(head, first as Hex).receipts;
      case 'eth_getCode':
        return '0x';
      case 'eth_getLogs':
        return this.findLogs(head, first as LogFilter);
      case 'eth_call': {
        const { to, data } = first as { to: Address; data: Hex };
        return answers.call(findByHash(head, (second as { blockHash: Hex }).blockHash), to, data);
      }
      case 'eth_getTransactionByHash':
        return answers.transaction(first as Hex);
      case 'eth_getTransactionCount':
        return numberToHex(answers.transactionCount(head));
      case 'eth_gasPrice':
      case 'eth_maxPriorityFeePerGas':
        return '0x1';
      case 'eth_sendRawTransaction':
        return answers.send(first as Hex);
      default:
        throw new Error(`the method ${method} does not exist`);
    }
  }

  private findLogs(head: SimulatedBlock<State>, { address, topics, fromBlock, toBlock }: LogFilter): unknown {
    const addresses = new Set([address].flat());
    const found: unknown[] = [];
    for (let number = Number(fromBlock); number <= Number(toBlock); number += 1)
      for (const log of this.chain.ancestorAt(head, number)?.logs ?? []) {
        const own = log['topics'] as readonly Hex[];
        const isAsked =
          addresses.has(log['address'] as Address) &&
          topics.every((topic, index) => topic === null || [topic].flat().includes(own[index] ?? '0x'));
        if (isAsked) found.push(log);
      }
    return found;
  }
}

function findByHash<State>(head: SimulatedBlock<State>, hash: Hex): SimulatedBlock<State> {
  for (let block: SimulatedBlock<State> | null = head; block !== null; block = block.parent)
    if (block.hash === hash) return block;
  throw new Error('unknown block');
}
