import { describe, expect, it } from '@jest/globals';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import {
  createPublicClient,
  custom,
  encodeErrorResult,
  RpcRequestError,
  toHex,
  type Hex,
  type PublicClient,
} from 'viem';
import { askNodes } from '../nodes/quorum.js';
import { InconsistentBlockError, QuorumError } from '../rpc/chain-error.js';
import { findRevertReason, findTransaction, type MinedTransaction } from './find-transaction.js';

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const TX = hash('a');
const BLOCK = hash('b');
const BRIDGE = `0x${'c'.repeat(40)}` as const;
const STRANGER = `0x${'d'.repeat(40)}` as const;
const url = 'http://node.example';

const log = (address: Hex, logIndex: number) => ({
  address,
  topics: [hash('e')],
  data: '0xAB',
  logIndex: toHex(logIndex),
  transactionHash: TX,
  blockHash: BLOCK,
  blockNumber: '0x9',
});
const transaction = {
  hash: TX,
  from: STRANGER,
  to: BRIDGE,
  value: '0x5',
  input: '0xABCD',
  type: '0x2',
  blockNumber: '0x9',
};
const receipt = {
  transactionHash: TX,
  blockHash: BLOCK,
  blockNumber: '0x9',
  from: STRANGER,
  to: BRIDGE,
  status: '0x1',
  logs: [log(STRANGER, 3), log(BRIDGE, 4)],
};

/** The answers of a node about the transaction; an Error for an unavailable node. */
type Answers = Readonly<Record<string, unknown>> | Error;
const HONEST: Answers = { eth_getTransactionReceipt: receipt, eth_getTransactionByHash: transaction };
const BEHIND: Answers = { eth_getTransactionReceipt: null, eth_getTransactionByHash: null };
const POOL: Answers = { ...BEHIND, eth_getTransactionByHash: { ...transaction, blockNumber: null } };
const AWAY = new Error('away');

/** A quorum of two of these nodes, whose block 9 has this hash. */
function makeNodes(answers: readonly Answers[], blockHash = BLOCK) {
  const nodes = answers.map((answer, index) => {
    const request = async ({ method }: { method: string }) => {
      if (answer instanceof Error) throw answer;
      return answer[method];
    };
    return { name: `node ${index}`, client: createPublicClient({ transport: custom({ request }, { retryCount: 0 }) }) };
  });
  return {
    agree: <T>(read: (client: PublicClient) => Promise<T>) =>
      askNodes({ chain: 'ethereum', nodes, notAsked: [], quorum: 2, read }),
    agreedHead: async () => 20n,
    agreedBlock: async (number: bigint) => ({ number, hash: blockHash, parentHash: TX, timestampSeconds: 7n }),
  };
}
const find = (answers: readonly Answers[], blockHash?: Hex) =>
  findTransaction(makeNodes(answers, blockHash), TX, [`0x${'C'.repeat(40)}`]);

describe('findTransaction', () => {
  it('returns what a quorum shows, with the logs of the contracts that were asked for', async () => {
    expect(await find([HONEST, AWAY, HONEST])).toEqual({
      hash: TX,
      from: STRANGER,
      to: BRIDGE,
      value: 5n,
      input: '0xabcd',
      succeeded: true,
      blockNumber: 9n,
      blockHash: BLOCK,
      timestampSeconds: 7n,
      headBlock: 20n,
      logs: [{ address: BRIDGE, topics: [hash('e')], data: '0xab', logIndex: 4, transactionHash: TX }],
    });
  });

  it.each<[string, Answers]>([
    ['a log', { ...HONEST, eth_getTransactionReceipt: { ...receipt, logs: [log(BRIDGE, 4), log(BRIDGE, 5)] } }],
    ['a success', { ...HONEST, eth_getTransactionReceipt: { ...receipt, status: '0x0' } }],
    ['a value', { ...HONEST, eth_getTransactionByHash: { ...transaction, value: '0x6' } }],
    ['a transaction', BEHIND],
  ])('does not believe one node that invents or hides %s', async (_, lie) => {
    const truth = await find([HONEST, HONEST, HONEST]);
    expect(await find([lie, HONEST, HONEST])).toEqual(truth);
    await expect(find([lie, HONEST, AWAY])).rejects.toThrow(QuorumError);
  });

  it.each<[string, readonly Answers[], string]>([
    ['a quorum does not have it', [BEHIND, BEHIND, AWAY], 'unknown'],
    ['a node has it in its pool', [POOL, BEHIND, BEHIND], 'pending'],
    ['one node has it in a block', [HONEST, BEHIND, BEHIND], 'pending'],
  ])('when %s', async (_, answers, found) => {
    expect(await find(answers)).toBe(found);
  });

  it('throws if only one node answers', async () => {
    await expect(find([BEHIND, AWAY, AWAY])).rejects.toThrow(QuorumError);
  });

  it('throws if the block of the transaction has disappeared', async () => {
    await expect(find([HONEST, HONEST], hash('f'))).rejects.toThrow(InconsistentBlockError);
  });
});

describe('findRevertReason', () => {
  const mined: MinedTransaction = {
    hash: TX,
    from: STRANGER,
    to: BRIDGE,
    value: 0n,
    input: '0x',
    succeeded: false,
    blockNumber: 9n,
    blockHash: BLOCK,
    timestampSeconds: 7n,
    headBlock: 20n,
    logs: [],
  };
  const belowMinimum = encodeErrorResult({ abi: bridgeMintAbi, errorName: 'BelowMinimum', args: [1n, 2n] });
  const refusing = (error: { code: number; message: string; data?: Hex }) => ({
    agree: (read: (client: PublicClient) => Promise<unknown>) =>
      read(
        createPublicClient({
          transport: custom(
            {
              request: async ({ params }: { params: [unknown, Hex] }) => {
                expect(params[1]).toBe('0x8');
                throw new RpcRequestError({ body: {}, url, error });
              },
            },
            { retryCount: 0 },
          ),
        }),
      ) as never,
  });

  it('repeats the call on the state before its block, and names the error from the ABI', async () => {
    const nodes = refusing({ code: 3, message: 'execution reverted', data: belowMinimum });
    expect(await findRevertReason(nodes, mined, bridgeMintAbi)).toEqual({ errorName: 'BelowMinimum', args: [1n, 2n] });
  });

  it.each([
    ['an error that the ABI lacks', { code: 3, message: 'execution reverted', data: '0x12345678' as const }],
    ['a node without the state', { code: -32_000, message: 'missing trie node' }],
  ])('returns null for %s', async (_, error) => {
    expect(await findRevertReason(refusing(error), mined, bridgeMintAbi)).toBeNull();
  });
});
