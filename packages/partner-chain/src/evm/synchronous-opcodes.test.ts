import { createEVM, type EVM, type ExecResult } from '@ethereumjs/evm';
import { Account, createAddressFromString } from '@ethereumjs/util';
import { beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesToHex, concat, hexToBytes, numberToHex, type Hex } from 'viem';
import { createCommon } from './common.js';
import { synchronousOpcodes, TimeSlicer } from './synchronous-opcodes.js';

const ADDRESS = createAddressFromString(`0x${'ab'.repeat(20)}`);

/** More words than 100,000 gas can pay for. An execution with more words runs out of gas first. */
const MOST_WORDS = 10_000n;

const BLOCK = {
  header: {
    number: 7n,
    coinbase: ADDRESS,
    timestamp: 1_700_000_000n,
    difficulty: 0n,
    prevRandao: new Uint8Array(32).fill(1),
    gasLimit: 30_000_000n,
    baseFeePerGas: 5n,
    getBlobGasPrice: () => 1n,
  },
};

let usual: EVM;
let fast: EVM;

beforeAll(async () => {
  const common = createCommon(8901);
  usual = await createEVM({ common });
  fast = await createEVM({ common, customOpcodes: synchronousOpcodes(common, new TimeSlicer()) });
  for (const evm of [usual, fast]) await evm.stateManager.putAccount(ADDRESS, new Account(1n, 1_000n));
});

/** Observes every result of an execution. */
async function observeOutcome(evm: EVM, code: Uint8Array, gasLimit: bigint) {
  await evm.journal.checkpoint();
  const call = { code, gasLimit, to: ADDRESS, caller: ADDRESS, value: 3n, block: BLOCK };
  // A failure of EthereumJS counts as an outcome too: `runCode` does not support SELFDESTRUCT.
  const result = await evm.runCode(call).catch((error: unknown) => String(error));
  await evm.journal.revert();
  evm.journal.cleanJournal();
  evm.transientStorage.clear();
  if (typeof result === 'string') return result;
  const { runState } = result;
  return {
    gas: result.executionGasUsed,
    error: result.exceptionError?.error,
    output: bytesToHex(result.returnValue),
    logs: result.logs?.map(([, topics, data]) => [topics.map((topic) => bytesToHex(topic)), bytesToHex(data)]),
    refund: result.gasRefund,
    pc: runState?.programCounter,
    opcode: runState?.opCode,
    stack: runState?.stack.getStack(),
    memoryWords: runState?.memoryWordCount,
    memory: runState === undefined || runState.memoryWordCount > MOST_WORDS ? undefined : readMemory(runState),
  };
}

/** Runs one code array in the plain interpreter, and twice in the fast one, which caches jumps on the first run. */
async function observeOutcomes(program: Hex, gasLimit: bigint) {
  const code = hexToBytes(program);
  const expected = await observeOutcome(usual, code, gasLimit);
  return { expected, fast: [await observeOutcome(fast, code, gasLimit), await observeOutcome(fast, code, gasLimit)] };
}

function readMemory({ memory, memoryWordCount }: NonNullable<ExecResult['runState']>): Hex {
  return bytesToHex(memory.read(0, Number(memoryWordCount) * 32));
}

const push = fc.oneof(
  { weight: 5, arbitrary: fc.nat({ max: 40 }).map((value) => numberToHex(0x6000 + value, { size: 2 })) },
  {
    weight: 1,
    arbitrary: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((v) => concat(['0x7f', numberToHex(v, { size: 32 })])),
  },
);
const anyOpcode = fc.nat({ max: 255 }).map((byte) => numberToHex(byte, { size: 1 }));
const cheapOpcode = fc
  .oneof(
    fc.integer({ min: 0x01, max: 0x1d }),
    fc.integer({ min: 0x50, max: 0x5f }),
    fc.integer({ min: 0x80, max: 0x9f }),
  )
  .map((byte) => numberToHex(byte, { size: 1 }));
const program = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: push },
      { weight: 5, arbitrary: cheapOpcode },
      { weight: 1, arbitrary: anyOpcode },
    ),
    {
      minLength: 1,
      maxLength: 60,
    },
  )
  .map((parts) => concat(parts));

it('run random programs with the outcome of the plain interpreter: gas, stack, memory, errors, logs', async () => {
  const property = fc.asyncProperty(program, fc.constantFrom(3n, 30n, 300n, 5_000n, 100_000n), async (code, gas) => {
    const outcomes = await observeOutcomes(code, gas);
    expect(outcomes.fast).toEqual([outcomes.expected, outcomes.expected]);
  });
  await fc.assert(property, { numRuns: 2_000 });
});

it.each<[string, Hex, bigint]>([
  ['a loop that runs out of gas', '0x5b600056', 50_000n],
  ['a stack that overflows', '0x5b6001600056', 200_000n],
  ['a stack that underflows', '0x6001600201015050', 200_000n],
  ['a jump into the data of a push', '0x600456605b5b00', 200_000n],
  ['a conditional jump', '0x600160075760fe5b600d60005260206000f3', 200_000n],
  ['the end of the code', '0x60016002', 200_000n],
  ['a push cut off by the end of the code', '0x7f0102', 200_000n],
  ['an invalid opcode', '0x60016002010c', 200_000n],
])('run %s with the outcome of the plain interpreter', async (_, code, gas) => {
  const outcomes = await observeOutcomes(code, gas);
  expect(outcomes.fast).toEqual([outcomes.expected, outcomes.expected]);
});
