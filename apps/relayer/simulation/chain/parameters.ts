import {
  decodeAbiParameters,
  encodeAbiParameters,
  toEventSelector,
  toFunctionSelector,
  type Abi,
  type AbiEvent,
  type AbiParameter,
  type Hex,
} from 'viem';

// The ABI of calls, returns, errors and events. Almost all of them consist of single words, which are encoded here: the
// general encoder is many times as slow.

/** Types of one word. */
const WORD = /^(?:uint\d+|address|bool|bytes32)$/;
const isWords = (parameters: readonly AbiParameter[]) => parameters.every(({ type }) => WORD.test(type));
const areWords = new WeakMap<readonly AbiParameter[], boolean>();

/** Encodes values. Whole numbers are bigint. */
export function encode(parameters: readonly AbiParameter[], values: readonly unknown[]): Hex {
  return hasWords(parameters) ? `0x${values.map(wordOf).join('')}` : encodeAbiParameters(parameters, values);
}

/** Decodes values. All whole numbers are bigint, and all addresses in lower case. */
export function decode(parameters: readonly AbiParameter[], data: Hex): readonly unknown[] {
  if (!hasWords(parameters)) return decodeAbiParameters(parameters, data).map(plain);
  return parameters.map(({ type }, index) => valueOf(data.slice(2 + 64 * index, 66 + 64 * index), type));
}

/** A custom error of an ABI. */
export type AbiError = Extract<Abi[number], { type: 'error' }>;

/** Encodes an error with its selector. */
export function encodeError({ name, inputs }: AbiError, values: readonly unknown[]): Hex {
  const selector = toFunctionSelector(`${name}(${inputs.map(({ type }) => type).join(',')})`);
  return `${selector}${encode(inputs, values).slice(2)}`;
}

/** An event that is ready to be encoded. */
export interface EventForm {
  readonly topic: Hex;
  readonly inputs: readonly AbiParameter[];
  readonly indexed: readonly boolean[];
}

/** The events of an ABI, by name. */
export function eventsOf(abi: Abi): ReadonlyMap<string, EventForm> {
  const events = abi.filter((item): item is AbiEvent => item.type === 'event');
  return new Map(
    events.map((event) => {
      const indexed = event.inputs.map((input) => input.indexed === true);
      return [event.name, { topic: toEventSelector(event), inputs: event.inputs, indexed }];
    }),
  );
}

/** Encodes an event. Its indexed arguments have one word each. */
export function encodeEvent({ topic, inputs, indexed }: EventForm, values: readonly unknown[]) {
  const topics = [topic, ...values.filter((_, index) => indexed[index]).map((value): Hex => `0x${wordOf(value)}`)];
  const rest = inputs.filter((_, index) => indexed[index] !== true);
  return {
    topics,
    data: encode(
      rest,
      values.filter((_, index) => indexed[index] !== true),
    ),
  };
}

function hasWords(parameters: readonly AbiParameter[]): boolean {
  const known = areWords.get(parameters);
  if (known !== undefined) return known;
  const found = isWords(parameters);
  areWords.set(parameters, found);
  return found;
}

function wordOf(value: unknown): string {
  if (typeof value === 'string') return value.slice(2).toLowerCase().padStart(64, '0');
  if (typeof value === 'bigint') return value.toString(16).padStart(64, '0');
  return (value === true ? '1' : '0').padStart(64, '0');
}

function valueOf(word: string, type: string): unknown {
  if (type === 'address') return `0x${word.slice(24).toLowerCase()}`;
  if (type === 'bytes32') return `0x${word.toLowerCase()}`;
  const number = BigInt(`0x${word || '0'}`);
  return type === 'bool' ? number !== 0n : number;
}

function plain(value: unknown): unknown {
  if (typeof value === 'number') return BigInt(value);
  if (typeof value === 'string') return value.toLowerCase();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
  return value;
}
