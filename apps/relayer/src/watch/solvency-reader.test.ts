import { beforeEach, describe, expect, it } from '@jest/globals';
import { FenceLostError, type Fence, type Operation } from '@causeway/store';
import { aHash, anAddress, anAddressBook, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { zeroAddress, type Hex } from 'viem';
import { SolvencyReader } from './solvency-reader.js';

// A scripted chain and store: Ethereum's head is 100 with 12 confirmations, the partner chain's is 200 with 6.

const book = anAddressBook();
const FENCE: Fence = { name: 'relayer', token: 1n };
const FORMER = anAddress('former relayer');

let script: ReturnType<typeof aScript>;
beforeEach(() => {
  script = aScript();
});

function aScript() {
  return {
    locked: 1_000n,
    supply: 1_500n,
    /** By wallet. */
    handedIn: { [book.relayer]: 200n, [FORMER]: 400n } as Record<string, bigint>,
    minted: 5_000n,
    withdrawn: 4_100n,
    /** Mints that are signed but not mined. */
    inFlight: { USDC: 0n, XCN: 0n } as Record<string, bigint>,
    blocksBehind: 1,
    halts: [] as object[],
    hasLease: true,
    /** The chain on which the nodes have another branch than was read. */
    reorged: null as 'ethereum' | 'partner' | null,
    /** Blocks that were read, by kind of read. */
    asked: {} as Record<string, bigint | undefined>,
    reads: 0,
  };
}

const makeHash = (block: bigint): Hex => `0x${block.toString(16).padStart(64, '0')}`;

type Call = { readonly functionName: string; readonly args?: readonly unknown[]; readonly blockNumber?: bigint };

function chain(side: 'ethereum' | 'partner', chainId: number, head: bigint, confirmations: number) {
  const answers: Record<string, (call: Call) => unknown> = {
    locked: () => script.locked,
    totalSupply: () => script.supply,
    handedIn: ({ args }) => script.handedIn[String(args?.[0])],
  };
  const client = {
    readContract: async (call: Call) => {
      script.reads += 1;
      script.asked[call.functionName] = call.blockNumber;
      return answers[call.functionName]!(call);
    },
    getContractEvents: async () => [
      { args: { previous: zeroAddress, current: FORMER } },
      { args: { previous: FORMER, current: book.relayer } },
    ],
    getTransactionCount: async ({ blockNumber }: { blockNumber: bigint }) => {
      script.asked['nonce'] = blockNumber;
      return 7;
    },
  };
  const connection = {
    client,
    agree: async (read: (one: typeof client) => Promise<unknown>) => read(client),
    agreedBlock: async (number: bigint) => ({ number, hash: script.reorged === side ? aHash() : makeHash(number) }),
  };
  return { side, chainId, confirmations, deployedAtBlock: 1n, connection, finality: { recentHead: async () => head } };
}

function createReader(fatal: (details: object) => void = () => undefined): SolvencyReader {
  const toTime = (block: bigint) => new Date(Number(block) * 1_000);
  const chains = { ethereum: chain('ethereum', ETHEREUM, 100n, 12), partner: chain('partner', PARTNER, 200n, 6) };
  const store = {
    scan: {
      progress: async () => ({ blocksBehind: script.blocksBehind }),
      // Ethereum was read up to its head, which is as old as partner block 190.
      latestBlock: async (chainId: number) =>
        chainId === ETHEREUM ? { number: 100n, timestamp: toTime(190n) } : { number: 200n, timestamp: toTime(200n) },
      blockBelow: async (_: number, number: bigint) => ({
        number: number - 1n,
        hash: makeHash(number - 1n),
        timestamp: new Date(),
      }),
      blockUntil: async (_: number, number: bigint, time: Date) => {
        const limit = BigInt(time.getTime() / 1_000);
        const found = number < limit ? number : limit;
        return { number: found, hash: makeHash(found), timestamp: toTime(found) };
      },
    },
    halts: { list: async () => script.halts },
    lease: {
      assertHeld: (fence: Fence) => {
        if (!script.hasLease) throw new FenceLostError(fence);
      },
    },
    xcnTotals: { at: async () => ({ minted: script.minted, withdrawn: script.withdrawn }) },
    journal: {
      mintsFrom: async (_: unknown, nonce: bigint, asset: string, originUntil: bigint) => {
        expect(nonce).toBe(7n);
        script.asked['inFlight'] = originUntil;
        return script.inFlight[asset];
      },
    },
  };
  return new SolvencyReader(chains as never, store as never, { addressBook: book } as never, { fatal } as never);
}

function makeDeposit(asset: 'USDC' | 'XCN', outputAmount: bigint, blockNumber = 80n): Operation {
  const origin = { txHash: aHash(), blockHash: aHash(), blockNumber, logIndex: 0 };
  return { id: aHash(), direction: 'ETHEREUM_TO_PARTNER', asset, outputAmount, origin } as Operation;
}

async function reasonAgainst(operation: Operation, reader = createReader()) {
  return (await reader.reasonsAgainst(FENCE, [operation])).get(operation.id) ?? null;
}

describe('SolvencyReader', () => {
  it('reads each sum at a final block, the partner block not younger than what was read of Ethereum', async () => {
    const reader = createReader();
    const blocks = (await reader.blocks())!;
    expect([blocks.ethereum.number, blocks.partner.number]).toEqual([89n, 190n]);
    expect(await reader.read('USDC', blocks)).toMatchObject({ locked: 1_000n, outstanding: 900n });
    expect(script.asked).toEqual({ locked: 89n, totalSupply: 190n, handedIn: 190n });
  });

  it('counts the pending mints of deposits that the collateral includes', async () => {
    await reasonAgainst(makeDeposit('USDC', 1n));
    expect(script.asked).toMatchObject({ locked: 89n, inFlight: 89n });
  });

  it('reads the same blocks only once', async () => {
    const reader = createReader();
    const blocks = (await reader.blocks())!;
    await reader.read('USDC', blocks);
    const { reads } = script;
    await reader.read('USDC', (await reader.blocks())!);
    expect(script.reads).toBe(reads);
  });

  it.each([
    ['USDC', 100n, null],
    ['USDC', 101n, 'BACKING_SHORT'],
    ['XCN', 100n, null],
    ['XCN', 101n, 'BACKING_SHORT'],
  ] as const)('judges a mint of %s of %d: %s', async (asset, amount, reason) => {
    expect(await reasonAgainst(makeDeposit(asset, amount))).toBe(reason);
  });

  it('counts pending mints of the same token', async () => {
    script.inFlight = { USDC: 60n, XCN: 999n };
    const reader = createReader();
    expect(await reasonAgainst(makeDeposit('USDC', 40n), reader)).toBeNull();
    expect(await reasonAgainst(makeDeposit('USDC', 41n), reader)).toBe('BACKING_SHORT');
    expect(script.asked['nonce']).toBe(190n);
  });

  it('counts the mints of one run together, and does not delay a smaller one', async () => {
    const mints = [60n, 41n, 40n, 1n].map((amount) => makeDeposit('USDC', amount));
    const reasons = await createReader().reasonsAgainst(FENCE, [...mints, makeDeposit('XCN', 100n)]);
    expect([...reasons]).toEqual([
      [mints[1]!.id, 'BACKING_SHORT'],
      [mints[3]!.id, 'BACKING_SHORT'],
    ]);
  });

  it('raises no alarm about a mint that another relayer may have begun', async () => {
    const alarms: object[] = [];
    const reader = createReader((details) => alarms.push(details));
    expect(await reasonAgainst(makeDeposit('USDC', 101n), reader)).toBe('BACKING_SHORT');
    script.hasLease = false;
    await expect(reasonAgainst(makeDeposit('USDC', 101n), reader)).rejects.toThrow(FenceLostError);
    expect(alarms).toMatchObject([{ asset: 'USDC', locked: '1000', outstanding: '900', amount: '101' }]);
  });

  it.each(['ethereum', 'partner'] as const)('waits until a reorg of %s is read', async (side) => {
    script.reorged = side;
    expect(await reasonAgainst(makeDeposit('XCN', 1n))).toBe('ORIGIN_NOT_CONFIRMED');
    expect(await reasonAgainst(makeDeposit('XCN', 10_000n))).toBe('ORIGIN_NOT_CONFIRMED');
  });

  it('waits until the deposit is in a final block, and while a chain catches up', async () => {
    expect(await reasonAgainst(makeDeposit('USDC', 1n, 90n))).toBe('ORIGIN_NOT_CONFIRMED');
    script.blocksBehind = 1_000;
    expect(await reasonAgainst(makeDeposit('USDC', 1n))).toBe('ORIGIN_NOT_CONFIRMED');
    Object.assign(script, { blocksBehind: 1, halts: [{}] });
    expect(await createReader().blocks()).toBeNull();
  });

  it('does not object to a release', async () => {
    const release = { ...makeDeposit('USDC', 10n ** 12n), direction: 'PARTNER_TO_ETHEREUM' } as Operation;
    expect(await reasonAgainst(release)).toBeNull();
  });
});
