import { describe, expect, it } from '@jest/globals';
import { watchedEvents, type ReadPosition } from '@causeway/chain';
import { anAddress, anAddressBook, aHash } from '@causeway/test-kit';
import {
  type Address,
  createPublicClient,
  custom,
  type Hex,
  numberToHex,
  type PublicClient,
  pad,
  toEventSelector,
  toFunctionSelector,
} from 'viem';
import type { BridgeChain } from '../bridge-chain.js';
import { createReader, readPosition } from './chain-reading.js';

const book = anAddressBook();
const HEAD = 5_000n;

/** A reader of a scripted chain far behind its head, with the requests that it makes. */
function makeReader(side: BridgeChain['side'], head = HEAD) {
  const asked: { method: string; params: unknown[] }[] = [];
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    asked.push({ method, params: params as unknown[] });
    if (method === 'eth_getLogs') return [];
    return method === 'eth_call' ? numberToHex(0, { size: 32 }) : '0x0';
  };
  const client: PublicClient = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
  const ask = async <T>(read: (one: PublicClient) => Promise<T>) => read(client);
  const chain = {
    side,
    chainId: 1,
    bridge: side === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint,
    confirmations: 12,
    connection: {
      quorum: 1,
      usable: () => [{ name: 'node', client }],
      ask,
      agree: ask,
      agreedHead: async () => head,
      agreedBlock: async (number: bigint) => {
        asked.push({ method: 'eth_getBlockByNumber', params: [numberToHex(number), false] });
        return { number, hash: aHash(), parentHash: aHash(), timestampSeconds: 0n };
      },
    },
  };
  const scan = { nextOriginNumber: async () => 0n, block: async () => null, blockBelow: async () => null };
  return { asked, reader: createReader({ scan }, chain, { wallets: [book.relayer, anAddress('former')], book }) };
}

const listParams = (asked: { method: string; params: unknown[] }[], method: string) =>
  asked.filter((one) => one.method === method).map(({ params }) => params[0]);

describe('the reader of a chain', () => {
  it.each<[BridgeChain['side'], Address, string]>([
    ['ethereum', book.ethereum.bridgeLock, 'function depositNonce()'],
    ['partner', book.partner.bridgeMint, 'function withdrawNonce()'],
  ])(
    'of %s reads the events of the bridge contract and its counter, and transfers of tokens to the wallets',
    async (side, bridge, counter) => {
      const { asked, reader } = makeReader(side);
      expect((await reader.read({ nextBlock: 1n, lastHash: null })).kind).toBe('extend');
      expect(listParams(asked, 'eth_getLogs')).toEqual([
        expect.objectContaining({ address: [bridge], topics: [[...watchedEvents(side).keys()]] }),
        expect.objectContaining({
          address: Object.values(book[side].tokens),
          topics: [
            [toEventSelector('Transfer(address,address,uint256)')],
            null,
            [book.relayer, anAddress('former')].map((wallet) => pad(wallet)),
          ],
        }),
      ]);
      expect(listParams(asked, 'eth_call')).toEqual([
        expect.objectContaining({ to: bridge, data: toFunctionSelector(counter) }),
      ]);
    },
  );

  it.each<BridgeChain['side']>(['ethereum', 'partner'])(
    'of %s reads a million blocks without events in at most 1,600 calls of three nodes',
    async (side) => {
      const { asked, reader } = makeReader(side, 1_000_000n);
      let position: ReadPosition = { nextBlock: 1n, lastHash: null };
      while (position.nextBlock < 999_800n) {
        const step = await reader.read(position);
        const last = step.kind === 'extend' ? step.blocks.at(-1) : undefined;
        if (last === undefined) throw new Error(`The reader stops at block ${position.nextBlock}`);
        position = { nextBlock: last.number + 1n, lastHash: last.hash };
      }
      expect(3 * asked.length).toBeLessThanOrEqual(1_600);
    },
  );

  it('watches the wallets on the partner chain only', async () => {
    for (const side of ['ethereum', 'partner'] as const) {
      const { asked, reader } = makeReader(side);
      await reader.read({ nextBlock: 1n, lastHash: null });
      const watched = new Set(listParams(asked, 'eth_getBalance').map((address) => String(address).toLowerCase()));
      expect([...watched]).toEqual(side === 'partner' ? [anAddress('relayer'), anAddress('former')] : []);
    }
  });
});

describe('readPosition', () => {
  it('is the cursor with the hash of the last block, and null before the first read', async () => {
    const hash: Hex = aHash();
    const makeScan = (nextBlock: bigint | null) =>
      ({
        cursor: async () => (nextBlock === null ? null : { nextBlock, headBlock: 0n }),
        block: async (_: number, number: bigint) => (number === 8n ? { hash, timestamp: new Date() } : null),
      }) as never;
    expect(await readPosition({ scan: makeScan(null) }, 1)).toBeNull();
    expect(await readPosition({ scan: makeScan(9n) }, 1)).toEqual({ nextBlock: 9n, lastHash: hash });
    expect(await readPosition({ scan: makeScan(20n) }, 1)).toEqual({ nextBlock: 20n, lastHash: null });
  });
});
