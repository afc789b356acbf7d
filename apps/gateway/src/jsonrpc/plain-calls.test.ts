import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Backend } from '../backends/backend.js';
import { accountMethods } from '../methods/eth/account-methods.js';
import { blockMethods } from '../methods/eth/block-methods.js';
import { chainMethods } from '../methods/eth/chain-methods.js';
import { executionMethods } from '../methods/eth/execution-methods.js';
import { transactionMethods } from '../methods/eth/transaction-methods.js';
import { checkParams } from './check-params.js';
import { parseMessage, type Call } from './parse-message.js';
import { PlainCall } from './plain-call.js';
import { PlainCalls } from './plain-calls.js';

const LIMIT = 3;
const ADDRESS = '"0x00000000000000000000000000000000000C0ffE"';
const WORD = `"0x${'aB'.repeat(32)}"`;

/** A backend that has a way for everything, so that all params that can be read plainly are tried. */
const backend = { plainly: () => () => undefined } as unknown as Backend;
const methods = new Map(
  [accountMethods, chainMethods, executionMethods, transactionMethods]
    .flatMap((family) => family(backend))
    .map((method) => [method.name, method]),
);
const calls = new PlainCalls(methods.values());

/** The calls that were read plainly, or null. */
function readCalls(
  text: string,
): readonly { readonly id: string; readonly method: string; readonly text: string }[] | null {
  const message = calls.read(text, LIMIT);
  if (message === null || message.kind === 'invalid') return null;
  const entries = message.kind === 'batch' ? message.entries : [message.entry];
  return entries.map((entry) => {
    if (!(entry instanceof PlainCall)) throw new Error('It is a plain call');
    return { id: entry.id, method: entry.method, text: entry.text };
  });
}

/** Params as clients write them, and as they nearly do. */
const params = fc.constantFrom(
  '[]',
  `[${ADDRESS},"latest"]`,
  `[${ADDRESS},"0xA"]`,
  `[${ADDRESS}]`,
  `[${ADDRESS},"0x0a"]`,
  `[${ADDRESS},"Latest"]`,
  `[${ADDRESS},${WORD},"finalized"]`,
  `[${ADDRESS},"0x1","latest"]`,
  `[${WORD}]`,
  `[{"to":${ADDRESS},"data":"0x00"},"pending"]`,
  `[{"data":"0xABcd","to":${ADDRESS}},"0x1"]`,
  `[{"from":${ADDRESS},"to":${ADDRESS},"data":"0x"},"safe"]`,
  `[{"from":${ADDRESS},"data":"0x","to":${ADDRESS}},"earliest"]`,
  `[{"to":${ADDRESS},"data":"0x0"},"latest"]`,
  `[{"to":${ADDRESS},"data":"0x","value":"0x1"},"latest"]`,
  `[{"to":${ADDRESS},"data":"0x"},"latest",null]`,
  `[{"to":${ADDRESS},"data":"0x"},"latest",{}]`,
  `[{"to":${ADDRESS},"data":"0x"}, "latest"]`,
  '["0x1234"]',
  '["0x123"]',
  '{}',
);
const id = fc.constantFrom(
  '0',
  '7',
  '7',
  '999999999999999',
  '9007199254740993',
  '-1',
  '1.0',
  '01',
  'null',
  '"a-_Z9"',
  '""',
  '"\\u0061"',
  '"é"',
);
const anyName = fc.constantFrom(...methods.keys(), 'eth_nothing', 'eth_call\\u0000', '');
/** The most frequent calls fit together; all others are put together by chance. */
const parts = fc.oneof(
  fc.constantFrom(
    ['7', 'eth_blockNumber', '[]'],
    ['"a-_Z9"', 'eth_getBalance', `[${ADDRESS},"0xA"]`],
    ['0', 'eth_call', `[{"data":"0xABcd","to":${ADDRESS}},"0x1"]`],
  ),
  fc.tuple(id, anyName, params),
);
/** The members of a call in any order, some of them twice or left out. */
const call = parts.chain(([someId, someName, someParams]) =>
  fc
    .oneof(
      ...[
        ['J', 'I', 'M', 'P'],
        ['M', 'P', 'I', 'J'],
        ['J', 'M', 'P', 'I'],
        ['J', 'I', 'M'],
        ['M', 'I', 'J'],
      ].map((order) => fc.constant(order)),
      fc.array(fc.constantFrom('J', 'I', 'M', 'P', 'X'), { minLength: 3, maxLength: 6 }),
    )
    .map((order) => {
      const members: Record<string, string> = {
        J: '"jsonrpc":"2.0"',
        I: `"id":${someId}`,
        M: `"method":"${someName}"`,
        P: `"params":${someParams}`,
        X: '"extra":{}',
      };
      return `{${order.map((key) => members[key]).join(',')}}`;
    }),
);
const whole = fc.oneof(
  call,
  fc.array(call, { maxLength: LIMIT + 1 }).map((entries) => `[${entries.join(',')}]`),
);
/** A message, perhaps with a character too many, too few or another one. */
const anyMessage = fc.oneof(
  { weight: 3, arbitrary: whole },
  fc
    .tuple(whole, fc.nat(), fc.nat(1), fc.constantFrom('', ' ', ',', '"', '{', '}', '[', ']', '\\', '0', '\u0000'))
    .map(([text, at, cut, put]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + cut);
    }),
);

describe('PlainCalls', () => {
  const text = '"method":"eth_blockNumber","params":[]';

  it.each([
    ['viem, web3.js and geth', `{"jsonrpc":"2.0","id":7,${text}}`],
    ['curl', `{"jsonrpc":"2.0",${text},"id":7}`],
    ['ethers and alloy', `{${text},"id":7,"jsonrpc":"2.0"}`],
    ['nobody in particular', `{"id":7,${text},"jsonrpc":"2.0"}`],
  ])('reads the members in the order of %s', (_clients, one) => {
    const read = { id: '7', method: 'eth_blockNumber', text };
    expect(readCalls(one)).toEqual([read]);
    expect(readCalls(`[${one},${one}]`)).toEqual([read, read]);
  });

  it.each([
    ['viem', '{"jsonrpc":"2.0","id":4,"method":"eth_blockNumber"}'],
    ['viem', `{"jsonrpc":"2.0","id":2,"method":"eth_getBalance","params":[${ADDRESS},"latest"]}`],
    ['viem', `{"jsonrpc":"2.0","id":0,"method":"eth_call","params":[{"data":"0x1234","to":${ADDRESS}},"latest"]}`],
    [
      'viem',
      `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"data":"0x1234","from":${ADDRESS},"to":${ADDRESS}},"latest"]}`,
    ],
    ['ethers', '{"method":"eth_blockNumber","params":[],"id":5,"jsonrpc":"2.0"}'],
    ['ethers', `{"method":"eth_getTransactionCount","params":[${ADDRESS},"latest"],"id":4,"jsonrpc":"2.0"}`],
    [
      'ethers',
      `{"method":"eth_call","params":[{"from":${ADDRESS},"to":${ADDRESS},"data":"0x1234"},"latest"],"id":2,"jsonrpc":"2.0"}`,
    ],
    [
      'web3.js',
      `{"jsonrpc":"2.0","id":"f84cd0fb-9c73-4fed-8303-16399b752f9e","method":"eth_call","params":[{"to":${ADDRESS},"data":"0x1234"},"latest"]}`,
    ],
    ['viem', `{"jsonrpc":"2.0","id":5,"method":"eth_getCode","params":[${ADDRESS},"latest"]}`],
    [
      'whoever knows its slot',
      `{"jsonrpc":"2.0","id":6,"method":"eth_getStorageAt","params":[${ADDRESS},${WORD},"0x5"]}`,
    ],
    [
      'whoever names a block',
      `{"jsonrpc":"2.0","id":7,"method":"eth_estimateGas","params":[{"data":"0x1234","to":${ADDRESS}},"pending"]}`,
    ],
    ['cast', '{"method":"eth_blockNumber","id":0,"jsonrpc":"2.0"}'],
    ['cast', `{"method":"eth_getBalance","params":[${ADDRESS},"latest"],"id":0,"jsonrpc":"2.0"}`],
  ])('reads what %s sends: %s', (_client, body) => {
    const { id: given, method, params: givenParams = [] } = JSON.parse(body);
    const written = `"method":"${method}","params":${JSON.stringify(givenParams)}`;
    expect(readCalls(body)).toEqual([{ id: JSON.stringify(given), method, text: written }]);
  });

  it.each([
    ['a space', `{"jsonrpc": "2.0","id":7,${text}}`],
    ['no id', `{"jsonrpc":"2.0",${text}}`],
    ['two ids', `{"jsonrpc":"2.0","id":7,${text},"id":7}`],
    ['no version', `{"id":7,${text}}`],
    ['two versions', `{"jsonrpc":"2.0","id":7,${text},"jsonrpc":"2.0"}`],
    ['another version', `{"jsonrpc":"1.0","id":7,${text}}`],
    ['a method that has no way', '{"jsonrpc":"2.0","id":7,"method":"web3_sha3","params":["0x"]}'],
    ['params left out where some are needed', '{"jsonrpc":"2.0","id":7,"method":"eth_getBalance"}'],
    ['a method that has no such params', '{"jsonrpc":"2.0","id":7,"method":"eth_blockNumber","params":["0x"]}'],
    ['something after it', `{"jsonrpc":"2.0","id":7,${text}},`],
    ['nothing', ''],
    ['an empty batch', '[]'],
    ['a batch that does not end', `[{"jsonrpc":"2.0","id":7,${text}}`],
    ['a batch that ends twice', `[{"jsonrpc":"2.0","id":7,${text}}]]`],
    ['a batch with a comma too many', `[{"jsonrpc":"2.0","id":7,${text}},]`],
    ['a batch with no comma', `[{"jsonrpc":"2.0","id":7,${text}}{"jsonrpc":"2.0","id":7,${text}}]`],
    ['one call too many', `[${Array.from({ length: LIMIT + 1 }, () => `{"jsonrpc":"2.0","id":7,${text}}`).join(',')}]`],
  ])('leaves everything else to be read in full: %s', (_what, message) => {
    expect(readCalls(message)).toBeNull();
  });

  it('never reads what would be refused in full, nor anything else than that', () => {
    let plain = 0;
    fc.assert(
      fc.property(anyMessage, (given) => {
        const read = readCalls(given);
        if (read === null) return;
        plain += 1;
        const full = parseMessage(given, LIMIT);
        if (full.kind === 'invalid') throw new Error('It is no message');
        expect(Array.isArray(JSON.parse(given))).toBe(full.kind === 'batch');
        const entries = full.kind === 'batch' ? full.entries : [full.entry];
        expect(entries).toHaveLength(read.length);
        for (const [index, { id: readId, method, text: written }] of read.entries()) {
          expect(entries[index]).toMatchObject({ id: readId, method });
          const sent = JSON.parse(`{${written}}`) as { method: string; params: unknown[] };
          expect(Object.keys(sent)).toEqual(['method', 'params']);
          expect(sent.method).toBe(method);
          const known = methods.get(method);
          if (known === undefined) throw new Error('It is no method');
          const said = entries[index] as Call;
          const checked = checkParams(known, said.params).filter((value) => value !== undefined);
          expect(inLowerCase(sent.params)).toEqual(inLowerCase(checked));
        }
      }),
      { numRuns: 20_000 },
    );
    expect(plain).toBeGreaterThan(500);
  });

  it('has no way for what is null where it does not exist', () => {
    const looked = blockMethods(backend).filter(({ plain }) => plain !== undefined);
    expect(looked).toEqual([]);
  });

  it('reads a call of two megabytes', () => {
    const long = `"0x${'00'.repeat(1_000_000)}"`;
    const written = `"method":"eth_call","params":[{"to":${ADDRESS},"data":${long}},"latest"]`;
    expect(readCalls(`{"jsonrpc":"2.0","id":1,${written}}`)).toEqual([{ id: '1', method: 'eth_call', text: written }]);
    expect(readCalls(`{"jsonrpc":"2.0","id":1,${written.replace('"},', 'x"},')}}`)).toBeNull();
  });
});

function inLowerCase(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).toLowerCase());
}
