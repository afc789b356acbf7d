import { describe, expect, it } from '@jest/globals';
import { aHash, anAddress } from '@causeway/test-kit';
import { numberToHex, type PublicClient } from 'viem';
import { QuorumError } from '../rpc/chain-error.js';
import { readLogs } from './agreed-logs.js';

const contract = anAddress();
const event = aHash();

/** Nodes with a log in each of these blocks that refuse ranges of more than `most` blocks. */
function nodesWith(blocks: readonly bigint[], most: bigint) {
  const asked: [bigint, bigint][] = [];
  const request = async ({ params }: { params: readonly [{ fromBlock: string; toBlock: string }] }) => {
    const [from, to] = [BigInt(params[0].fromBlock), BigInt(params[0].toBlock)];
    asked.push([from, to]);
    if (to - from >= most) throw new QuorumError('test', 1, []);
    return blocks
      .filter((block) => block >= from && block <= to)
      .map((block) => ({
        address: contract,
        blockNumber: numberToHex(block),
        blockHash: aHash(),
        logIndex: '0x1',
        transactionHash: aHash(),
        topics: [event],
        data: '0x',
      }));
  };
  const client = { request } as unknown as PublicClient;
  return { asked, connection: { agree: <T>(read: (from: PublicClient) => Promise<T>) => read(client) } };
}

/** Consumes every range. */
async function collectRanges(reading: ReturnType<typeof readLogs>) {
  const ranges = [];
  for await (const range of reading) ranges.push(range);
  return ranges;
}

describe('readLogs', () => {
  it.each([1n, 7n, 10_000n])('reads every block once if the nodes serve %d blocks per call', async (most) => {
    const blocks = [10n, 11n, 500n, 1_009n];
    const { connection, asked } = nodesWith(blocks, most);
    const range = { contracts: [contract], topics: [event], from: 10n, to: 1_009n };
    const ranges = await collectRanges(readLogs(connection, range));
    expect(ranges.flatMap(({ logs }) => logs.map(({ blockNumber }) => blockNumber))).toEqual(blocks);
    expect(ranges.at(-1)?.to).toBe(1_009n);
    const read = asked.filter(([from, to]) => to - from < most);
    expect(read.reduce((sum, [from, to]) => sum + to - from + 1n, 0n)).toBe(1_000n);
  });

  it('refuses a log without one of the requested further topics', async () => {
    const { connection } = nodesWith([2n], 10n);
    const range = { contracts: [contract], topics: [event], indexed: [[aHash()]], from: 1n, to: 4n };
    await expect(collectRanges(readLogs(connection, range))).rejects.toThrow('was not asked for');
  });

  it('throws if the nodes refuse a single block', async () => {
    const { connection } = nodesWith([], 0n);
    const range = { contracts: [contract], topics: [event], from: 1n, to: 4n };
    await expect(collectRanges(readLogs(connection, range))).rejects.toThrow(QuorumError);
  });
});
