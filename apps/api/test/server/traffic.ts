import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'undici';

/** A request, and whether an answer to it is right. `body`: it is a POST. */
export interface Question {
  readonly path: string;
  readonly body?: object;
  readonly isRight: (status: number, body: string) => boolean;
}

/** A process that answers, behind connections of its own. */
export interface Replica {
  readonly pool: Pool;
  /** Set before it is killed: requests may be lost then, and go to another replica. */
  isKilled: boolean;
}

/** The result of some traffic. */
interface Outcome {
  /** Requests whose answer was right, at the first attempt or at a later one. */
  right: number;
  /** Everything else, in words: it must be empty. */
  readonly wrong: string[];
}

interface Traffic {
  readonly perSecond: number;
  readonly seconds: number;
  readonly replicas: readonly Replica[];
  readonly questionAt: (index: number) => Question;
}

/** An answer that takes longer is wrong. */
const PATIENCE_MS = 20_000;
/** How long a client waits before it repeats a request that was answered with 503, and for how long it does so. */
const RETRY_MS = 1_000;
const RETRIED_MS = 30_000;

/**
 * Sends requests to replicas in turn at a constant rate, whether or not earlier ones are answered. It repeats what a
 * killed replica did not answer, as load balancers do, and what was answered with 503 and Retry-After, as clients do.
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
