import type { Common } from '@ethereumjs/common';
import { getOpcodesForHF } from '@ethereumjs/evm';
import type { CustomOpcode, OpcodeLogic } from './custom-opcodes.js';

type RunState = Parameters<OpcodeLogic>[0];

/** The method of the interpreter that finds the valid destinations, the pushed values and the opcodes of a code. */
const ANALYSE = '_getValidJumpDestinations';
type JumpAnalysis = ReturnType<RunState['interpreter'][typeof ANALYSE]>;

interface SynchronousOpcode {
  readonly name: string;
  readonly fee: number;
  readonly gas: bigint;
  /** JUMP and JUMPI, which need the interpreter's analysis of jump destinations. */
  readonly isJump: boolean;
  readonly run: OpcodeLogic;
}

/** Opcodes between two looks at the clock. */
const OPCODES_PER_SLICE_CHECK = 1_024;
/** Milliseconds that an execution runs before other work of its thread gets a turn. */
const SLICE_MS = 10;

/**
 * Lets other work of the thread run during a long execution: requests, timers. EthereumJS awaits only promises that
 * are already settled, so without this a thread answers nothing until an execution has ended.
 */
export class TimeSlicer {
  private sliceEnd = 0;

  /** @returns a promise to await when the time slice is used up; undefined while it is not. */
  readonly yieldIfDue = (): Promise<void> | undefined => {
    if (performance.now() < this.sliceEnd) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.restart();
        resolve();
      });
    });
  };

  /** Starts a time slice now. */
  restart(): void {
    this.sliceEnd = performance.now() + SLICE_MS;
  }
}

/**
 * Opcodes without dynamic gas and without asynchronous work: arithmetic, stack, jumps. EthereumJS awaits every opcode,
 * and that takes longer than most of them. After one of these, all that follow directly run in the same turn. Gas,
 * stack limits and errors are those of the interpreter, because the same functions run in the same order. Measured for
 * 16.7 million gas: 2,850 -> 232 ms of JUMPDESTs, 870 -> 218 ms of an arithmetic loop.
 */
export function synchronousOpcodes(common: Common, slicer: TimeSlicer): CustomOpcode[] {
  const table = buildTable(common);
  const analyses = new WeakMap<Uint8Array, JumpAnalysis>();
  return [...table.entries()].flatMap(([opcode, entry]): CustomOpcode[] => {
    if (entry === undefined) return [];
    const logicFunction: OpcodeLogic = (runState, rules) => {
      void entry.run(runState, rules);
      runFollowing(table, runState, rules);
      if (runState.shouldDoJumpAnalysis) shareAnalysis(runState, analyses);
      return slicer.yieldIfDue();
    };
    return [{ opcode, opcodeName: entry.name, baseFee: entry.fee, logicFunction }];
  });
}

/**
 * Lets the interpreter take the analysis of its code from an earlier message to the same code: it would analyse the
 * code again for each message, and that takes longer than most calls: 3.6 -> 0.15 ms for a code of 20 KB. State hands
 * out one array for a code and never changes it. The analyses hold for the rules that the opcodes were made for.
 */
function shareAnalysis({ interpreter }: RunState, analyses: WeakMap<Uint8Array, JumpAnalysis>): void {
  if (Object.hasOwn(interpreter, ANALYSE)) return;
  const analyse = interpreter[ANALYSE].bind(interpreter);
  interpreter[ANALYSE] = (code) => {
    const analysis = analyses.get(code) ?? analyse(code);
    analyses.set(code, analysis);
    return analysis;
  };
}

/** Runs opcodes as `Interpreter.run` and `Interpreter.runStep` do, up to one that is not in the table. */
function runFollowing(table: readonly (SynchronousOpcode | undefined)[], runState: RunState, rules: Common): void {
  const { code, interpreter } = runState;
  for (let count = 0; count < OPCODES_PER_SLICE_CHECK; count += 1) {
    const opcode = code[runState.programCounter];
    const entry = opcode === undefined ? undefined : table[opcode];
    // The interpreter analyses the code when it meets the first jump.
    if (opcode === undefined || entry === undefined || (entry.isJump && runState.shouldDoJumpAnalysis)) return;
    runState.opCode = opcode;
    interpreter.useGas(entry.gas);
    runState.programCounter += 1;
    void entry.run(runState, rules);
  }
}

/** The opcodes of the chain's rules that qualify, by their byte. */
function buildTable(common: Common): (SynchronousOpcode | undefined)[] {
  const { opcodes, handlers } = getOpcodesForHF(common);
  return Array.from({ length: 256 }, (_, opcode) => {
    const info = opcodes.get(opcode);
    const run = handlers.get(opcode);
    if (info === undefined || run === undefined || info.isAsync || info.dynamicGas || info.isInvalid) return undefined;
    const isJump = opcode === 0x56 || opcode === 0x57;
    return { name: info.name, fee: info.fee, gas: info.feeBigInt, isJump, run };
  });
}
