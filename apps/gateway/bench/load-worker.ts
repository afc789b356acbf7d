import { Client } from 'undici';
import type { LoadJob, LoadResult } from './load.ts';

// The load generator, in its own process because it must not share a thread with the measured server. Jobs and results
// are sent by IPC.

/** Milliseconds at a fixed rate before latencies count, so that opening connections is not measured. */
const WARM_UP_MS = 1_000;

class Load {
  private readonly job: LoadJob;
  private readonly latencies: number[] = [];
  private failed = 0;
  private next = 0;

  constructor(job: LoadJob) {
    this.job = job;
  }

  async run(): Promise<LoadResult> {
    const { url, connections, durationMs, rate } = this.job;
    const clients = Array.from({ length: connections }, () => new Client(new URL(url).origin, { pipelining: 1 }));
    if (rate !== null) {
      await this.atRate(clients, rate, WARM_UP_MS);
      this.latencies.length = 0;
    }
    const begun = performance.now();
    await (rate === null ? this.flatOut(clients, begun + durationMs) : this.atRate(clients, rate, durationMs));
    const seconds = (performance.now() - begun) / 1_000;
    await Promise.all(clients.map((client) => client.close()));
    const sorted = this.latencies.toSorted((a, b) => a - b);
    const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN;
    const answered = sorted.length;
    return { answered, failed: this.failed, perSecond: answered / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
  }

  private async flatOut(clients: readonly Client[], end: number): Promise<void> {
    await Promise.all(
      clients.map(async (client) => {
        for (;;) {
          const now = performance.now();
          if (now >= end) return;
          await this.post(client, now);
        }
      }),
    );
  }

  private async atRate(clients: readonly Client[], rate: number, durationMs: number): Promise<void> {
    const idle = [...clients];
    const begun = performance.now();
    const total = Math.floor((rate * durationMs) / 1_000);
    let sent = 0;
    // Sends due requests over free connections. A response that frees a connection triggers it too, so that no due
    // request waits for the timer.
    const send = () => {
      const due = Math.min(total, ((performance.now() - begun) * rate) / 1_000);
      for (let free = idle.pop(); free !== undefined; free = idle.pop()) {
        if (sent >= due) {
          idle.push(free);
          return;
        }
        const client = free;
        void this.post(client, begun + (sent * 1_000) / rate).then(() => {
          idle.push(client);
          send();
        });
        sent++;
      }
    };
    while (this.latencies.length < total) {
      send();
      // A busy loop would take a core from the measured server. The timer's delay is the same for both sides.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  private post(client: Client, since: number): Promise<void> {
    const { bodies } = this.job;
    const body = bodies[this.next++ % bodies.length] ?? '';
    const headers = { 'content-type': 'application/json' };
    return new Promise((resolve) => {
      let good = false;
      const done = () => {
        this.latencies.push(performance.now() - since);
        if (!good) this.failed++;
        resolve();
      };
      client.dispatch(
        { path: '/', method: 'POST', headers, body },
        {
          onRequestStart: () => undefined,
          onResponseStart: (_controller, status) => {
            good = status === 200;
          },
          onResponseData: (_controller, chunk) => {
            if (chunk.includes('"error"')) good = false;
          },
          onResponseEnd: done,
          onResponseError: () => {
            good = false;
            done();
          },
        },
      );
    });
  }
}

process.on('message', (job: LoadJob) => {
  void new Load(job).run().then((result) => process.send?.(result));
});
process.once('disconnect', () => process.exit());
