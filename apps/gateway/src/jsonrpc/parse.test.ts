import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseMessage } from './parse.js';
import { RpcError } from './errors.js';

const LIMIT = 100;
/** Every JSON number in any notation. */
const jsonNumber = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.bigInt({ min: 1n, max: 10n ** 40n }).map(String)),
    fc.option(fc.stringMatching(/^[0-9]{1,20}$/), { nil: null }),
    fc.option(fc.stringMatching(/^[eE][+-]?[0-9]{1,3}$/), { nil: null }),
  )
  .map(
    ([sign, whole, fraction, exponent]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent ?? ''}`,
  );

describe('parseMessage', () => {
  it('keeps every numeric id: as written, or for safe integers as JavaScript writes it', () => {
    fc.assert(
      fc.property(jsonNumber, (id) => {
        const message = parseMessage(`{"jsonrpc":"2.0","method":"m","id":${id}}`, LIMIT);
        const [entry] = message.entries;
        if (message.isBatch || entry === undefined || entry instanceof RpcError) throw new Error('It is a call');
        const kept = entry.id ?? '';
        if (Number.isSafeInteger(Number(id))) expect(Number(kept)).toBe(Math.abs(Number(id)) === 0 ? 0 : Number(id));
        else expect(kept).toBe(id);
      }),
    );
  });

  it('finds the effective id, however it is written and whatever surrounds it', () => {
    const decoy = '"params":[{"id":2.5},"\\"id\\":3.5",["id"]]';
    const members = [decoy, '"id":1.5', '"\\":{\\"id":"\\\\"', '"\\u0069d" :\n 9007199254740993.0', '"jsonrpc":"2.0"'];
    const text = ` {${[...members, '"method":"m"', '"text":"\\\\"'].join(' , ')}}`;
    expect(parseMessage(text, LIMIT)).toMatchObject({ entries: [{ id: '9007199254740993.0' }] });
    const batch = parseMessage(`[1, [[{"id":4.5}], "id"], ${text}, {"id":"5.5"}]`, LIMIT);
    expect(batch).toMatchObject({ entries: [{ code: -32600 }, { code: -32600 }, { id: '9007199254740993.0' }, {}] });
  });

  it.each([
    ['deeply nested params', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['long params', `["${'a'.repeat(70_000)}"]`],
  ])('refuses such an id next to %s, because reading it would cost too much', (_what, params) => {
    const text = `{"jsonrpc":"2.0","method":"m","params":${params},"id":1.5}`;
    const message = parseMessage(text, LIMIT);
    const [entry] = message.entries;
    if (message.isBatch || entry === undefined) throw new Error('It is a single message');
    // Whether the nested message can be read depends on this process's stack size.
    if (entry instanceof RpcError) expect(entry.code).toBe(-32600);
    else expect(entry.id).toBe('1.5');
    if (params.startsWith('["')) expect(entry).toBeInstanceOf(RpcError);
    expect(parseMessage(text.replace('1.5', '15'), LIMIT)).toMatchObject({ entries: [{ id: '15' }] });
  });

  it('keeps every text as an id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (id) => {
        const message = parseMessage(JSON.stringify({ jsonrpc: '2.0', method: 'm', id }), LIMIT);
        expect(message).toMatchObject({ isBatch: false, entries: [{ id: JSON.stringify(id) }] });
      }),
    );
  });

  it('reads the id of every call of a batch, even if some are unsafe numbers', () => {
    const ids = ['1', '9007199254740993', '"9007199254740993"', 'null', '1.50'];
    const text = `[${ids.map((id) => `{"jsonrpc":"2.0","method":"m","id":${id},"params":[{"id":7.5}]}`).join(',')},{"id":2.5}]`;
    const message = parseMessage(text, LIMIT);
    expect(message.isBatch).toBe(true);
    const entries = message.entries.map((entry) => (entry instanceof RpcError ? entry.code : entry.id));
    expect(entries).toEqual([...ids, -32600]);
    expect(message.entries[0]).toMatchObject({ params: [{ id: 7.5 }] });
  });

  it('distinguishes a notification from a call with id null', () => {
    expect(parseMessage('{"jsonrpc":"2.0","method":"m"}', LIMIT)).toMatchObject({ entries: [{ id: null }] });
    expect(parseMessage('{"jsonrpc":"2.0","method":"m","id":null}', LIMIT)).toMatchObject({
      entries: [{ id: 'null' }],
    });
  });

  it('reads any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(parseMessage(text, LIMIT).entries.length).toBeGreaterThan(0);
      }),
    );
  });

  it.each([0, 1, 2, 3])('accepts a batch of %d calls only within the limit of 2', (calls) => {
    const text = JSON.stringify(Array.from({ length: calls }, () => ({})));
    const isAccepted = calls > 0 && calls <= 2;
    expect(parseMessage(text, 2).isBatch).toBe(isAccepted);
    expect(parseMessage(text, 2).refusedIds).toEqual([]);
    if (!isAccepted) expect(parseMessage(text, 2).entries).toEqual([expect.objectContaining({ code: -32600 })]);
  });
});
