import type { Hex } from 'viem';

/** A node's answer is malformed or contradicts itself. It counts as no answer. */
export class BadAnswerError extends Error {
  override readonly name = 'BadAnswerError';
}

/** A node does not have what it was asked for: it may lag. */
export class MissingAnswerError extends BadAnswerError {}

/** A JSON object from a node, with unchecked fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function readObject(value: unknown, name: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  if (value === null) throw new MissingAnswerError(`it has no ${name}`);
  throw new BadAnswerError(`${name} must be an object`);
}

export function readList(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new BadAnswerError(`${name} must be a list`);
}

/** Reads bytes in hex, as lower case. `size`: the number of bytes, if fixed. */
export function readBytes(value: unknown, name: string, size?: number): Hex {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(value))
    throw new BadAnswerError(`${name} must be bytes in hex`);
  if (size !== undefined && value.length !== 2 + 2 * size) throw new BadAnswerError(`${name} must have ${size} bytes`);
  return value.toLowerCase() as Hex;
}

/** Reads a JSON-RPC quantity. Leading zeros are accepted, since some nodes write them in signatures. */
export function readQuantity(value: unknown, name: string): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value))
    throw new BadAnswerError(`${name} must be a quantity in hex`);
  return BigInt(value);
}
