import fc from 'fast-check';

const HASH = `0x${'ab'.repeat(32)}`;
const ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', 'toJSON', 'id', 'result', 'error'];

const NUMBERS = [
  '0',
  '-0',
  '-1',
  '1e400',
  '-1e400',
  '1e-400',
  '0.1',
  '9007199254740993',
  '2147483648',
  '9'.repeat(400),
];
const TEXTS = ['""', '"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\u{1f600}"', '"0x"', '"0X1"', '"0x01"', '"0xg"'];
const LONG_TEXTS = [64, 65, 5_000, 200_001].map((digits) => `"0x${'f'.repeat(digits)}"`);
const WORDS = ['latest', 'pending', 'finalized', 'newHeads', 'logs', 'syncing', 'pendingTransactions'];
const HEX = [ADDRESS, ADDRESS.toUpperCase(), HASH, '0x', '0x0', '0x1', '0xffffffffffffffff'];

/** JSON text, including text that JSON.stringify would never write. */
const literal = fc.oneof(
  fc.constantFrom('null', 'true', 'false', '[]', '{}', ...NUMBERS, ...TEXTS, ...LONG_TEXTS),
  fc.string({ unit: 'binary', maxLength: 30 }).map((text) => JSON.stringify(text)),
  fc.double().map((number) => JSON.stringify(number)),
  fc.bigInt().map(String),
);

/** Values that a method could accept. */
const plausible = fc
  .oneof(
    fc.constantFrom(...WORDS, ...HEX),
    fc.constantFrom(true, false, null, [], {}, [[ADDRESS]], { blockHash: HASH }, { blockNumber: '0x0' }),
    fc.constantFrom({ to: ADDRESS }, { to: ADDRESS, data: '0x00' }, { data: '0x5b600056' }, { fromBlock: '0x0' }),
    fc.constantFrom({ topics: [null, [HASH, null]] }, { address: [ADDRESS, ADDRESS] }, { tracer: 'callTracer' }),
    fc.integer().map((number) => `0x${(number >>> 0).toString(16)}`),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
  )
  .map((value) => JSON.stringify(value));

const { value: anything } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, literal, plausible, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 5 }).map((items) => `[${items.join(',')}]`),
  object: fc
    .array(fc.tuple(fc.oneof(fc.constantFrom(...NAMES, 'to', 'data', 'gas', 'topics'), fc.string()), tie('value')), {
      maxLength: 5,
    })
    // Not built from an object, so that a key can occur twice and __proto__ is an ordinary key.
    .map((entries) => `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
}));

const deep = fc
  .tuple(
    fc.constantFrom(
      ...([
        ['[', ']'],
        ['{"a":', '}'],
        ['[{"params":', '}]'],
      ] as const),
    ),
    fc.integer({ min: 100, max: 20_000 }),
    fc.boolean(),
  )
  .map(([[open, close], depth, closed]) => `${open.repeat(depth)}1${closed ? close.repeat(depth) : ''}`);

function rarely(text: fc.Arbitrary<string>): fc.Arbitrary<string | null> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: text });
}

/** @param methods names of existing methods. */
function call(methods: readonly string[]): fc.Arbitrary<string> {
  const method = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...methods).map((name) => JSON.stringify(name)) },
    fc
      .constantFrom(...NAMES, 'eth_sign', 'debug_setHead', 'personal_unlockAccount')
      .map((name) => JSON.stringify(name)),
    literal,
  );
  const params = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.array(fc.oneof(plausible, anything), { maxLength: 4 }).map((list) => `[${list.join(',')}]`),
    },
    anything,
    deep,
  );
  const id = fc.oneof({ weight: 3, arbitrary: fc.integer().map(String) }, literal);
  const version = fc.oneof({ weight: 20, arbitrary: fc.constant('"2.0"') }, literal);
  const mostly = { freq: 12 };
  return fc
    .tuple(
      fc.option(
        version.map((value) => `"jsonrpc":${value}`),
        mostly,
      ),
      fc.option(
        id.map((value) => `"id":${value}`),
        mostly,
      ),
      fc.option(
        method.map((value) => `"method":${value}`),
        mostly,
      ),
      fc.option(
        params.map((value) => `"params":${value}`),
        mostly,
      ),
      rarely(anything.map((value) => `"__proto__":${value}`)),
      rarely(id.map((value) => `"id":${value}`)),
    )
    .map((parts) => `{${parts.filter((part) => part !== null).join(',')}}`);
}

/**
 * Messages of an attacker or a broken client: some are valid calls, most are almost valid.
 *
 * @param methods names of existing methods.
 */
export function hostileMessage(methods: readonly string[]): fc.Arbitrary<string> {
  const one = call(methods);
  const whole = fc.oneof(
    { weight: 10, arbitrary: one },
    { weight: 2, arbitrary: fc.array(fc.oneof({ weight: 5, arbitrary: one }, anything), { maxLength: 8 }).map(batch) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 99, max: 102 }).map((count) => batch(Array.from({ length: count }, () => '{}'))),
    },
    { weight: 1, arbitrary: anything },
    { weight: 1, arbitrary: deep },
  );
  const damaged = fc
    .tuple(one, fc.double({ min: 0, max: 1, noNaN: true }), fc.oneof(fc.constant(''), fc.string({ unit: 'binary' })))
    .map(([text, where, instead]) => {
      const at = Math.floor(where * text.length);
      return `${text.slice(0, at)}${instead}${text.slice(at + 1)}`;
    });
  return fc.oneof({ weight: 4, arbitrary: whole }, { weight: 1, arbitrary: damaged });
}

function batch(calls: readonly string[]): string {
  return `[${calls.join(',')}]`;
}
