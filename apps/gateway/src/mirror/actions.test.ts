import type { CallFrame } from '@causeway/partner-chain';
import { describe, expect, it } from '@jest/globals';
import type { Hex } from 'viem';
import { listMessages, paginateActions, readActionsQuery, toMirrorAction } from './actions.js';
import { exactJson } from './routes.js';

const USER: Hex = `0x${'a1'.repeat(20)}`;
const ACCOUNT: Hex = `0x${'b2'.repeat(20)}`;
const RELAYER: Hex = `0x${'c3'.repeat(20)}`;
const IDENTITY: Hex = `0x${'00'.repeat(19)}04`;

function frame(fields: Partial<CallFrame>): CallFrame {
  return {
    type: 'CALL',
    from: USER,
    to: ACCOUNT,
    value: 0n,
    gas: 1_000n,
    gasUsed: 10n,
    input: '0x',
    output: '0x',
    error: null,
    calls: [],
    ...fields,
  };
}

const toActions = (tree: CallFrame) => listMessages(tree).map((message) => toMirrorAction(message, context));
const context = { timestamp: '1700000000.000000003', isContract: (address: Hex) => address === ACCOUNT };

describe('the actions of a call tree', () => {
  it('lists the messages in the order of their start, with their depth', () => {
    const tree = frame({
      calls: [
        frame({
          from: ACCOUNT,
          to: RELAYER,
          value: 5n,
          calls: [frame({ from: RELAYER, to: IDENTITY, type: 'STATICCALL' })],
        }),
        frame({ from: ACCOUNT, to: null, type: 'CREATE2', error: 'out of gas' }),
      ],
    });
    const actions = toActions(tree);
    expect(actions.map(({ index, call_depth, call_type }) => [index, call_depth, call_type])).toEqual([
      [0, 0, 'CALL'],
      [1, 1, 'CALL'],
      [2, 2, 'PRECOMPILE'],
      [3, 1, 'CREATE'],
    ]);
    expect(actions[0]).toMatchObject({ caller_type: 'ACCOUNT', recipient_type: 'CONTRACT', from: USER, to: ACCOUNT });
    expect(actions[1]).toMatchObject({ caller_type: 'CONTRACT', recipient_type: 'ACCOUNT', value: 5n });
    expect(actions[3]).toMatchObject({ recipient: null, recipient_type: null, result_data_type: 'ERROR' });
    expect(Buffer.from(actions[3]?.result_data?.slice(2) ?? '', 'hex').toString()).toBe('out of gas');
  });

  it('does not list self-destruction, which sends no message', () => {
    const heir = frame({ from: ACCOUNT, to: USER, value: 5n, type: 'SELFDESTRUCT' });
    const tree = frame({ calls: [frame({ calls: [heir] }), frame({ type: 'DELEGATECALL' })] });
    expect(
      toActions(tree).map(({ index, call_depth, call_type, call_operation_type }) => [
        index,
        call_depth,
        call_type,
        call_operation_type,
      ]),
    ).toEqual([
      [0, 0, 'CALL', 'CALL'],
      [1, 1, 'CALL', 'CALL'],
      [2, 1, 'CALL', 'DELEGATECALL'],
    ]);
  });

  it('shows what a revert returned', () => {
    const [action] = toActions(frame({ error: 'revert', output: '0x1234' }));
    expect(action).toMatchObject({ result_data: '0x1234', result_data_type: 'REVERT_REASON' });
  });
});

describe('exactJson', () => {
  it('writes amounts beyond 2^53 to the last digit, as numbers', () => {
    expect(exactJson({ value: 10n ** 18n + 1n, text: 'a' })).toBe('{"value":1000000000000000001,"text":"a"}');
  });
});

const PATH = '/api/v1/contracts/results/0x12/actions';
const ACTIONS = Array.from({ length: 7 }, (_, index) => ({ index }));

const read = (query: string) => readActionsQuery(new URLSearchParams(query));

/** Follows the links to the end. */
function walk(query: string): number[][] {
  const pages: number[][] = [];
  let next: string | null = query;
  while (next !== null && pages.length < 20) {
    const page = paginateActions(ACTIONS, read(next), PATH);
    pages.push(page.actions.map(({ index }) => index));
    if (page.links.next === null) return pages;
    const { search, pathname } = new URL(page.links.next, 'http://localhost');
    expect(pathname).toBe(PATH);
    next = search;
  }
  return pages;
}

describe('paginateActions', () => {
  it('reaches all actions by its links', () => {
    expect(walk('limit=3')).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
    expect(walk('limit=3&order=desc')).toEqual([[6, 5, 4], [3, 2, 1], [0]]);
  });

  it('keeps the far bound on every page', () => {
    expect(walk('limit=2&index=gte:1&index=lt:5')).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(walk('limit=2&index=gt:1&index=lte:5&order=desc')).toEqual([
      [5, 4],
      [3, 2],
    ]);
  });

  it('has no next link when the page is full and the last', () => {
    expect(walk('limit=7')).toEqual([[0, 1, 2, 3, 4, 5, 6]]);
  });

  it('is empty when nothing matches', () => {
    expect(paginateActions(ACTIONS, read('index=9'), PATH)).toEqual({ actions: [], links: { next: null } });
  });
});

describe('readActionsQuery', () => {
  it('has defaults for everything', () => {
    expect(read('')).toEqual({ index: [], limit: 25, order: 'asc' });
  });

  it('reads bounds, one or several', () => {
    expect(read('index=7').index).toEqual([{ operator: 'eq', value: 7 }]);
    expect(read('index=gte:1&index=lt:5').index).toEqual([
      { operator: 'gte', value: 1 },
      { operator: 'lt', value: 5 },
    ]);
  });

  it('counts a greater limit as 100', () => {
    expect(read('limit=5000').limit).toBe(100);
  });

  it.each([
    ['index=ne:1', 'Invalid parameter: index'],
    ['index=-1', 'Invalid parameter: index'],
    [Array.from({ length: 11 }, () => 'index=gte:0').join('&'), 'Invalid parameter: index'],
    ['index[a]=1', 'Unknown query parameter: index[a]'],
    ['limit=0', 'Invalid parameter: limit'],
    ['limit=1&limit=2', 'Invalid parameter: limit'],
    ['order=up', 'Invalid parameter: order'],
    ['timestamp=1', 'Unknown query parameter: timestamp'],
  ])('refuses %s', (query, message) => {
    expect(() => read(query)).toThrow(expect.objectContaining({ status: 400, message }));
  });
});
