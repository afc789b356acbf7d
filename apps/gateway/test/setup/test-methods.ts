import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { RpcError } from '../../src/jsonrpc/errors.js';
import type { CallContext, Connection, Method } from '../../src/jsonrpc/method.js';

/** Methods that show how calls are transported: what they return, when, and to whom. */
export class TestMethods {
  /** Everyone who called eth_subscribe, in order. */
  readonly subscribers: Connection[] = [];
  /** Running calls of test_wait. */
  waiting = 0;
  /** Maximum concurrent calls of test_wait. */
  mostWaiting = 0;
  /** Started calls of test_text. */
  texts = 0;
  /** Started calls of test_sleep. */
  sleeps = 0;
  private readonly released = Promise.withResolvers<void>();

  /** Lets every call of test_wait end, now and later. */
  release(): void {
    this.released.resolve();
  }

  readonly all: ReadonlyMap<string, Method> = new Map(
    [
      method('test_echo', [optional('value')], async ([value]) => value ?? null),
      method(
        'test_number',
        [{ ...optional('number'), schema: z.number().int().max(10), required: true }],
        async ([n]) => n,
      ),
      method('test_sleep', [optional('ms')], async ([ms]) => {
        this.sleeps += 1;
        return sleep(Number(ms), 'slept');
      }),
      method('test_wait', [], async () => this.wait()),
      method('test_text', [optional('length')], async ([length]) => {
        this.texts += 1;
        return 'x'.repeat(Number(length));
      }),
      method('test_ip', [], async (_params, { ip }) => ip),
      method('test_nothing', [], async () => undefined),
      method('test_fail', [], async () => {
        throw new Error('the secret of the cause');
      }),
      method('test_throw', [], () => {
        throw new Error('the secret of the cause');
      }),
      method('test_unwritable', [], async () => 1n),
      method('test_revert', [], async () => {
        throw new RpcError('EXECUTION_REVERTED', 'too little', { data: '0x08c379a0' });
      }),
      {
        ...method('eth_subscribe', [optional('kind')], async (_params, { connection, answered }) => {
          if (connection === null) throw new Error('There is no connection');
          this.subscribers.push(connection);
          void answered?.then(() => connection.send('{"begun":true}'));
          return connection.id;
        }),
        transport: 'websocket' as const,
      },
    ].map((each) => [each.name, each]),
  );

  private async wait(): Promise<string> {
    this.waiting += 1;
    this.mostWaiting = Math.max(this.mostWaiting, this.waiting);
    await this.released.promise;
    this.waiting -= 1;
    return 'released';
  }
}

function method(
  name: string,
  params: Method['params'],
  run: (params: readonly unknown[], context: CallContext) => Promise<unknown>,
): Method {
  return { name, summary: name, params, result: { name: 'result', schema: z.unknown() }, run };
}

function optional(name: string): Method['params'][number] {
  return { name, schema: z.unknown(), required: false };
}
