import { writeSync } from 'node:fs';
import { readRelease } from '../configuration/release.js';
import { pino, type Logger, type LoggerOptions } from 'pino';

/** Maximum lines buffered for a slow reader. */
const MOST_WAITING = 1_000;
const RETRY_MS = 100;

/**
 * Writes log lines without ever blocking the service: a line that cannot be written is dropped and counted. Lines are
 * buffered only for the reader of a pipe.
 */
export class LogOutput {
  /** Lines lost since startup. */
  dropped = 0;
  private readonly waiting: Buffer[] = [];
  /** True if the first line is partly written; its rest precedes every other line. */
  private isTorn = false;
  private retry: NodeJS.Timeout | null = null;

  /** @param put writes bytes without blocking and returns how many it wrote. */
  constructor(private readonly put: (bytes: Buffer) => number) {}

  write(line: string): void {
    if (this.waiting.length >= MOST_WAITING) this.dropped += 1;
    else this.waiting.push(Buffer.from(line));
    this.flush();
  }

  /** Writes as much of the buffer as possible. */
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

/** The id of an operation's trace. */
export function getTraceId(operationId: string): string {
  return operationId.slice(2, 34);
}

/** Adds the traces of the operations that a line names, under the name that OpenTelemetry has for logs. */
export function addTraces(line: Record<string, unknown>): Record<string, unknown> {
  const { operationId, operationIds = [operationId] } = line;
  if (!Array.isArray(operationIds)) return line;
  const traces = operationIds.filter((id) => typeof id === 'string').map(getTraceId);
  if (traces.length === 0) return line;
  return { ...line, ...(traces.length === 1 ? { trace_id: traces[0] } : { trace_ids: traces }) };
}

/** Creates a service's log on standard output. Errors of standard output or standard error cannot end the service. */
export function createLog(service: string, level: string, options: LoggerOptions = {}): Logger {
  // Accessing a stream makes its pipe non-blocking.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.once('exit', () => logOutput.flush());
  return pino({ level, base: { service, ...readRelease() }, formatters: { log: addTraces }, ...options }, logOutput);
}
