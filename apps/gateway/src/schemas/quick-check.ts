import { z } from 'zod';
import { address } from './address.js';
import { blockNumberOrTag } from './block-number-or-tag.js';
import { blockParameter } from './block-parameter.js';
import { callRequest } from './call-request.js';
import { data } from './data.js';
import { grammar } from './grammar.js';
import { hash } from './hash.js';
import { quantity64 } from './quantity-64.js';

/** What a quick check says of a value that only the schema can judge: one that may be wrong, or is written in a rarer way. */
export const ASK_SCHEMA = Symbol('Ask the schema');

/** Gives what the schema would make of a value, or ASK_SCHEMA. It never differs from the schema and never refuses. */
export type QuickCheck = (value: unknown) => unknown;

const TAGS: ReadonlySet<unknown> = new Set(grammar.blockTags);
const CALL_FIELDS: ReadonlySet<string> = new Set(['from', 'to', 'data']);

const askSchema: QuickCheck = () => ASK_SCHEMA;
const quickAddress = hexOf(grammar.address);
const quickHash = hexOf(grammar.word);
// An even length and digits are told sooner than pairs of digits.
const quickHex = hexOf('0x[0-9a-fA-F]*');
const quickQuantity64 = hexOf(grammar.quantity64);
const quickData: QuickCheck = (value) => (isText(value) && value.length % 2 === 0 ? quickHex(value) : ASK_SCHEMA);
const quickBlock: QuickCheck = (value) => (TAGS.has(value) ? value : quickQuantity64(value));

const QUICK_CHECKS: ReadonlyMap<unknown, QuickCheck> = new Map<unknown, QuickCheck>([
  [address, quickAddress],
  [hash, quickHash],
  [data, quickData],
  [quantity64, quickQuantity64],
  [blockNumberOrTag, quickBlock],
  [blockParameter, quickBlock],
  [callRequest, quickCall],
]);

/**
 * A check for the values that nearly every call gives, at a fraction of the schema's work.
 *
 * @param schema of one param. One that is not known here gets a check that leaves everything to it.
 */
export function quickCheckOf(schema: z.ZodType): QuickCheck {
  const check = QUICK_CHECKS.get(schema instanceof z.ZodDefault ? schema.unwrap() : schema) ?? askSchema;
  const leftOut = schema.safeParse(undefined);
  // An object is to be made anew each time.
  const whenLeftOut = leftOut.success && typeof leftOut.data !== 'object' ? leftOut.data : ASK_SCHEMA;
  return (value) => (value === undefined ? whenLeftOut : check(value));
}

/** A call with nothing but `to` and `data`, and perhaps `from`. */
function quickCall(value: unknown): unknown {
  if (!isRecord(value)) return ASK_SCHEMA;
  for (const field in value) if (!CALL_FIELDS.has(field)) return ASK_SCHEMA;
  const to = quickAddress(value['to']);
  const bytes = quickData(value['data']);
  if (to === ASK_SCHEMA || bytes === ASK_SCHEMA) return ASK_SCHEMA;
  if (!('from' in value)) return { to, data: bytes };
  const from = quickAddress(value['from']);
  return from === ASK_SCHEMA ? ASK_SCHEMA : { from, to, data: bytes };
}

function hexOf(form: string): QuickCheck {
  const pattern = new RegExp(`^${form}$`);
  return (value) => (isText(value) && pattern.test(value) ? value.toLowerCase() : ASK_SCHEMA);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
