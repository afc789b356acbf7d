import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hexToBytes, type Address, type Hex } from 'viem';
import { type CallFrame, encodeCallFrame } from '../src/evm/call-tree.js';
import { ALICE, BOB, CAROL, DAVE, EngineWorld, GWEI } from './engine-world.js';
import { assemble, CONTRACTS, STORE, words } from './contracts.js';

/** chatter(calls, bytes): calls an account without code `calls` times with `bytes` bytes, and returns as many. */
const CHATTER: Address = `0x${'b1'.repeat(20)}`;
/** Copies its calldata 50 times to ECHO. */
const ROUTER: Address = `0x${'b2'.repeat(20)}`;
/** Reads 19 slots, and returns the first half of its calldata. */
const ECHO: Address = `0x${'b3'.repeat(20)}`;

/** Copies its calldata to CHATTER, then pays 5 units to HEIR. */
const PAYER: Address = `0x${'b4'.repeat(20)}`;
/** Copies its calldata to CHATTER, then to PAYER. */
const MANAGER: Address = `0x${'b5'.repeat(20)}`;
const HEIR: Address = `0x${'b6'.repeat(20)}`;
const HANDS_ON = (to: Address) => `0 0 CALLDATASIZE 0 0 ${to} GAS CALL POP`;

const code = {
  ...CONTRACTS,
  [CHATTER]: assemble(`
    0 CALLDATALOAD
    next: DUP1 ISZERO @end JUMPI
    0 0 32 CALLDATALOAD 0 0 0xff GAS CALL POP 1 SWAP1 SUB @next JUMP
    end: 32 CALLDATALOAD 0 RETURN`),
  [ROUTER]: assemble(`
    CALLDATASIZE 0 0 CALLDATACOPY
    50 next: 0 0 CALLDATASIZE 0 0 ${ECHO} GAS CALL POP 1 SWAP1 SUB DUP1 @next JUMPI STOP`),
  [ECHO]: assemble(`
    CALLDATASIZE 0 0 CALLDATACOPY
    ${Array.from({ length: 19 }, (_, slot) => `${slot} SLOAD POP`).join(' ')}
    CALLDATASIZE 1 SHR 0 RETURN`),
  [PAYER]: assemble(`CALLDATASIZE 0 0 CALLDATACOPY ${HANDS_ON(CHATTER)} 0 0 0 0 5 ${HEIR} GAS CALL POP STOP`),
  [MANAGER]: assemble(`CALLDATASIZE 0 0 CALLDATACOPY ${HANDS_ON(CHATTER)} ${HANDS_ON(PAYER)} STOP`),
};

let world: EngineWorld;

beforeAll(async () => {
  world = await EngineWorld.open({}, code);
});

afterAll(async () => world.close());

/** Arguments of CHATTER: the number of calls and their size. */
const chatter = fc.record({ calls: fc.nat({ max: 1_500 }), bytes: fc.nat({ max: 40_000 }) });
const others = fc.array(
  fc.oneof(
    chatter.map(({ calls, bytes }) => ({ to: CHATTER, data: words(BigInt(calls), BigInt(bytes)) })),
    fc.constant({ to: STORE, data: words(1n, 2n) }),
  ),
  { maxLength: 6 },
);

/** Returns the call tree of a transaction after others in the same block. */
async function treeBehind(before: readonly { to: Address; data: Hex }[], data: Hex): Promise<CallFrame> {
  for (const [index, draft] of before.entries()) {
    const sender = [BOB, CAROL, DAVE][index % 3]!;
    world.submit(await world.sign(sender, { ...draft, gas: 8_000_000n, gasPrice: 2n * GWEI }));
  }
  const hash = world.submit(await world.sign(ALICE, { to: CHATTER, data, gas: 8_000_000n }));
  await world.mine();
  const place = world.reader.place(hexToBytes(hash))!;
  expect(place).toEqual({ blockNumber: world.head, index: before.length });
  return world.reader.calls(place.blockNumber, place.index)!;
}

it('the kept part of a call tree does not depend on earlier transactions of the block', async () => {
  let cut = 0;
  const property = fc.asyncProperty(chatter, others, async ({ calls, bytes }, before) => {
    const data = words(BigInt(calls), BigInt(bytes));
    const alone = await treeBehind([], data);
    expect(await treeBehind(before, data)).toEqual(alone);
    if (alone.omitted !== undefined) cut += 1;
  });
  // The second: earlier transactions would have filled a block's 30,000 messages; the third: its 8 MiB.
  const many = { to: CHATTER, data: words(1_500n, 0n) };
  const large = { to: CHATTER, data: words(60n, 40_000n) };
  const examples: [{ calls: number; bytes: number }, { to: Address; data: Hex }[]][] = [
    [{ calls: 3, bytes: 10 }, []],
    [{ calls: 3, bytes: 10 }, Array.from({ length: 21 }, () => many)],
    [{ calls: 3, bytes: 10 }, Array.from({ length: 9 }, () => large)],
    [{ calls: 1_500, bytes: 40_000 }, [many, large]],
  ];
  await fc.assert(property, { numRuns: 12, examples });
  expect(cut).toBeGreaterThan(0);
});

it('a payment and the calls that lead to it are shown, whatever is called before', async () => {
  await world.send(ALICE, { to: PAYER, data: words(0n, 0n), units: 1_000n, gas: 1_000_000n });
  const payments = (frame: CallFrame): CallFrame[] => [
    ...(frame.to === HEIR ? [frame] : []),
    ...frame.calls.flatMap(payments),
  ];
  let cut = 0;
  const property = fc.asyncProperty(chatter, async ({ calls, bytes }) => {
    const before = world.reader.state(world.head).account(hexToBytes(HEIR))?.balance ?? 0n;
    await world.send(ALICE, { to: MANAGER, data: words(BigInt(calls), BigInt(bytes)), gas: 8_000_000n });
    expect(world.reader.state(world.head).account(hexToBytes(HEIR))?.balance).toBe(before + 5n);
    const tree = world.reader.calls(world.head, 0)!;
    expect(payments(tree)).toMatchObject([{ type: 'CALL', from: PAYER, value: 5n, error: null }]);
    expect(tree.calls.at(-1)).toMatchObject({ type: 'CALL', from: MANAGER, to: PAYER });
    expect(payments(tree.calls.at(-1)!)).toHaveLength(1);
    if (tree.omitted !== undefined) cut += 1;
  });
  // The last one exceeds the limit that applies to any gas.
  const examples: [{ calls: number; bytes: number }][] = [
    [{ calls: 3, bytes: 10 }],
    [{ calls: 60, bytes: 40_000 }],
    [{ calls: 1_500, bytes: 0 }],
    [{ calls: 11_000, bytes: 0 }],
  ];
  await fc.assert(property, { numRuns: 10, examples });
  expect(cut).toBeGreaterThan(1);
});

it('an ordinary transaction with a gas limit of 200,000 and 50 calls of 2,400 bytes is complete', async () => {
  const receipt = await world.send(ALICE, { to: ROUTER, data: `0x${'00'.repeat(1_600)}`, gas: 200_000n });
  expect(receipt.status).toBe(1);
  const tree = world.reader.calls(world.head, 0)!;
  expect(tree).not.toHaveProperty('omitted');
  expect(tree.calls).toHaveLength(50);
  for (const { input, output } of tree.calls) expect(input.length + output.length).toBe(2 * (2 + 1_600 + 800));
});

it('the trees of a block stay within its used gas, whatever the gas limits of its transactions', async () => {
  // Each has a gas limit of 8 million, and uses about 60,000.
  const data = words(60n, 40_000n);
  const hashes: Hex[] = [];
  for (let sent = 0; sent < 60; sent += 1) {
    hashes.push(world.submit(await world.sign(BOB, { to: CHATTER, data, gas: 8_000_000n })));
  }
  const receipts = await world.mine();
  expect(receipts).toHaveLength(hashes.length);
  const gasUsed = Number(receipts.at(-1)!.cumulativeGasUsed);
  const stored = receipts.map((_, index) => encodeCallFrame(world.reader.calls(world.head, index)!).length);
  expect(stored.reduce((sum, length) => sum + length, 0)).toBeLessThan(gasUsed * 1.5);
});
