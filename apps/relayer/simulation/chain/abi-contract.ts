import { toFunctionSelector, type Abi, type AbiFunction, type Hex } from 'viem';
import { Revert, type Contract, type Frame } from './execution.ts';
import { decode, encode } from './parameters.ts';

/** A function of a contract: its outputs as a list, or a single one as it is. */
interface ContractFunction {
  readonly run: (frame: Frame, args: readonly unknown[]) => unknown;
  /** Of a whole transaction that calls it, as measured with the real contract. Views have none. */
  readonly gas?: bigint | ((args: readonly unknown[]) => bigint);
}

/** The functions of a contract by their names. */
export type Functions = Readonly<Record<string, ContractFunction>>;

/** Any code that is there; the simulation runs the functions instead. */
const MARKER: Hex = '0xfe';

/**
 * A contract that is a table of functions. As the real ones, it reverts without data for a selector that it does not
 * have, for coin that a function does not take, and for a plain transfer of coin.
 *
 * @param functions those that are simulated. A call of another one of the ABI is an error of the simulation.
 */
export function abiContract(abi: Abi, functions: Functions): Contract {
  const bySelector = selectorsOf(abi);
  const names = new Set([...bySelector.values()].map(({ name }) => name));
  for (const name of Object.keys(functions)) if (!names.has(name)) throw new Error(`The ABI has no ${name}`);
  return {
    code: MARKER,
    run: (frame, data) => {
      const found = bySelector.get(data.slice(0, 10).toLowerCase());
      if (found === undefined) throw new Revert();
      const { name, inputs, outputs, stateMutability } = found;
      const code = functions[name];
      if (code === undefined) throw new Error(`not simulated: ${name}`);
      if (frame.value > 0n && stateMutability !== 'payable') throw new Revert();
      const args = decode(inputs, `0x${data.slice(10)}`);
      const used = typeof code.gas === 'function' ? code.gas(args) : code.gas;
      if (used !== undefined && used > frame.execution.gasUsed) frame.execution.gasUsed = used;
      const result = code.run(frame, args);
      return encode(outputs, outputs.length === 1 ? [result] : ((result ?? []) as readonly unknown[]));
    },
  };
}

const known = new Map<Abi, ReadonlyMap<string, AbiFunction>>();

/** Every simulation has the same ABIs, and their selectors are hashes. */
function selectorsOf(abi: Abi): ReadonlyMap<string, AbiFunction> {
  const found = known.get(abi);
  if (found !== undefined) return found;
  const functions = abi.filter((item): item is AbiFunction => item.type === 'function');
  const selectors = new Map<string, AbiFunction>(functions.map((item) => [toFunctionSelector(item), item]));
  known.set(abi, selectors);
  return selectors;
}
