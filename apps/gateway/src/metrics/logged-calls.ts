import type { CallObserver } from '../jsonrpc/call-observer.js';

/** Logs every call, at level debug, besides passing it on. It is put in place only where debug is logged: it costs on every call. */
export class LoggedCalls implements CallObserver {
  constructor(
    private readonly next: CallObserver,
    private readonly logger: { debug(details: object, message: string): void },
  ) {}

  callEnded(method: string, code: number, durationMs: number | null): void {
    this.logger.debug({ method, code, durationMs }, 'Call');
    this.next.callEnded(method, code, durationMs);
  }

  batchReceived(calls: number): void {
    this.logger.debug({ calls }, 'Batch');
    this.next.batchReceived(calls);
  }
}
