import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesToHex, hexToBytes, numberToHex, type Address, type Hex } from 'viem';
import { findLogs, MAX_LOGS, type LogQuery } from '../src/logs/find-logs.js';
import type { PlacedLog } from '../src/logs/log.js';
import { ALICE, EngineWorld } from './engine-world.js';
import { assemble, words } from './contracts.js';

/** Emitters of logs with zero to four topics, taken from the words of the calldata. */
const EMITTERS = [0, 1, 2, 3, 4].map((topics): { address: Address; code: Hex } => {
  const pushes = Array.from({ length: topics }, (_, index) => `${(topics - 1 - index) * 32} CALLDATALOAD`).join(' ');
  return {
    address: `0x${'e1'.repeat(19)}0${topics}`,
    code: assemble(`CALLDATASIZE 0 0 CALLDATACOPY ${pushes} 32 0 LOG${topics} STOP`),
  };
});
/** Emits the number of logs in its calldata, with the counter as topic. */
const MANY: Address = `0x${'e2'.repeat(20)}`;
const MANY_CODE = assemble(
  '0 CALLDATALOAD next: DUP1 ISZERO @end JUMPI DUP1 0 0 LOG1 1 SWAP1 SUB @next JUMP end: STOP',
);

const code = { ...Object.fromEntries(EMITTERS.map((each) => [each.address, each.code])), [MANY]: MANY_CODE };
const topic = (value: number): Uint8Array => hexToBytes(numberToHex(value, { size: 32 }));

let world: EngineWorld;
let all: PlacedLog[];

beforeAll(async () => {
  world = await EngineWorld.open({}, code);
  const [emissions] = fc.sample(
    fc.array(
      fc.record({
        emitter: fc.nat({ max: 4 }),
        topics: fc.array(fc.bigInt({ min: 0n, max: 3n }), { minLength: 4, maxLength: 4 }),
      }),
      { minLength: 150, maxLength: 150 },
    ),
    1,
  );
  for (const [index, { emitter, topics }] of emissions!.entries()) {
    const { address } = EMITTERS[emitter]!;
    world.submit(await world.sign(ALICE, { to: address, data: words(...topics), gas: 60_000n }));
    // Blocks of several logs, of one, of none.
    if (index % 7 === 0) await world.mine();
    if (index % 11 === 0) await world.mine();
  }
  await world.mine();
  all = [];
  for (let number = 0; number <= world.head; number += 1) {
    for (const receipt of world.reader.receipts(number)) all.push(...receipt.logs);
  }
});

afterAll(async () => world.close());

/** Naive matching of a log against a query of eth_getLogs. */
function matches(log: PlacedLog, query: LogQuery): boolean {
  const same = (a: Uint8Array, b: Uint8Array): boolean => bytesToHex(a) === bytesToHex(b);
  return (
    log.blockNumber >= query.fromBlock &&
    log.blockNumber <= query.toBlock &&
    (query.addresses.length === 0 || query.addresses.some((address) => same(address, log.address))) &&
    query.topics.length <= log.topics.length &&
    query.topics.every((wanted, index) => wanted === null || wanted.some((each) => same(each, log.topics[index]!)))
  );
}

describe('findLogs', () => {
  it('finds the same logs as a naive scan', () => {
    expect(all).toHaveLength(150);
    const someTopic = fc.nat({ max: 4 }).map(topic);
    const query = fc.record({
      fromBlock: fc.nat({ max: world.head + 3 }),
      toBlock: fc.nat({ max: world.head + 3 }),
      addresses: fc.array(
        fc.constantFrom(...EMITTERS.map(({ address }) => hexToBytes(address)), topic(1).subarray(12)),
        {
          maxLength: 3,
        },
      ),
      topics: fc.array(fc.option(fc.array(someTopic, { maxLength: 3 }), { nil: null }), { maxLength: 5 }),
    });
    let found = 0;
    const property = fc.property(query, (asked) => {
      const logs = findLogs(world.reader, asked);
      expect(logs).toEqual(all.filter((log) => matches(log, asked)));
      found += logs.length;
    });
    fc.assert(property, { numRuns: 1_000 });
    expect(found).toBeGreaterThan(500);
  });

  it('numbers logs by block and names their transaction', () => {
    for (let number = 0; number <= world.head; number += 1) {
      const logs = [...world.reader.logs(number, number)];
      expect(logs.map(({ logIndex }) => logIndex)).toEqual(logs.map((_, index) => index));
      for (const log of logs) {
        expect(world.reader.place(log.transactionHash)).toEqual({ blockNumber: number, index: log.transactionIndex });
      }
    }
  });
});

describe('a long chain', () => {
  let long: EngineWorld;
  const anywhere = { fromBlock: 0, topics: [], addresses: [hexToBytes(MANY)] };

  beforeAll(async () => {
    long = await EngineWorld.open({}, code);
    // 4 times 2,500 logs, with logs of another emitter before, between and after.
    for (let round = 0; round < 4; round += 1) {
      await long.send(ALICE, { to: EMITTERS[1]!.address, data: words(7n) });
      await long.send(ALICE, { to: MANY, data: words(2_500n), gas: 3_000_000n });
    }
    await long.send(ALICE, { to: EMITTERS[1]!.address, data: words(7n) });
  });

  afterAll(async () => long.close());

  /** Returns the block range in a refusal, in the wording that Ponder and graph-node parse. */
  const refusedRange = (query: LogQuery): number[] => {
    try {
      findLogs(long.reader, query);
    } catch (error) {
      expect(error).toMatchObject({ code: 'TOO_MANY_RESULTS' });
      const refusal = /^query returned more than 10000 results\. Try with this block range \[(0x\w+), (0x\w+)\]\.$/;
      return refusal
        .exec((error as Error).message)!
        .slice(1)
        .map(Number);
    }
    throw new Error('The query was answered');
  };

  it('answers with 10,000 logs and refuses one more', async () => {
    expect(findLogs(long.reader, { ...anywhere, toBlock: long.head })).toHaveLength(MAX_LOGS);
    await long.send(ALICE, { to: MANY, data: words(1n) });
    const tooMany = { ...anywhere, toBlock: long.head };
    for (const addresses of [tooMany.addresses, []]) {
      const query = { ...tooMany, addresses };
      const range = refusedRange(query);
      expect(range[0]).toBe(0);
      expect(findLogs(long.reader, { ...query, toBlock: range[1]! }).length).toBeGreaterThan(7_500);
    }
    expect(findLogs(long.reader, { ...tooMany, fromBlock: 3 })).toHaveLength(7_501);
  });

  it('reads few entries for a rare match among many logs', () => {
    const { logIndex } = long.reader.database;
    let read = 0;
    const getKeys = logIndex.getKeys.bind(logIndex);
    logIndex.getKeys = (options) =>
      getKeys(options).map((key) => {
        read += 1;
        return key;
      });
    try {
      const rare = { fromBlock: 0, toBlock: long.head, addresses: [], topics: [[topic(7)]] };
      // Five logs of the rare emitter, and the seventh last of each large batch.
      expect(findLogs(long.reader, rare)).toHaveLength(9);
      expect(read).toBeLessThan(20);
      read = 0;
      expect(findLogs(long.reader, { ...rare, addresses: [hexToBytes(MANY)] })).toHaveLength(4);
      // The large emitter has 10,001 logs; the search reads one chunk of its list per match.
      expect(read).toBeLessThan(10 * 128 + 20);
    } finally {
      logIndex.getKeys = getKeys;
    }
  });
});
