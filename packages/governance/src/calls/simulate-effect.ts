import { BaseError, createPublicClient, custom, numberToHex, type Address, type Hex, type PublicClient } from 'viem';

/** A transaction to simulate. */
export interface SimulatedTransaction {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  /** Wei. */
  readonly value: bigint;
}

/** The node does not support eth_simulateV1, or nodes disagree about its result. */
export class NoSimulationError extends BaseError {
  constructor(cause: unknown) {
    super('The node cannot read the state after a simulated call: it lacks eth_simulateV1', {
      name: 'NoSimulationError',
      ...(cause instanceof Error && { cause }),
    });
  }
}

/** The used fields of a block in the result of eth_simulateV1 (execution-apis). */
interface SimulatedBlock {
  readonly calls: readonly {
    readonly status: Hex;
    readonly returnData: Hex;
    readonly error?: { readonly message?: string };
  }[];
}

/**
 * A client that reads the state after a transaction: it replaces each eth_call by an eth_simulateV1 of the transaction
 * and the call. Other requests go to the node unchanged.
 *
 * @throws NoSimulationError on a read, also when the transaction reverts.
 */
export async function clientAfter(client: PublicClient, transaction: SimulatedTransaction): Promise<PublicClient> {
  const { timestamp } = await client.getBlock();
  const { from, to, data, value } = transaction;
  const first = { from, to, input: data, value: numberToHex(value) };
  const simulate = async (read: { readonly to?: Address; readonly data?: Hex }, block: unknown): Promise<Hex> => {
    // Otherwise development nodes would use time 0.
    const blockOverrides = { time: numberToHex(timestamp + 1n) };
    const calls = [first, { to: read.to, input: read.data }];
    const answer = await ask(client, [{ blockStateCalls: [{ blockOverrides, calls }], validation: false }, block]);
    const [sent, answered] = answer[0]?.calls ?? [];
    if (sent?.status !== '0x1' || answered?.status !== '0x1') {
      throw new NoSimulationError(new Error(sent?.error?.message ?? answered?.error?.message ?? 'it reverts'));
    }
    return answered.returnData;
  };
  const request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    if (method !== 'eth_call' || !Array.isArray(params)) return client.request({ method, params } as never);
    return simulate(params[0] as { to?: Address; data?: Hex }, params[1]);
  };
  const transport = custom({ request }, { retryCount: 0 });
  return createPublicClient({ chain: client.chain, transport, cacheTime: 0, ccipRead: false });
}

async function ask(client: PublicClient, params: readonly unknown[]): Promise<readonly SimulatedBlock[]> {
  try {
    // Not viem's action: it formats the whole result, of which nodes agree only about these fields.
    const answer: unknown = await client.request({ method: 'eth_simulateV1', params } as never);
    return answer as readonly SimulatedBlock[];
  } catch (cause) {
    throw new NoSimulationError(cause);
  }
}
