import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** A spreadsheet may run a cell that begins like this (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r]/;

/** One cell of RFC 4180; null is an empty one. A text that a spreadsheet would run gets a leading apostrophe. */
export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Answers with a file, as it is read. A failure before the first line is an answer of its own; a later one breaks the
 * connection, so that no reader keeps half a file.
 *
 * @param lines whole lines, the header first. Its `return` is called when the client goes away.
 */
export async function sendCsv(
  reply: FastifyReply,
  name: string,
  lines: AsyncGenerator<string, void, void>,
): Promise<void> {
  const first = await lines.next();
  const stream = Readable.from(continued(first, lines), { objectMode: false });
  // Also when nothing was read from it.
  stream.once('close', () => void lines.return());
  await reply
    .header('cache-control', 'no-store')
    .header('content-type', 'text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(stream);
}

async function* continued(first: IteratorResult<string, void>, rest: AsyncGenerator<string, void, void>) {
  if (first.done !== true) yield first.value;
  yield* rest;
}
