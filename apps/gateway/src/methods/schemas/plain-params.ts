import { z } from 'zod';
import type { MethodParam } from '../method.js';
import { address } from './address.js';
import { blockNumberOrTag } from './block-number-or-tag.js';
import { blockParameter } from './block-parameter.js';
import { callRequest } from './call-request.js';
import { data } from './data.js';
import { hash } from './hash.js';
import { quantity64 } from './quantity-64.js';
import { storageSlot } from './storage-slot.js';

const ADDRESS = '"0x[0-9a-fA-F]{40}"';
const WORD = '"0x[0-9a-fA-F]{64}"';
const DATA = '"0x(?:[0-9a-fA-F]{2})*"';
const QUANTITY_64 = '"0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,15})"';
const BLOCK = `(?:"(?:latest|earliest|pending|safe|finalized)"|${QUANTITY_64})`;
/** As ethers, web3.js and cast order the fields, and as viem does. */
const CALL = `\\{(?:(?:"from":${ADDRESS},)?"to":${ADDRESS},"data":${DATA}|(?:"from":${ADDRESS},)?"data":${DATA},"to":${ADDRESS})\\}`;

const PATTERNS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [address, ADDRESS],
  [hash, WORD],
  [storageSlot, WORD],
  [data, DATA],
  [quantity64, QUANTITY_64],
  [blockNumberOrTag, BLOCK],
  [blockParameter, BLOCK],
  [callRequest, CALL],
]);

/**
 * What the params of nearly every call to a method look like, as JSON: each of them valid, complete and written without a space, so that the text can be
 * passed on as it is. The schemas would make the same of it, but for the case of hex digits.
 *
 * @param params of a method. One that may be left out, without a default, is left out.
 * @returns a sticky pattern, or null if one of the params has to be read.
 */
export function plainParams(params: readonly MethodParam[]): RegExp | null {
  const given = params.filter(({ required, schema }) => required || schema instanceof z.ZodDefault);
  const patterns = given.map(({ schema }) => PATTERNS.get(schema instanceof z.ZodDefault ? schema.unwrap() : schema));
  return patterns.includes(undefined) ? null : new RegExp(`\\[${patterns.join(',')}\\]`, 'y');
}
