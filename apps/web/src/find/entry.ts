import { parseAccount } from '@causeway/sdk';
import { isHash } from './kinds.js';

/** The meaning of an entered text. */
export type Entry =
  | { readonly kind: 'address'; readonly address: string }
  /** Of a transaction or a user operation, or the id of a transfer. */
  | { readonly kind: 'hash'; readonly hash: `0x${string}` }
  | { readonly kind: 'malformed' | 'checksum' };

/** Decides by its form what a user entered. Text around it, such as the link of an explorer, is ignored. */
export function parseEntry(text: string): Entry {
  const found = /0x[\da-f]+/i.exec(text)?.[0] ?? '';
  if (isHash(found)) return { kind: 'hash', hash: found.toLowerCase() as `0x${string}` };
  if (!/^0x[\da-f]{40}$/i.test(found)) return { kind: 'malformed' };
  try {
    return { kind: 'address', address: parseAccount('address', found) };
  } catch {
    return { kind: 'checksum' };
  }
}
