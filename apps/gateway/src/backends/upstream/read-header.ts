import type { RpcHeader } from '../backend.js';

const HASH = /^0x[0-9a-fA-F]{64}$/;
const QUANTITY = /^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,12})$/;
/** What a block has and a header has not. */
const BODY = new Set(['transactions', 'uncles', 'withdrawals', 'size', 'totalDifficulty']);

/** The header of a block as a node answers it, or null when it is none (also for a null result). */
export function readHeader(block: unknown): RpcHeader | null {
  if (typeof block !== 'object' || block === null) return null;
  const fields = Object.fromEntries(Object.entries(block).filter(([name]) => !BODY.has(name)));
  const valid =
    matches(fields['hash'], HASH) &&
    matches(fields['parentHash'], HASH) &&
    matches(fields['number'], QUANTITY) &&
    matches(fields['timestamp'], QUANTITY);
  return valid ? (fields as RpcHeader) : null;
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}
