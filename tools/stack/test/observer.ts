import { waitUntil } from '@causeway/test-kit';
import { createPublicClient, http, type PublicClient } from 'viem';
import type { Operation, Side, Stack } from '../src/index.js';

const PATIENCE_MS = 90_000;

/** Reads the API and the chains of a stack like any client. */
export class Observer {
  constructor(readonly stack: () => Stack) {}

  /** Null when there is no such operation. */
  async readOperation({ id }: Operation): Promise<Operation | null> {
    const response = await fetch(`${this.stack().apiUrl}/bridge/history?ids=${id}`);
    const { operations } = (await response.json()) as { operations: Operation[] };
    return operations[0] ?? null;
  }

  /** Waits until an operation has a status, and returns it. */
  async became(operation: Operation, status: Operation['status']): Promise<Operation> {
    return waitUntil(
      `it is ${status}`,
      async () => {
        const now = await this.readOperation(operation);
        return now?.status === status ? now : null;
      },
      { timeoutMs: PATIENCE_MS },
    );
  }

  async readHealth(): Promise<number> {
    return (await fetch(this.stack().healthUrl)).status;
  }

  client(chain: Side): PublicClient {
    return createPublicClient({ transport: http(this.stack()[chain].rpcUrl) });
  }
}
