import { BridgeError } from '@causeway/protocol';
import type { Page, PageStart, TimeKey } from '@causeway/store';
import { z } from 'zod';

/** The error for a cursor that did not come from a response. */
function unknownCursor(cause: unknown): BridgeError {
  const message = 'cursor must come from an earlier response to the same search; begin with the first page';
  return new BridgeError('VALIDATION_ERROR', message, { field: 'cursor', cause });
}

const way = z.enum(['older', 'newer']);
const timeCursor = z
  .tuple([way, z.int().min(0).max(8.64e15), z.string().regex(/^0x[0-9a-f]{64}$/)])
  .transform(([direction, ms, id]): PageStart<TimeKey> => ({ way: direction, key: { at: new Date(ms), id } }));
const sequenceCursor = z
  .tuple([way, z.string().regex(/^\d{1,18}$/)])
  .transform(([direction, sequence]): PageStart<bigint> => ({ way: direction, key: BigInt(sequence) }));

/**
 * Reads a cursor of a list ordered by time.
 *
 * @throws BridgeError VALIDATION_ERROR naming `cursor`.
 */
export function readTimeCursor(text: string | undefined): PageStart<TimeKey> | null {
  return text === undefined ? null : read(text, timeCursor);
}

/**
 * Reads a cursor of an address's numbered history.
 *
 * @throws BridgeError VALIDATION_ERROR naming `cursor`.
 */
export function readSequenceCursor(text: string | undefined): PageStart<bigint> | null {
  return text === undefined ? null : read(text, sequenceCursor);
}

function read<T>(text: string, schema: z.ZodType<T>): T {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch (error) {
    throw unknownCursor(error);
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw unknownCursor(parsed.error);
  return parsed.data;
}

/** Encodes the cursors of a page as opaque base64url. */
export function encodeCursors({ next, previous }: Pick<Page<never, TimeKey | bigint>, 'next' | 'previous'>) {
  return { nextCursor: write(next), previousCursor: write(previous) };
}

function write(start: PageStart<TimeKey | bigint> | null): string | null {
  if (start === null) return null;
  const { way: direction, key } = start;
  const fields = typeof key === 'bigint' ? [key.toString()] : [key.at.getTime(), key.id];
  return Buffer.from(JSON.stringify([direction, ...fields])).toString('base64url');
}
