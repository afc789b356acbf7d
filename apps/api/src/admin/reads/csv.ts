import { finished, Readable } from 'node:stream';
import { BridgeError } from '@causeway/protocol';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** Files that are sent at the same time, of all readers: about 5 MB each. */
const MOST_FILES = 4;
/** A reader must take each part of a file within this time. */
const PART_TIMEOUT_MS = 60_000;
const RETRY_AFTER_SECONDS = 30;
/** A spreadsheet may run a cell that begins like this (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r]/;

/** One cell of RFC 4180; null is an empty one. A text that a spreadsheet would run gets a leading apostrophe. */
export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Sends files of any length to readers of any speed, a few at a time. */
@Injectable()
export class CsvFiles {
  protected readonly partTimeoutMs: number = PART_TIMEOUT_MS;
  private open = 0;

  /**
   * Answers with a file, as it is read. A failure before the first line is an answer of its own; a later one, and a
   * reader that takes no part within a minute, break the connection, so that no reader keeps half a file.
   *
   * @param parts whole lines, the header first. Between two parts they hold nothing that others need. Their `return` is
   *   called when the client goes away.
   * @throws BridgeError SERVICE_UNAVAILABLE while too many files are sent.
   */
  async send(reply: FastifyReply, name: string, parts: AsyncGenerator<string, void, void>): Promise<void> {
    if (this.open >= MOST_FILES) {
      const message = `This server sends ${MOST_FILES} files at a time; try again when one has ended`;
      throw new BridgeError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.open += 1;
    const { raw } = reply;
    // The deadline also covers a reader that does not take the last part.
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
