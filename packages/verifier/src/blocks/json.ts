import type { Hex } from 'viem';

/** A node answered with something that cannot be, or that contradicts itself. It counts as no answer. */
export class BadAnswerError extends Error {
  override readonly name = 'BadAnswerError';
}

/** A JSON object of a node. Nothing about its fields is known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Reads an object. */
export function readObject(value: unknown, name: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new BadAnswerError(`${name} must be an object`);
}

/** Reads a list. */
export function readList(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new BadAnswerError(`${name} must be a list`);
}

/** Reads whole bytes of hex, in lower case. `size`: their number, where it is fixed. */
export function readBytes(value: unknown, name: string, size?: number): Hex {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(value))
    throw new BadAnswerError(`${name} must be bytes in hex`);
  if (size !== undefined && value.length !== 2 + 2 * size) throw new BadAnswerError(`${name} must have ${size} bytes`);
  return value.toLowerCase() as Hex;
}

/** Reads a quantity of JSON-RPC. Leading zeros are accepted: some nodes write them in signatures. */
export function readQuantity(value: unknown, name: string): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value))
    throw new BadAnswerError(`${name} must be a quantity in hex`);
  return BigInt(value);
}
