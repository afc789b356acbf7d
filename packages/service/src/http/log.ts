import { writeSync } from 'node:fs';
import { readRelease } from '../configuration/release.js';
import { pino, type Logger, type LoggerOptions } from 'pino';

/** Lines that wait for a reader which is behind. */
const MOST_WAITING = 1_000;
const RETRY_MS = 100;

/**
 * Takes the lines of a log, and never stops the service: a line that cannot be written is dropped and counted. Lines
 * wait only for the reader of a pipe.
 */
export class LogOutput {
  /** Lines that were lost since the start. */
  dropped = 0;
  private readonly waiting: Buffer[] = [];
  /** The first one is written in part. Its rest comes before every other line. */
  private isTorn = false;
  private retry: NodeJS.Timeout | null = null;

  /** @param put writes bytes, and returns how many it wrote. It must not block. */
  constructor(private readonly put: (bytes: Buffer) => number) {}

  write(line: string): void {
    if (this.waiting.length >= MOST_WAITING) this.dropped += 1;
    else this.waiting.push(Buffer.from(line));
    this.flush();
  }

  /** Writes what waits, as far as it can. */
  flush(): void {
    try {
      for (let line = this.waiting[0]; line !== undefined; line = this.waiting[0]) {
        const rest = line.subarray(this.put(line));
        this.isTorn = rest.length > 0;
        if (this.isTorn) this.waiting[0] = rest;
        else this.waiting.shift();
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') this.flushLater();
      else this.dropped += this.waiting.splice(this.isTorn ? 1 : 0).length;
    }
  }

  private flushLater(): void {
    this.retry ??= setTimeout(() => {
      this.retry = null;
      this.flush();
    }, RETRY_MS).unref();
  }
}

/** Standard output of this process. */
export const logOutput = new LogOutput((bytes) => writeSync(1, bytes));

/** Creates the log of a service, on standard output. Neither standard output nor standard error can end the service. */
export function createLog(service: string, level: string, options: LoggerOptions = {}): Logger {
  // Naming a stream makes its pipe one that does not block.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.once('exit', () => logOutput.flush());
  return pino({ level, base: { service, ...readRelease() }, ...options }, logOutput);
}
