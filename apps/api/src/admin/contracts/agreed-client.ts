import { classifyRpcError, NodeRefusedError, type ChainConnection } from '@causeway/chain';
import { createPublicClient, custom, numberToHex, type PublicClient } from 'viem';

interface Asked {
  readonly method: string;
  readonly params?: unknown;
}

/** One node's answer: a result, or the error of a call that reverts. */
type Answer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'refusal'; readonly error: unknown; readonly data: unknown };

/** The compared fields of answers. Nodes differ in other fields, which callers do not read. */
const COMPARED: Readonly<Record<string, (result: unknown) => unknown>> = {
  eth_getBlockByNumber: (result) => getFields(result, ['hash', 'number', 'timestamp']),
  eth_getLogs: (result) =>
    toList(result).map((log) =>
      getFields(log, ['address', 'topics', 'data', 'blockHash', 'transactionHash', 'logIndex']),
    ),
  eth_getTransactionByHash: (result) => getFields(result, ['hash', 'to', 'input']),
  eth_simulateV1: (result) =>
    toList(result).map((block) =>
      toList(getFields(block, ['calls'])[0]).map((call) => getFields(call, ['status', 'returnData'])),
    ),
};
/** Index of the block in a method's parameters. */
const BLOCK_PLACE: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_getCode: 1,
  eth_simulateV1: 1,
  eth_getBlockByNumber: 0,
};
const WITHOUT_BLOCK: ReadonlySet<string> = new Set(['eth_getLogs', 'eth_getTransactionByHash']);

/**
 * A client that reads at one block and returns only answers on which a quorum of nodes agrees. So one node cannot
 * determine a result computed with it. A revert is an answer.
 *
 * @param head the block; if it rejects, so does every read.
 * @throws QuorumError from every read, as the cause of viem's error.
 */
export function agreedClient(connection: ChainConnection, head: Promise<bigint>): PublicClient {
  const request = async ({ method, params }: Asked): Promise<unknown> => {
    const block = numberToHex(await head);
    if (method === 'eth_chainId') return numberToHex(connection.chainId);
    if (method === 'eth_blockNumber') return block;
    const given: unknown[] = Array.isArray(params) ? [...params] : [];
    const place = BLOCK_PLACE[method];
    if (place === undefined && !WITHOUT_BLOCK.has(method)) throw new Error(`${method} cannot be read by quorum`);
    if (place !== undefined) given[place] = block;
    const compared = COMPARED[method] ?? ((result: unknown) => result);
    const answer = await connection.agree(
      async (client) => ask(client, { method, params: given }),
      (one) => JSON.stringify(one.kind === 'result' ? ['result', compared(one.result)] : ['refusal', one.data]),
    );
    if (answer.kind === 'refusal') throw answer.error;
    return answer.result;
  };
  const transport = custom({ request }, { retryCount: 0 });
  // ERC-3668 is off: a contract must not choose which addresses this server requests.
  return createPublicClient({ transport, cacheTime: 0, ccipRead: false });
}

/** @throws the error when the node does not answer. */
async function ask(client: PublicClient, asked: Asked): Promise<Answer> {
  try {
    return { kind: 'result', result: await client.request(asked as never) };
  } catch (error) {
    const refusal = classifyRpcError(error);
    if (!(refusal instanceof NodeRefusedError)) throw error;
    // Nodes word errors differently; the revert data comes from the contract.
    return { kind: 'refusal', error, data: refusal.data ?? null };
  }
}

function getFields(value: unknown, names: readonly string[]): readonly unknown[] {
  const fields = new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  return names.map((name) => fields.get(name) ?? null);
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
