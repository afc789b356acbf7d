import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Address, Hex } from 'viem';
import { internalTransfers, InvalidCallTreeError, mirrorAction } from './call-tree.js';

const address = (digits: string): Address => `0x${digits.repeat(20)}`;
const BUNDLER = address('b1');
const ENTRY_POINT = address('e4');
const [ACCOUNT, OTHER, ROUTER, WALLET] = [address('ac'), address('0a'), address('40'), address('fe')];
const WORD: Hex = `0x${'12'.repeat(32)}`;
const UNIT = 10n ** 10n;

type Fields = Readonly<Record<string, unknown>>;
/** A message at a depth: a successful CALL unless overridden. */
const message = (depth: number, from: Address, to: Address | null, value = 0, over: Fields = {}): Fields => ({
  call_depth: depth,
  call_operation_type: 'CALL',
  from,
  to,
  value,
  input: '0x',
  result_data_type: 'OUTPUT',
  ...over,
});

function found(messages: readonly Fields[], receivers: readonly Address[] = [WALLET]) {
  const actions = messages.map((fields, index) => mirrorAction.parse({ index, ...fields }));
  return internalTransfers(actions, new Set(receivers)).map(({ callIndex, payer, amount }) => [
    callIndex,
    payer,
    amount / UNIT,
  ]);
}

const FAILED = { result_data_type: 'REVERT_REASON' };
const direct = [message(0, BUNDLER, ENTRY_POINT), message(1, ENTRY_POINT, ACCOUNT)];

describe('internalTransfers', () => {
  it.each<[string, Fields[], unknown[]]>([
    ['a call of an account', [message(0, BUNDLER, ACCOUNT), message(1, ACCOUNT, WALLET, 5)], [[1, ACCOUNT, 5n]]],
    [
      'a user operation, by the implementation of the account',
      [
        ...direct,
        message(2, ACCOUNT, OTHER, 0, { call_operation_type: 'DELEGATECALL' }),
        message(3, ACCOUNT, WALLET, 5),
      ],
      [[3, ACCOUNT, 5n]],
    ],
    [
      'two accounts in one bundle, each its own',
      [
        ...direct,
        message(2, ACCOUNT, WALLET, 5),
        message(1, ENTRY_POINT, OTHER),
        message(2, OTHER, WALLET, 7),
        message(1, ENTRY_POINT, BUNDLER, 1),
      ],
      [
        [2, ACCOUNT, 5n],
        [4, OTHER, 7n],
      ],
    ],
    [
      'a router in between: the router pays',
      [message(0, BUNDLER, ACCOUNT), message(1, ACCOUNT, ROUTER, 5), message(2, ROUTER, WALLET, 5)],
      [[2, ROUTER, 5n]],
    ],
    [
      'two smaller calls: each of its own, never their sum',
      [message(0, BUNDLER, ACCOUNT), message(1, ACCOUNT, WALLET, 2), message(1, ACCOUNT, WALLET, 3)],
      [
        [1, ACCOUNT, 2n],
        [2, ACCOUNT, 3n],
      ],
    ],
    [
      'a value that only a DELEGATECALL, CALLCODE or STATICCALL shows',
      ['DELEGATECALL', 'CALLCODE', 'STATICCALL', 'CREATE'].map((type, index) =>
        message(Math.min(index, 1), ACCOUNT, WALLET, 5, { call_operation_type: type }),
      ),
      [],
    ],
    ['a failed call', [message(0, BUNDLER, ACCOUNT), message(1, ACCOUNT, WALLET, 5, FAILED)], []],
    [
      'a call inside a failed one, and one after it',
      [
        message(0, BUNDLER, ENTRY_POINT),
        message(1, ENTRY_POINT, ACCOUNT, 0, FAILED),
        message(2, ACCOUNT, OTHER),
        message(3, ACCOUNT, WALLET, 5),
        message(1, ENTRY_POINT, WALLET, 1),
      ],
      [[4, ENTRY_POINT, 1n]],
    ],
    ['a failed transaction', [message(0, BUNDLER, ACCOUNT, 0, FAILED), message(1, ACCOUNT, WALLET, 5)], []],
    ['the transaction itself: a plain transfer', [message(0, ACCOUNT, WALLET, 5)], []],
    ['a call of the wallet to itself', [message(0, BUNDLER, WALLET), message(1, WALLET, WALLET, 5)], []],
    ['no value, and another receiver', [...direct, message(2, ACCOUNT, WALLET), message(2, ACCOUNT, OTHER, 5)], []],
  ])('finds %s', (_, messages, expected) => {
    expect(found(messages)).toEqual(expected);
  });

  it('keeps data of exactly 32 bytes, and addresses in lower case', () => {
    const memos = [WORD, '0x', `${WORD}00`, null].map((input) => message(1, ACCOUNT, WALLET, 1, { input }));
    const shouting = { from: `0x${'AC'.repeat(20)}`, to: `0x${'FE'.repeat(20)}` };
    const actions = [message(0, BUNDLER, ACCOUNT), ...memos, message(1, ACCOUNT, WALLET, 1, shouting)].map(
      (fields, index) => mirrorAction.parse({ index, ...fields }),
    );
    const transfers = internalTransfers(actions, new Set([WALLET]));
    expect(transfers.map(({ memo }) => memo)).toEqual([WORD, null, null, null, null]);
    expect(transfers.at(-1)).toMatchObject({ payer: ACCOUNT, wallet: WALLET });
  });

  it.each<[string, (fields: Fields[]) => Fields[]]>([
    ['begins below the transaction', ([, second]) => [second!]],
    ['has a second transaction', ([first]) => [first!, first!]],
    ['skips a depth', ([first]) => [first!, message(2, ACCOUNT, WALLET, 5)]],
    ['skips a message', ([first, second]) => [first!, { ...second, index: 2 }]],
  ])('refuses a list that %s', (_, change) => {
    const messages = change([message(0, BUNDLER, ACCOUNT), message(1, ACCOUNT, WALLET, 5)]);
    expect(() => found(messages)).toThrow(InvalidCallTreeError);
  });

  it('finds in any tree exactly the calls without a failure on their path', () => {
    const node = fc.record({ depth: fc.integer({ min: 1, max: 6 }), pays: fc.boolean(), fails: fc.boolean() });
    fc.assert(
      fc.property(fc.array(node, { maxLength: 40 }), (nodes) => {
        const messages = [message(0, BUNDLER, ENTRY_POINT)];
        const path: boolean[] = [false];
        let expected = 0;
        for (const { depth, pays, fails } of nodes) {
          path.length = Math.min(depth, path.length);
          const result = { result_data_type: fails ? 'ERROR' : 'OUTPUT' };
          messages.push(message(path.length, ACCOUNT, pays ? WALLET : OTHER, 1, result));
          path.push(fails);
          if (pays && !path.includes(true)) expected += 1;
        }
        expect(found(messages)).toHaveLength(expected);
      }),
    );
  });
});
