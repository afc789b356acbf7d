import { describe, expect, it } from '@jest/globals';
import { intentDomain, operatorDecisionDigest, type OperatorDecision } from '@causeway/protocol';
import type { SignedDecision } from '@causeway/store';
import { aHash, anAddress, anAddressBook } from '@causeway/test-kit';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Address } from 'viem';
import { decideRefund, isRejected, signedByOperators } from './decide-refund.js';

const [FIRST, SECOND, THIRD] = [anAddress(), anAddress(), anAddress()];
const refund = { id: aHash(), asset: 'XCN', amount: 1_000n, payer: anAddress() } as const;
const other = anAddress();

const signed = (operator: Address, decision: OperatorDecision): SignedDecision => ({
  operator,
  decision,
  signature: '0x',
});
const approve = (operator: Address, recipient: Address = refund.payer, amount: bigint = refund.amount) =>
  signed(operator, { kind: 'APPROVE', refundId: refund.id, recipient, amount });
const refuse = (operator: Address) => signed(operator, { kind: 'REFUSE', refundId: refund.id });

const TWO = { ETH: 0n, USDC: 0n, XCN: 0n };
const ONE = { ETH: 0n, USDC: 0n, XCN: 1_000n };
const LESS = { ETH: 5_000n, USDC: 5_000n, XCN: 999n };

describe('decideRefund', () => {
  it.each<[string, SignedDecision[], typeof TWO, ReturnType<typeof decideRefund>]>([
    ['waits without a decision', [], TWO, { kind: 'waits' }],
    ['waits for a second approval', [approve(FIRST)], TWO, { kind: 'waits' }],
    ['approves with two', [approve(FIRST), approve(SECOND)], TWO, { kind: 'approved', recipient: refund.payer }],
    ['approves with one up to the amount', [approve(FIRST)], ONE, { kind: 'approved', recipient: refund.payer }],
    ['waits above the amount of its asset', [approve(FIRST)], LESS, { kind: 'waits' }],
    ['counts an operator once', [approve(FIRST), approve(FIRST)], TWO, { kind: 'waits' }],
    ['counts approvals of one recipient', [approve(FIRST), approve(SECOND, other)], TWO, { kind: 'waits' }],
    [
      'names another recipient with two',
      [approve(FIRST, other), approve(SECOND, other)],
      ONE,
      { kind: 'approved', recipient: other },
    ],
    ['never names another recipient with one', [approve(FIRST, other)], ONE, { kind: 'waits' }],
    [
      'counts no approval of another amount',
      [approve(FIRST), approve(SECOND, refund.payer, refund.amount - 1n)],
      TWO,
      { kind: 'waits' },
    ],
    ['refuses with two', [refuse(FIRST), refuse(SECOND)], TWO, { kind: 'refused' }],
    ['does not refuse with one', [refuse(FIRST)], TWO, { kind: 'waits' }],
    [
      'refuses before it approves',
      [approve(FIRST), approve(SECOND), refuse(THIRD), refuse(other)],
      TWO,
      { kind: 'refused' },
    ],
    [
      'ignores decisions about another refund',
      [approve(FIRST), signed(SECOND, { ...approve(SECOND).decision, refundId: aHash() } as OperatorDecision)],
      TWO,
      { kind: 'waits' },
    ],
    [
      'ignores rejections',
      [approve(FIRST), signed(SECOND, { kind: 'REJECT', intentId: refund.id })],
      TWO,
      { kind: 'waits' },
    ],
  ])('%s', (_, decisions, oneApprovalUpTo, expected) => {
    expect(decideRefund(refund, decisions, { oneApprovalUpTo })).toEqual(expected);
  });
});

describe('isRejected', () => {
  const id = aHash();
  const reject = (operator: Address, intentId = id) => signed(operator, { kind: 'REJECT', intentId });

  it('needs two operators, and the intent', () => {
    expect(isRejected(id, [reject(FIRST), reject(SECOND)])).toBe(true);
    expect(isRejected(id, [reject(FIRST), reject(FIRST)])).toBe(false);
    expect(isRejected(id, [reject(FIRST), reject(SECOND, aHash())])).toBe(false);
  });
});

describe('signedByOperators', () => {
  const domain = intentDomain(anAddressBook().partner);
  const decision: OperatorDecision = { kind: 'REFUSE', refundId: refund.id };

  it('leaves those that a listed operator signed for this deployment', async () => {
    const [listed, stranger] = [generatePrivateKey(), generatePrivateKey()].map((key) => privateKeyToAccount(key));
    const address = (account: typeof listed) => account!.address.toLowerCase() as Address;
    const sign = (account: typeof listed, under = domain) =>
      account!.sign({ hash: operatorDecisionDigest(under, decision) });
    const valid = { operator: address(listed), decision, signature: await sign(listed) };
    const decisions: SignedDecision[] = [
      valid,
      // Written into the database by somebody without the key of the operator.
      { ...valid, signature: await sign(stranger) },
      { ...valid, signature: await sign(listed, { ...domain, chainId: 1 }) },
      { ...valid, decision: { kind: 'REFUSE', refundId: aHash() } },
      { operator: address(stranger), decision, signature: await sign(stranger) },
    ];
    expect(await signedByOperators(decisions, { operators: [address(listed)] }, domain)).toEqual([valid]);
  });
});
