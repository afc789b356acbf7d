import type { Address, Hex } from 'viem';
import { AnswerError } from '../errors.js';

/**
 * Validates a value of an answer, and throws an AnswerError with its path. A shape of a wider type also accepts a
 * narrower one: an enum that can grow is text.
 */
export interface Shape<in T> {
  (value: unknown, path: string): void;
  readonly accepts?: (value: T) => void;
}

function expect(isRight: boolean, words: string, value: unknown, path: string): void {
  if (!isRight) throw new AnswerError(path || 'answer', value === undefined ? 'is missing' : `is not ${words}`);
}

const matches = (value: unknown, pattern: RegExp) => typeof value === 'string' && pattern.test(value);

export const text: Shape<string> = (value, path) => expect(typeof value === 'string', 'text', value, path);
export const flag: Shape<boolean> = (value, path) => expect(typeof value === 'boolean', 'true or false', value, path);
/** A non-negative integer. */
export const whole: Shape<number> = (value, path) =>
  expect(Number.isSafeInteger(value) && (value as number) >= 0, 'a whole number', value, path);
/** Atomic units. */
export const amount: Shape<string> = (value, path) =>
  expect(matches(value, /^\d{1,78}$/), 'an amount in atomic units', value, path);
export const hash: Shape<Hex> = (value, path) => expect(matches(value, /^0x[\da-f]{64}$/i), 'a hash', value, path);
export const address: Shape<Address> = (value, path) =>
  expect(matches(value, /^0x[\da-f]{40}$/i), 'an address', value, path);
export const time: Shape<string> = (value, path) =>
  expect(typeof value === 'string' && !Number.isNaN(Date.parse(value)), 'a time', value, path);

export const nullable =
  <T>(shape: Shape<T>): Shape<T | null> =>
  (value, path) => {
    if (value !== null) shape(value, path);
  };

export const optional =
  <T>(shape: Shape<T>): Shape<T | undefined> =>
  (value, path) => {
    if (value !== undefined) shape(value, path);
  };

export const list =
  <T>(shape: Shape<T>): Shape<readonly T[]> =>
  (value, path) => {
    expect(Array.isArray(value), 'a list', value, path);
    for (const [index, item] of (value as unknown[]).entries()) shape(item, `${path}.${index}`);
  };

/** The fields that this package and its callers use. Additional fields are allowed. */
export const fields =
  <T>(shapes: { readonly [K in keyof T]?: Shape<T[K]> }): Shape<T> =>
  (value, path) => {
    expect(typeof value === 'object' && value !== null, 'an object', value, path);
    for (const [key, shape] of Object.entries<Shape<never> | undefined>(shapes))
      shape?.((value as Record<string, unknown>)[key], path === '' ? key : `${path}.${key}`);
  };
