import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FleetRequest } from './requests.js';

const TICK_MS = 10;
/** Number of clients. Each waits for its answer, so a slow machine gets requests later. */
const MOST_IN_FLIGHT = 32;
const TIMEOUT_MS = 60_000;

/** Clients that keep connections open and send requests at a constant rate until `stop`. */
export class Traffic {
  /** A sentence for each wrongly answered request. */
  readonly failures: string[] = [];
  private readonly agent = new Agent({ keepAlive: true, maxSockets: MOST_IN_FLIGHT });
  private readonly inFlight = new Set<Promise<void>>();
  private readonly startedAt = performance.now();
  private readonly running: Promise<void>;
  private sent = 0;
  private isStopping = false;

  constructor(
    private readonly requests: readonly FleetRequest[],
    private readonly perSecond: number,
  ) {
    this.running = this.run();
  }

  /** Waits until every request is answered, and returns their number. */
  async stop(): Promise<number> {
    this.isStopping = true;
    await this.running;
    await Promise.all(this.inFlight);
    this.agent.destroy();
    return this.sent;
  }

  private async run(): Promise<void> {
    for (; !this.isStopping; await sleep(TICK_MS)) {
      const due = (this.perSecond * (performance.now() - this.startedAt)) / 1_000;
      while (this.sent < due && this.inFlight.size < MOST_IN_FLIGHT) this.begin();
    }
  }

  private begin(): void {
    const next = this.requests[this.sent++ % this.requests.length];
    if (next === undefined) throw new Error('The list of requests is empty');
    const beganAt = new Date().toISOString();
    const work = this.send(next)
      .catch((error: unknown) => String(error))
      .then((fault) => {
        this.inFlight.delete(work);
        if (fault !== null) this.failures.push(`${next.name} at ${beganAt}: ${fault}`);
      });
    this.inFlight.add(work);
  }

  /** Returns the fault of the answer; null without one. */
  private async send({ url, headers, body, findFault }: FleetRequest): Promise<string | null> {
    const { agent } = this;
    const sending = request(url, { agent, headers, method: body === null ? 'GET' : 'POST', timeout: TIMEOUT_MS });
    sending.on('timeout', () => sending.destroy(new Error(`no answer in ${TIMEOUT_MS} ms`)));
    sending.end(body ?? undefined);
    const [response] = (await once(sending, 'response')) as [IncomingMessage];
    const text = Buffer.concat(await response.toArray()).toString();
    return response.statusCode === 200 ? findFault(text) : `${response.statusCode} ${text}`;
  }
}
