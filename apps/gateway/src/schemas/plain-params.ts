import { z } from 'zod';
import type { MethodParam } from '../methods/method.js';
import { address } from './address.js';
import { blockParameter } from './block-parameter.js';
import { callRequest } from './call-request.js';
import { grammar } from './grammar.js';
import { storageSlot } from './storage-slot.js';

const ADDRESS = `"${grammar.address}"`;
const BLOCK = `"(?:${grammar.plainBlockTags.join('|')}|${grammar.quantity64})"`;
const FROM = `(?:"from":${ADDRESS},)?`;
const TO = `"to":${ADDRESS}`;
const DATA = `"data":"${grammar.data}"`;

const PATTERNS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [address, ADDRESS],
  [storageSlot, `"${grammar.word}"`],
  [blockParameter, BLOCK],
  // As ethers and web3.js order the fields, and as viem does.
  [callRequest, `\\{(?:${FROM}${TO},${DATA}|${DATA},${FROM}${TO})\\}`],
]);

/**
 * What the params of nearly every call to a method look like, as JSON: each of them valid, complete and written without a space, so that the text can be
 * passed on as it is. The schemas would make the same of it, but for the case of hex digits and the order of fields.
 *
 * @param params of a method. Those at the end that may be left out, without a default, are left out.
 * @returns a sticky pattern, or null if one of the params has to be read.
 */
export function plainParams(params: readonly MethodParam[]): RegExp | null {
  const count = params.findLastIndex(({ required, schema }) => required || schema instanceof z.ZodDefault) + 1;
  const patterns = params
    .slice(0, count)
    .map(({ schema }) => PATTERNS.get(schema instanceof z.ZodDefault ? schema.unwrap() : schema));
  return patterns.includes(undefined) ? null : new RegExp(`\\[${patterns.join(',')}\\]`, 'y');
}
