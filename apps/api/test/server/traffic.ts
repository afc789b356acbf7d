import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'undici';

/** A request, and whether a response to it is right. With `body`, it is a POST. */
export interface Question {
  readonly path: string;
  readonly body?: object;
  readonly isRight: (status: number, body: string) => boolean;
}

/** A replica with its own connections. */
export interface Replica {
  readonly pool: Pool;
  /** Set before it is killed: requests can be lost then, and are sent to another replica. */
  isKilled: boolean;
}

/** The result of some traffic. */
interface Outcome {
  /** Requests with a right response, at the first or a later attempt. */
  right: number;
  /** Descriptions of all other responses; must be empty. */
  readonly wrong: string[];
}

interface Traffic {
  readonly perSecond: number;
  readonly seconds: number;
  readonly replicas: readonly Replica[];
  readonly questionAt: (index: number) => Question;
}

/** A slower response counts as wrong. */
const PATIENCE_MS = 20_000;
/** How long a client waits before it retries after a 503, and for how long it retries. */
const RETRY_MS = 1_000;
const RETRIED_MS = 30_000;

/**
 * Sends requests to replicas in turn at a constant rate, without waiting for earlier responses. It repeats requests
 * lost by a killed replica, like load balancers, and those refused with 503 and Retry-After, like clients.
 */
export async function sendTraffic(traffic: Traffic): Promise<Outcome> {
  const outcome: Outcome = { right: 0, wrong: [] };
  const sent: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let index = 0; index < traffic.perSecond * traffic.seconds; index += 1) {
    const waitMs = startedAt + (1_000 * index) / traffic.perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    sent.push(settle(traffic, index, outcome));
  }
  await Promise.all(sent);
  return outcome;
}

async function settle({ replicas, questionAt }: Traffic, index: number, outcome: Outcome): Promise<void> {
  const question = questionAt(index);
  const startedAt = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    const up = replicas.filter(({ isKilled }) => !isKilled);
    const replica = up[(index + attempt) % up.length];
    if (replica === undefined) throw new Error('No replica is left');
    const passedMs = () => performance.now() - startedAt;
    const blame = (what: string) =>
      outcome.wrong.push(`request ${index}, ${question.path}, after ${Math.round(passedMs())} ms: ${what}`);
    try {
      const { status, body, retryAfter } = await ask(replica, question);
      if (question.isRight(status, body)) {
        outcome.right += 1;
        return;
      }
      const isExcused = status === 503 && retryAfter !== undefined && passedMs() < RETRIED_MS;
      if (!isExcused) return void blame(`${status} ${body}`);
      await sleep(RETRY_MS);
    } catch (error) {
      if (!replica.isKilled) return void blame(String(error));
    }
  }
}

async function ask({ pool }: Replica, { path, body }: Question) {
  const init =
    body === undefined
      ? { method: 'GET' as const }
      : { method: 'POST' as const, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await pool.request({ path, ...init, headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS });
  return { status: answer.statusCode, body: await answer.body.text(), retryAfter: answer.headers['retry-after'] };
}
