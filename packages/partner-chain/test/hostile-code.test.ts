import { isLong } from '@causeway/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesToHex, concat, numberToHex, pad, type Address, type Hex } from 'viem';
import { PartnerChainError } from '../src/errors.js';
import { simulate } from '../src/simulation/simulate.js';
import { ALICE, EngineWorld } from './engine-world.js';
import { assemble, CONTRACTS, FORWARD, words } from './contracts.js';
import { totalCoin } from './flat-state.js';

/** A fifth of the runs, or all in the long form. */
const runs = (all: number): number => (isLong ? all : all / 5);
const precompile = (number: number): Address => pad(numberToHex(number), { size: 20 });
const PRECOMPILES = [...Array.from({ length: 17 }, (_, index) => index + 1), 0x100].map(precompile);

describe('the precompile for proofs of blobs', () => {
  let world: EngineWorld;

  beforeEach(async () => {
    world = await EngineWorld.open({}, CONTRACTS);
  });

  afterEach(async () => world.close());

  it.each(['0x', `0x${'00'.repeat(192)}`] as const)('fails, and the chain continues', async (data) => {
    const receipt = await world.send(ALICE, { to: precompile(10), data, gas: 200_000n });
    expect(receipt).toMatchObject({ status: 0, gasUsed: 200_000n });
    const nested = await world.send(ALICE, { to: FORWARD, data: words(precompile(10), 0n) });
    expect(nested.status).toBe(1);
    expect(world.reader.calls(2, 0)).toMatchObject({ error: null, output: words(0n) });
    expect(world.reader.calls(2, 0)?.calls[0]?.error).not.toBeNull();
  });
});

describe('whatever code and data', () => {
  let world: EngineWorld;

  beforeAll(async () => {
    world = await EngineWorld.open({}, CONTRACTS);
  });

  afterAll(async () => world.close());

  /** A call either returns, or fails with an error of the EVM or the chain. */
  const run = async (to: Address | null, data: Hex): Promise<void> => {
    try {
      await simulate(world.evm, world.context(), world.request(ALICE.address, { to, data, gas: 500_000n }));
    } catch (error) {
      if (!(error instanceof PartnerChainError)) throw error;
    }
  };

  it('precompiles do not break the EVM', async () => {
    const data = fc.oneof(
      fc.uint8Array({ maxLength: 600 }),
      fc.constantFrom(0, 1, 31, 32, 96, 128, 160, 192, 213, 256, 288, 384, 512).map((length) => new Uint8Array(length)),
      // Lengths for modular exponentiation, including huge ones.
      fc
        .array(fc.constantFrom(0n, 1n, 32n, 64n, 1_024n, 2n ** 32n, 2n ** 64n, 2n ** 255n), {
          minLength: 3,
          maxLength: 6,
        })
        .map((lengths) => Buffer.from(words(...lengths).slice(2), 'hex')),
    );
    const property = fc.asyncProperty(fc.constantFrom(...PRECOMPILES), data, (to, bytes) => run(to, bytesToHex(bytes)));
    await fc.assert(property, { numRuns: runs(800) });
  });

  const operand = fc.oneof(
    fc.constantFrom('0', '1', '32', '0xffff', `0x${'ff'.repeat(8)}`, `0x${'ff'.repeat(32)}`, FORWARD),
    fc.constantFrom(...PRECOMPILES),
    fc.nat({ max: 300 }).map(String),
  );
  const opcode = fc.oneof(
    { weight: 3, arbitrary: operand.map((text) => assemble(text)) },
    { weight: 4, arbitrary: fc.nat({ max: 255 }).map((byte) => numberToHex(byte, { size: 1 })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...['CREATE', 'CREATE2', 'CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL', 'SELFDESTRUCT'].map((name) =>
          assemble(name),
        ),
      ),
    },
  );
  // Initial stack words, so that few programs end with a stack underflow.
  const program = fc
    .tuple(fc.array(operand, { minLength: 7, maxLength: 12 }), fc.array(opcode, { minLength: 1, maxLength: 40 }))
    .map(([operands, opcodes]) => concat([assemble(operands.join(' ')), ...opcodes]));

  it('initcode of random opcodes does not break the EVM', async () => {
    await fc.assert(
      fc.asyncProperty(program, (code) => run(null, code)),
      { numRuns: runs(3_000) },
    );
  });

  it('is mined as a transaction, and the total of coin stays the same', async () => {
    const total = totalCoin(world.reader.database);
    const property = fc.asyncProperty(fc.array(program, { minLength: 1, maxLength: 5 }), async (codes) => {
      for (const data of codes) {
        world.submit(await world.sign(ALICE, { to: null, data, gas: 300_000n }));
      }
      const receipts = await world.mine();
      expect(receipts).toHaveLength(codes.length);
      expect(totalCoin(world.reader.database)).toBe(total);
    });
    await fc.assert(property, { numRuns: runs(100) });
    expect(world.failures).toEqual([]);
  });
});

describe('depth', () => {
  it('of 1,024 calls does not break the EVM, its trace or the block', async () => {
    const SELF: Address = `0x${'5e'.repeat(20)}`;
    const code = assemble('0 0 0 0 0 ADDRESS GAS CALL POP STOP');
    const world = await EngineWorld.open({}, { [SELF]: code });
    try {
      const receipt = await world.send(ALICE, { to: SELF, gas: 16_777_216n });
      expect(receipt.status).toBe(1);
      let depth = 0;
      for (let frame = world.reader.calls(1, 0)!; frame.calls[0] !== undefined; frame = frame.calls[0]) depth += 1;
      expect(depth).toBeGreaterThan(200);
    } finally {
      await world.close();
    }
  });
});
