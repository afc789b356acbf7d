import type { RpcHooks } from '@causeway/test-kit';
import type { TestEnvironment } from '../temporary-environment.js';
import type { Lie } from './lies.js';
import type { Side } from './transactions.js';

/** The behaviour of a node: honest, lying, closing every connection, or never answering. */
export type Behaviour = Lie | 'honest' | 'cut' | 'silent';

const OPERATORS = ['own', 'own', 'other'] as const;

/** Three nodes by two operators for each chain, for one attester. */
export class AttesterNodes {
  private readonly behaviours = new Map<string, Behaviour>();
  private ended = Promise.withResolvers<boolean>();

  constructor(private readonly environment: TestEnvironment) {}

  /** Starts the nodes and returns the attester's variables. */
  async start(): Promise<Record<'ETHEREUM_RPC_URLS' | 'PARTNER_RPC_URLS', string>> {
    const list = async (side: Side) => {
      const urls = await Promise.all(
        OPERATORS.map(async (_, index) => this.environment.proxyBefore(side, this.makeHooks(side, index))),
      );
      return OPERATORS.map((operator, index) => `${operator}=${urls[index]}`).join(',');
    };
    return { ETHEREUM_RPC_URLS: await list('ethereum'), PARTNER_RPC_URLS: await list('partner') };
  }

  /** @param index from 0 to 2. */
  let(side: Side, index: number, behaviour: Behaviour): void {
    this.behaviours.set(`${side} ${index}`, behaviour);
  }

  /** Makes all nodes honest, and drops requests received while silent. */
  heal(): void {
    this.behaviours.clear();
    this.ended.resolve(false);
    this.ended = Promise.withResolvers<boolean>();
  }

  private makeHooks(side: Side, index: number): RpcHooks {
    const behaviour = () => this.behaviours.get(`${side} ${index}`) ?? 'honest';
    return {
      beforeNode: async () => (behaviour() === 'silent' ? this.ended.promise : behaviour() !== 'cut'),
      changeResult: (method, result, parameters) => {
        const lie = behaviour();
        return typeof lie === 'function' ? lie(method, result, parameters) : result;
      },
    };
  }
}
