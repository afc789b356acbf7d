import { describe, expect, it } from '@jest/globals';
import type { Hex } from 'viem';
import { DELAY_REASONS, OPERATION_STATUSES } from '../operations.js';
import { explain, type HashFacts } from './explain.js';
import type { ExplainedOperation } from './operation.js';
import type { RefundFact } from './refund.js';
import type { Arrival, ExplainedTransaction, RevertReason } from './transaction.js';
import { VERDICT_CODES, type VerdictCode } from './verdict.js';

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const ID = hash('a');
const OTHER = '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc';
const LATER = new Date(1_800_000_000_000);

const burn: ExplainedOperation = {
  id: ID,
  status: 'CONFIRMING',
  direction: 'PARTNER_TO_ETHEREUM',
  asset: 'USDC',
  amount: 25_500_000n,
  originConfirmations: 2,
  requiredConfirmations: 6,
  holdUntil: null,
  holdReleasedAt: null,
  delayedReason: null,
  nextAttemptAt: null,
  destinationTxHash: null,
  settlement: null,
  failureReason: null,
};

type OperationsFacts = Extract<HashFacts, { kind: 'operations' }>;
const operation = (over: Partial<ExplainedOperation>, of: Partial<OperationsFacts> = {}): HashFacts => ({
  kind: 'operations',
  role: 'origin',
  operations: [{ ...burn, ...over }],
  expiresAt: null,
  refund: null,
  isHalted: false,
  isRelayerAway: false,
  unpayableReason: null,
  ...of,
});
const transaction = (is: ExplainedTransaction): HashFacts => ({ kind: 'transaction', transaction: is });
const succeeded = (over: Partial<Extract<ExplainedTransaction, { state: 'succeeded' }>> = {}) =>
  transaction({ side: 'partner', state: 'succeeded', to: OTHER, target: 'other', arrivals: [], ...over });
const reverted = (revertReason: RevertReason | null, side: 'ethereum' | 'partner' = 'partner') =>
  transaction({ side, state: 'reverted', revertReason });
const LOCK = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0';
const arrival = (over: Partial<Arrival> = {}): Arrival => ({
  asset: 'USDC',
  amount: 25_500_000n,
  name: 'BridgeLock, a contract of the bridge',
  account: LOCK,
  isWallet: false,
  ...over,
});
const refund = (status: RefundFact['status']): RefundFact => ({ id: hash('f'), status });
const delivered = { txHash: hash('d'), credited: false };
const tooLittle = { asset: 'USDC', amount: 9_500_000n, minimum: 10_000_000n } as const;

/** Every verdict: facts, words of its message, and words of its next step. */
const CASES: readonly (readonly [VerdictCode, string, HashFacts, string, string])[] = [
  ['NOT_FOUND', 'an unknown hash', { kind: 'unknown' }, 'may not have reached the nodes yet', 'userOpHash'],
  [
    'NOT_MINED',
    'a pending one',
    transaction({ side: 'partner', state: 'pending' }),
    'no block has it yet',
    'raise its fee',
  ],
  [
    'REPLACED',
    'a delivery that was replaced',
    { kind: 'replaced', by: hash('b'), operationIds: [ID] },
    hash('b'),
    `operation ${ID}`,
  ],
  ['REPLACED', 'upkeep that was replaced', { kind: 'replaced', by: hash('b'), operationIds: [] }, 'nonce', hash('b')],
  ['REVERTED', 'for an unknown reason', reverted(null), 'reverted on the partner', 'Correct'],
  [
    'REVERTED',
    'with an error of the bridge',
    reverted({ errorName: 'Paused', minimum: null }, 'ethereum'),
    'reverted on Ethereum with Paused',
    'still paused',
  ],
  [
    'BELOW_MINIMUM',
    'a burn of too little',
    reverted({ errorName: 'BelowMinimum', minimum: tooLittle }),
    '9.5 USDC, and the minimum is 10',
    'at least the minimum',
  ],
  [
    'BELOW_MINIMUM',
    'a burn of too little of an unknown token',
    reverted({ errorName: 'BelowMinimum', minimum: null }),
    'below the minimum. It moved nothing',
    'at least the minimum',
  ],
  ['OTHER_CONTRACT', 'a call of a stranger', succeeded(), `it went to ${OTHER}`, 'smart account'],
  ['OTHER_CONTRACT', 'one on Ethereum', succeeded({ side: 'ethereum' }), 'not of the bridge', 'Check the hash'],
  ['OTHER_CONTRACT', 'a deployment', succeeded({ to: null }), 'created a contract', 'network'],
  ['OTHER_CONTRACT', 'an approval', succeeded({ target: 'token' }), 'called the token', 'that called BridgeMint'],
  ['NO_OPERATION', 'a claim', succeeded({ target: 'bridge', side: 'ethereum' }), 'called BridgeLock', 'function'],
  [
    'TRANSFER_WITHOUT_INTENT',
    'an unread payment',
    succeeded({ target: 'wallet' }),
    'no intent is bound',
    'may still find the intent',
  ],
  ['TRANSFER_WITHOUT_INTENT', 'a payment', { kind: 'transfer', refund: null }, 'no intent is bound', 'refund'],
  [
    'TRANSFER_WITHOUT_INTENT',
    'one that is to be approved',
    { kind: 'transfer', refund: refund('REQUESTED') },
    'no intent is bound',
    `approve the refund ${hash('f')}`,
  ],
  [
    'NO_OPERATION',
    'USDC sent straight to BridgeLock',
    succeeded({ side: 'ethereum', target: 'token', arrivals: [arrival()] }),
    `sent 25.5 USDC to BridgeLock, a contract of the bridge (${LOCK}), on Ethereum`,
    'Ask the operators',
  ],
  [
    'TRANSFER_WITHOUT_INTENT',
    'ETH sent to the relayer wallet on Ethereum',
    succeeded({
      side: 'ethereum',
      target: 'wallet',
      arrivals: [arrival({ asset: 'ETH', amount: 10n ** 18n, isWallet: true })],
    }),
    'sent 1 ETH to the relayer wallet on Ethereum, which takes no deposits',
    'refund',
  ],
  [
    'TRANSFER_WITHOUT_INTENT',
    'the same when it is read',
    operation({ status: 'FAILED', failureReason: 'TRANSFER_UNMATCHED', direction: 'ETHEREUM_TO_PARTNER' }),
    'sent 25.5 USDC to the relayer wallet on Ethereum',
    'Ask them with this hash',
  ],
  [
    'OTHER_CONTRACT',
    'a user operation that began nothing',
    { kind: 'userOperation', txHash: hash('d'), hasSucceeded: true },
    `executed in the transaction ${hash('d')}`,
    'If the account paid an intent in it',
  ],
  [
    'REVERTED',
    'a user operation whose call failed',
    { kind: 'userOperation', txHash: hash('d'), hasSucceeded: false },
    'the call of its account reverted',
    'new user operation',
  ],
  [
    'CONFIRMING',
    'a user operation that burned',
    operation({}, { role: 'userOperation' }),
    'This user operation was executed. The transaction is mined',
    'Wait',
  ],
  [
    'REPLACED',
    'a transaction of a user whose nonce is used',
    { kind: 'nonceUsed', sender: OTHER, nonce: 7, sides: ['ethereum'] },
    `${OTHER} has used the nonce 7 on Ethereum`,
    'Ask for the new hash',
  ],
  [
    'AWAITING_PAYMENT',
    'an intent in its window',
    operation({ status: 'PENDING_ORIGIN_TX' }, { role: 'id', expiresAt: LATER }),
    LATER.toISOString(),
    'do not send it again: ask for the hash',
  ],
  ['EXPIRED', 'an intent after it', operation({ status: 'EXPIRED' }), 'no transfer had paid it', 'Send nothing'],
  ['CONFIRMING', 'a fresh burn', operation({}), '4 more of 6 confirmations on the partner chain', 'Wait'],
  [
    'CONFIRMING',
    'a deposit that the relayer has not read',
    operation({ direction: 'ETHEREUM_TO_PARTNER', originConfirmations: 13, requiredConfirmations: 12 }),
    'its 12 confirmations on Ethereum; the relayer reads it next',
    'Wait',
  ],
  ['HELD', 'a burn in its hold', operation({ status: 'AWAITING_RELAY', holdUntil: LATER }), 'held until 2027', 'Wait'],
  [
    'AWAITING_DELIVERY',
    'a burn after its hold',
    operation({ status: 'AWAITING_RELAY', holdUntil: LATER, holdReleasedAt: LATER }),
    'delivers it next',
    'Wait',
  ],
  [
    'DELIVERING',
    'a sent delivery',
    operation({ status: 'PROCESSING_DESTINATION', destinationTxHash: hash('d') }),
    hash('d'),
    'Wait',
  ],
  [
    'OVER_LIMIT',
    'a delivery above the limit',
    operation({ status: 'DELAYED', delayedReason: 'OUTFLOW_LIMIT', nextAttemptAt: LATER }),
    `no room for it, and refills with time. The next attempt is at ${LATER.toISOString()}`,
    'tries again',
  ],
  ['DELAYED', 'another delay', operation({ status: 'DELAYED', delayedReason: 'PAUSED' }), 'paused', 'tries again'],
  [
    'DELAYED',
    'a number that was used up',
    operation({ status: 'DELAYED', delayedReason: 'NUMBER_USED_UP' }),
    'used its number up',
    'Ask the operators',
  ],
  [
    'COMPLETED',
    'a release',
    operation({ status: 'COMPLETED', settlement: delivered }),
    `paid by ${hash('d')} on Ethereum`,
    'Nothing is left',
  ],
  [
    'CREDITED',
    'a mint that the recipient refused',
    operation({
      status: 'COMPLETED',
      direction: 'ETHEREUM_TO_PARTNER',
      settlement: { ...delivered, credited: true },
    }),
    'BridgeMint keeps the amount as a credit',
    'claims it from BridgeMint on the partner chain',
  ],
  [
    'FAILED',
    'a failed one',
    operation({ status: 'FAILED', failureReason: 'SIGNATURE_REVOKED' }),
    'nothing was released',
    'hash',
  ],
  [
    'FAILED',
    'one with a refund that is being paid',
    operation({ status: 'FAILED', failureReason: 'SIGNATURE_REVOKED' }, { refund: refund('PENDING') }),
    'nothing was released',
    'the relayer pays it',
  ],
  [
    'FAILED',
    'one without a right to a refund',
    operation({ status: 'FAILED', failureReason: 'SIGNATURE_REVOKED' }, { refund: refund('REFUSED') }),
    'nothing was released',
    'refused the refund',
  ],
  [
    'REFUNDED',
    'a failed one that was paid out',
    operation({ status: 'FAILED', failureReason: 'SIGNATURE_REVOKED' }, { refund: refund('COMPLETED') }),
    hash('f'),
    'Nothing is left',
  ],
  [
    'REFUNDED',
    'the payment of a refund',
    operation(
      { status: 'FAILED', failureReason: 'TRANSFER_UNMATCHED' },
      { role: 'refund', refund: refund('COMPLETED') },
    ),
    `pays the refund of operation ${ID}`,
    'Nothing is left',
  ],
  ['REFUNDED', 'a transfer', { kind: 'transfer', refund: refund('COMPLETED') }, 'was paid', 'Nothing is left'],
];

describe('explain', () => {
  it('has 20 verdicts, and a case of each below', () => {
    expect(VERDICT_CODES).toHaveLength(20);
    expect(new Set(CASES.map(([code]) => code))).toEqual(new Set(VERDICT_CODES));
  });

  it.each(CASES)('answers %s for %s', (code, _, facts, message, nextStep) => {
    expect(explain(facts)).toMatchObject({
      code,
      message: expect.stringContaining(message),
      nextStep: expect.stringContaining(nextStep),
    });
  });

  it('says until when, where that is known', () => {
    const until = (facts: HashFacts) => explain(facts).until;
    expect(until(operation({ status: 'PENDING_ORIGIN_TX' }, { expiresAt: LATER }))).toEqual(LATER);
    expect(until(operation({ status: 'AWAITING_RELAY', holdUntil: LATER }))).toEqual(LATER);
    expect(until(operation({ status: 'DELAYED', nextAttemptAt: LATER }))).toEqual(LATER);
    expect(until(operation({ status: 'AWAITING_RELAY', holdUntil: LATER, holdReleasedAt: LATER }))).toBeNull();
  });

  it('says that the bridge is halted, of an operation that would go on', () => {
    const halted = { isHalted: true };
    expect(explain(operation({ status: 'AWAITING_RELAY' }, halted))).toMatchObject({
      code: 'AWAITING_DELIVERY',
      message: expect.stringContaining('The bridge is halted at present.'),
      nextStep: expect.stringContaining('operators resume the bridge'),
    });
    expect(explain(operation({ status: 'EXPIRED' }, halted))).toEqual(explain(operation({ status: 'EXPIRED' })));
  });

  it('says that the relayer is away, of an operation that is open', () => {
    const away = { isRelayerAway: true };
    expect(explain(operation({ status: 'CONFIRMING' }, away))).toMatchObject({
      code: 'CONFIRMING',
      message: expect.stringContaining('The relayer is away at present.'),
      nextStep: 'Wait: it continues when the relayer is back.',
      stalledReason: 'RELAYER_AWAY',
    });
    expect(explain(operation({ status: 'EXPIRED' }, away))).toEqual(explain(operation({ status: 'EXPIRED' })));
  });

  it('asks for no payment of an intent that must not be paid', () => {
    const replaced = operation({ status: 'PENDING_ORIGIN_TX' }, { unpayableReason: 'WALLET_REPLACED' });
    expect(explain(replaced)).toMatchObject({
      code: 'AWAITING_PAYMENT',
      nextStep: expect.stringContaining('its relayer wallet was replaced. Sign a new one.'),
    });
  });

  it('is about the first operation of a transaction, and names all of them', () => {
    const batch = operation(
      {},
      {
        role: 'delivery',
        operations: [
          { ...burn, status: 'COMPLETED' },
          { ...burn, id: hash('c') },
        ],
      },
    );
    expect(explain(batch)).toMatchObject({
      code: 'COMPLETED',
      message: expect.stringContaining(`delivers operation ${ID}. `),
      operationIds: [ID, hash('c')],
    });
  });

  it('answers in whole sentences, whatever the status, delay or refund', () => {
    const facts = OPERATION_STATUSES.flatMap((status) =>
      [null, ...DELAY_REASONS].flatMap((delayedReason) =>
        [null, refund('REQUESTED'), refund('APPROVED'), refund('PENDING'), refund('COMPLETED'), refund('REFUSED')].map(
          (of) => operation({ status, delayedReason, failureReason: 'REJECTED_BY_OPERATORS' }, { refund: of }),
        ),
      ),
    );
    for (const { message, nextStep } of facts.map(explain)) {
      for (const text of [message, nextStep]) expect(text).toMatch(/^[A-Z].*\.$/);
    }
  });
});
