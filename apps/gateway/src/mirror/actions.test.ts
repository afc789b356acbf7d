import type { CallFrame } from '@causeway/partner-chain';
import { describe, expect, it } from '@jest/globals';
import type { Hex } from 'viem';
import { messagesOf, toMirrorAction } from './actions.js';
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

const actionsOf = (tree: CallFrame) => messagesOf(tree).map((message) => toMirrorAction(message, context));
const context = { timestamp: '1700000000.000000003', isContract: (address: Hex) => address === ACCOUNT };

describe('the actions of a call tree', () => {
  it('lists the messages in the order in which they began, with their depth', () => {
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
    const actions = actionsOf(tree);
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

  it('does not list a contract that destroys itself: it sends no message', () => {
    const heir = frame({ from: ACCOUNT, to: USER, value: 5n, type: 'SELFDESTRUCT' });
    const tree = frame({ calls: [frame({ calls: [heir] }), frame({ type: 'DELEGATECALL' })] });
    expect(
      actionsOf(tree).map(({ index, call_depth, call_type, call_operation_type }) => [
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
    const [action] = actionsOf(frame({ error: 'revert', output: '0x1234' }));
    expect(action).toMatchObject({ result_data: '0x1234', result_data_type: 'REVERT_REASON' });
  });
});

describe('exactJson', () => {
  it('writes amounts beyond 2^53 to the last digit, as numbers', () => {
    expect(exactJson({ value: 10n ** 18n + 1n, text: 'a' })).toBe('{"value":1000000000000000001,"text":"a"}');
  });
});
