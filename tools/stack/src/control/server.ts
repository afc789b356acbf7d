import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Environment } from '@causeway/testbed';
import { Bench } from '../scenarios/bench.js';
import type { Lift } from '../scenarios/conditions.js';
import { SCENARIO_CALLS } from './scenarios.js';

/** A call that the server refuses before any effect. */
class CallError extends Error {
  override readonly name = 'CallError';
  constructor(
    readonly status: number,
    message: string,
    readonly field?: string,
  ) {
    super(message);
  }
}

/**
 * Serves the scenarios on 127.0.0.1: `POST /<name>` with an object of parameters. A condition has an id; `POST /lift`
 * with the id ends it. `GET /` returns the facts of the stack. One call runs at a time, since all change one stack.
 *
 * @returns the server's URL.
 */
export async function serveControl(environment: Environment): Promise<string> {
  const control = new Control(environment);
  const server = createServer((request, response) => void control.answer(request, response));
  // Only a signal ends the stack, not the end of its clients.
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  control.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return control.url;
}

class Control {
  url = '';
  private readonly bench: Bench;
  private readonly lifts = new Map<number, Lift>();
  private conditions = 0;
  private queue: Promise<unknown> = Promise.resolve();

  constructor(private readonly environment: Environment) {
    this.bench = new Bench(environment);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body, toText));
    try {
      send(200, await this.handle(request));
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof CallError) send(error.status, { message, field: error.field });
      else send(500, { message });
    }
  }

  private async handle(request: IncomingMessage): Promise<object> {
    const name = (request.url ?? '/').slice(1);
    if (request.method === 'GET' && name === '') return { ...this.environment.stack, controlUrl: this.url };
    // A web page cannot send this type to another origin.
    const isJson = request.headers['content-type'] === 'application/json';
    if (request.method !== 'POST' || !isJson) throw new CallError(405, 'Calls are POST with application/json');
    const body: unknown = await json(request).catch(() => null);
    if (typeof body !== 'object' || body === null) throw new CallError(400, 'the body: must be a JSON object');
    return this.inTurn(() => (name === 'lift' ? this.lift(body) : this.run(name, body)));
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.queue.then(work);
    this.queue = done.catch(() => undefined);
    return done;
  }

  private async run(name: string, body: unknown): Promise<object> {
    const call = Object.hasOwn(SCENARIO_CALLS, name) ? SCENARIO_CALLS[name] : undefined;
    if (call === undefined) {
      throw new CallError(404, `Unknown call ${name}; use one of ${Object.keys(SCENARIO_CALLS).join(', ')}`, 'name');
    }
    const parsed = call.parameters.safeParse(body);
    if (!parsed.success) {
      const [{ path, message } = { path: [], message: '' }] = parsed.error.issues;
      const field = path.join('.');
      throw new CallError(400, `${field || 'the body'}: ${message}`, field);
    }
    const { lift, ...made } = (await call.run(this.bench, parsed.data as never)) ?? {};
    if (lift === undefined) return made;
    this.conditions += 1;
    this.lifts.set(this.conditions, lift);
    return { ...made, condition: this.conditions };
  }

  /** Lifting a condition twice does nothing. */
  private async lift(body: unknown): Promise<object> {
    const { condition } = body as { condition?: unknown };
    if (typeof condition !== 'number' || condition < 1 || condition > this.conditions)
      throw new CallError(400, 'condition: must be an id that a scenario returned', 'condition');
    const lift = this.lifts.get(condition);
    this.lifts.delete(condition);
    await lift?.();
    return {};
  }
}

function toText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value;
}
