import { finished, Readable } from 'node:stream';
import { BridgeError } from '@causeway/protocol';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** Concurrent files, for all clients together: about 5 MB of memory each. */
const MOST_FILES = 4;
/** How long a client can take to read each part, in milliseconds. */
const PART_TIMEOUT_MS = 60_000;
const RETRY_AFTER_SECONDS = 30;
/** Spreadsheets can execute cells that begin like this (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Formats a cell (RFC 4180); null becomes an empty cell. Text that a spreadsheet would execute gets a leading
 * apostrophe.
 */
export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Streams CSV files of any length to clients of any speed, a few at a time. */
@Injectable()
export class CsvFiles {
  protected readonly partTimeoutMs: number = PART_TIMEOUT_MS;
  private open = 0;

  /**
   * Streams a file as it is read. A failure before the first line gets an error response. A later failure, or a client
   * that reads no part within a minute, breaks the connection, so that no client keeps half a file.
   *
   * @param parts whole lines, the header first. Between parts it must not hold shared resources. Its `return` is called
   *   when the client disconnects.
   * @throws BridgeError SERVICE_UNAVAILABLE while too many files are sent.
   */
  async send(reply: FastifyReply, name: string, parts: AsyncGenerator<string, void, void>): Promise<void> {
    if (this.open >= MOST_FILES) {
      const message = `This server sends ${MOST_FILES} files at a time; try again when one has finished`;
      throw new BridgeError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.open += 1;
    const { raw } = reply;
    // The deadline also covers a client that does not read the last part.
    const deadline = setTimeout(() => raw.destroy(), this.partTimeoutMs);
    let stream: Readable | null = null;
    finished(raw, () => {
      this.open -= 1;
      clearTimeout(deadline);
      stream?.destroy();
      void parts.return();
    });
    const first = await parts.next();
    stream = Readable.from(continued(first, parts, deadline), { objectMode: false });
    await reply
      .header('cache-control', 'no-store')
      .header('content-type', 'text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(stream);
  }
}

async function* continued(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void, void>,
  deadline: NodeJS.Timeout,
) {
  for (let part = first; part.done !== true; part = await rest.next()) {
    yield part.value;
    deadline.refresh();
  }
}
