import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { askHttp, askWebSocket, type Ask } from './setup/messages.js';
import { startTestGateway, type TestGateway } from './setup/gateway.js';

const call = (method: string, params?: unknown, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const readError = async (answer: Promise<string | null>) => {
  const { id, error, ...rest } = JSON.parse((await answer) ?? 'null');
  return { id, code: error.code, message: error.message, data: error.data, rest };
};

describe.each(['http', 'websocket'])('JSON-RPC 2.0 over %s', (transport) => {
  let gateway: TestGateway;
  let ask: Ask;

  beforeAll(async () => {
    gateway = await startTestGateway({ CALL_TIMEOUT_MS: '2000', BATCH_ANSWER_LIMIT_BYTES: '10000' });
    ask = (message) => askAt(gateway, message);
  });
  afterAll(() => gateway?.close());
  const askAt = transport === 'http' ? askHttp : askWebSocket;

  it('answers a call', async () => {
    expect(await ask(call('test_echo', ['0x1']))).toBe('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
  });

  it('answers null when a method returns nothing', async () => {
    expect(await ask(call('test_nothing'))).toBe('{"jsonrpc":"2.0","id":1,"result":null}');
  });

  it.each([
    '1',
    '0',
    '-7',
    '9007199254740991',
    '9007199254740993',
    '9223372036854775808',
    '123456789012345678901234567890',
    '1.5',
    '0.10',
    '1e400',
    '-1e-7',
    'null',
    '""',
    '"é\\u0000\\"\\\\"',
    '"9007199254740993"',
  ])('echoes the id %s exactly', async (id) => {
    const canonical = id.startsWith('"') ? JSON.stringify(JSON.parse(id)) : id;
    const result = `{"jsonrpc":"2.0","id":${canonical},"result":"x"}`;
    const message = `{"jsonrpc":"2.0","id":${id},"method":"test_echo","params":["x"]}`;
    expect(await ask(message)).toBe(result);
    expect(await ask(`[${message},${call('test_echo', ['y'], 2)}]`)).toBe(
      `[${result},{"jsonrpc":"2.0","id":2,"result":"y"}]`,
    );
  });

  it.each([
    ['{"jsonrpc":"2.0","id":1,"method":"test_echo"', -32700],
    ['', -32700],
    ['nonsense', -32700],
    ["{'jsonrpc':'2.0'}", -32700],
    ['\ufeff{"jsonrpc":"2.0","id":1,"method":"test_echo"}', -32700],
    ['1', -32600],
    ['"text"', -32600],
    ['null', -32600],
    ['true', -32600],
    ['{}', -32600],
    ['[]', -32600],
    ['{"id":1,"method":"test_echo"}', -32600],
    ['{"jsonrpc":2,"id":1,"method":"test_echo"}', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"test_echo"}', -32600],
    ['{"jsonrpc":"2.0","id":1}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":1}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"test_echo"}', -32600],
    ['{"jsonrpc":"2.0","id":[1],"method":"test_echo"}', -32600],
    ['{"jsonrpc":"2.0","id":true,"method":"test_echo"}', -32600],
  ])('refuses %s with %d and id null', async (message, code) => {
    expect(await readError(ask(message))).toMatchObject({ id: null, code });
  });

  it.each([
    '__proto__',
    'constructor',
    'toString',
    'eth_doesNotExist',
    'eth_compileNonsense',
    'debug_nonsense',
    'debug_',
    'trace_x',
    'admin_x',
    'db_x',
    'engine_newPayload',
    'x'.repeat(10_000),
    '',
  ])('does not know the method %s', async (method) => {
    const error = await readError(ask(call(method)));
    expect(error).toMatchObject({ id: 1, code: -32601 });
    expect(error.message.length).toBeLessThan(200);
  });

  it.each([
    'eth_sign',
    'eth_sendTransaction',
    'eth_getWork',
    'personal_unlockAccount',
    'miner_start',
    'clique_getSigners',
    'engine_newPayloadV4',
    'admin_peers',
    'debug_traceBlock',
    'trace_filter',
    'db_getString',
    'eth_compileLLL',
    'eth_callMany',
    'eth_baseFee',
    'eth_protocolVersion',
    'eth_getHeaderByHash',
    'eth_getRawTransactionByHash',
    'rpc_modules',
  ])('says that %s is not supported', async (method) => {
    expect(await readError(ask(call(method)))).toMatchObject({ id: 1, code: -32004 });
  });

  it('names the invalid param', async () => {
    expect(await readError(ask(call('test_number', [11])))).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Invalid params: params\[0\] \(number\): /),
    });
    expect(await readError(ask(call('test_number', [])))).toMatchObject({ code: -32602 });
    expect(await readError(ask(call('test_number')))).toMatchObject({ code: -32602 });
    expect(await readError(ask(call('test_number', [1, 2])))).toMatchObject({ code: -32602 });
    expect(await readError(ask(call('test_number', { number: 1 })))).toMatchObject({ code: -32602 });
    expect(await readError(ask(call('test_number', 1)))).toMatchObject({ code: -32602 });
    expect(await readError(ask(call('test_number', null)))).toMatchObject({ code: -32602 });
  });

  it('carries the data of a revert', async () => {
    expect(await readError(ask(call('test_revert')))).toEqual({
      id: 1,
      code: -32000,
      message: 'execution reverted',
      data: '0x08c379a0',
      rest: { jsonrpc: '2.0' },
    });
  });

  it.each(['test_fail', 'test_throw', 'test_unwritable'])('hides the cause when %s fails', async (method) => {
    const before = gateway.log.length;
    expect(await ask(call(method))).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}');
    expect(gateway.log.slice(before).filter((line) => line.includes(method))).toHaveLength(1);
  });

  it('answers -32002 for a call that takes too long', async () => {
    const impatient = await startTestGateway({ CALL_TIMEOUT_MS: '200' });
    try {
      expect(await readError(askAt(impatient, call('test_wait')))).toMatchObject({ id: 1, code: -32002 });
    } finally {
      await impatient.close();
    }
  });

  it('does not answer notifications, alone or together, known or not', async () => {
    const notification = '{"jsonrpc":"2.0","method":"test_echo","params":["x"]}';
    const messages = [notification, '{"jsonrpc":"2.0","method":"nothing"}', `[${notification},${notification}]`];
    expect(await Promise.all(messages.map(ask))).toEqual([null, null, null]);
  });

  it('answers a batch in order, whatever the results and durations of its calls', async () => {
    const batch = [
      call('test_sleep', [40], 'slow'),
      '{"jsonrpc":"2.0","method":"test_echo"}',
      '1',
      '[]',
      `[${call('test_echo')}]`,
      '{"jsonrpc":"2.0","id":{},"method":"test_echo"}',
      call('nothing', [], 7),
      call('test_echo', ['fast'], 'fast'),
      call('test_fail', [], null),
      call('test_echo', ['fast'], 'fast'),
    ];
    const answers = JSON.parse((await ask(`[${batch.join(',')}]`)) ?? '');
    expect(
      answers.map((answer: Record<string, { code?: number }>) => [
        answer['id'],
        answer['error']?.code ?? answer['result'],
      ]),
    ).toEqual([
      ['slow', 'slept'],
      [null, -32600],
      [null, -32600],
      [null, -32600],
      [null, -32600],
      [7, -32601],
      ['fast', 'fast'],
      [null, -32603],
      ['fast', 'fast'],
    ]);
  });

  it('runs the calls of a batch concurrently', async () => {
    const startedAt = performance.now();
    await ask(`[${Array.from({ length: 50 }, (_, id) => call('test_sleep', [100], id)).join(',')}]`);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('accepts a batch of 100, and refuses each call of a batch of 101', async () => {
    const calls = Array.from({ length: 101 }, (_, id) => call('test_echo', [id], id));
    const answers = JSON.parse((await ask(`[${calls.slice(0, 100).join(',')}]`)) ?? '');
    expect(answers.map(({ result }: { result: number }) => result)).toEqual(Array.from({ length: 100 }, (_, id) => id));
    const refused = JSON.parse((await ask(`[${calls.join(',')}]`)) ?? '');
    expect(refused).toEqual(
      Array.from({ length: 101 }, (_, id) => ({
        jsonrpc: '2.0',
        id,
        error: { code: -32600, message: 'Invalid request: the batch has 101 calls, at most 100 are allowed' },
      })),
    );
    // Without ids there is only one response.
    const notifications = Array.from({ length: 101 }, () => '{"jsonrpc":"2.0","method":"test_echo"}');
    expect(await readError(ask(`[${notifications.join(',')}]`))).toMatchObject({ id: null, code: -32600 });
  });

  it('limits the total length of the responses of a batch', async () => {
    const calls = [call('test_text', [6_000], 1), call('test_text', [6_000], 2), call('test_text', [100], 3)];
    const answers = JSON.parse((await ask(`[${calls.join(',')}]`)) ?? '');
    expect(answers.map(({ error }: { error?: { code: number } }) => error?.code ?? 0)).toEqual([0, -32005, 0]);
    expect(answers[1].id).toBe(2);
  });

  it.each([
    [
      'arrays as params',
      call('test_number', ['ARRAYS']).replace('"ARRAYS"', '['.repeat(200_000) + ']'.repeat(200_000)),
      -32602,
    ],
    ['arrays that do not end', '['.repeat(400_000), -32700],
    [
      'objects as an id',
      `{"jsonrpc":"2.0","method":"test_echo","id":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
      -32600,
    ],
    [
      'arrays beside an inexact id',
      `{"jsonrpc":"2.0","method":"test_number","id":1.5,"params":[${'['.repeat(200_000)}${']'.repeat(200_000)}]}`,
      -32600,
    ],
  ])('survives deeply nested %s', async (_name, message, code) => {
    expect(await readError(ask(message))).toMatchObject({ code });
    expect(await ask(call('test_echo', ['alive']))).toContain('alive');
  });

  it('does not let a message pollute prototypes', async () => {
    await ask(
      '{"jsonrpc":"2.0","id":1,"method":"test_echo","params":[{"__proto__":{"polluted":true}}],"__proto__":{"polluted":true}}',
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    // A member of the prototype is not a member of the message.
    expect(await readError(ask('{"__proto__":{"jsonrpc":"2.0","id":1,"method":"test_echo"}}'))).toMatchObject({
      code: -32600,
    });
  });
});
