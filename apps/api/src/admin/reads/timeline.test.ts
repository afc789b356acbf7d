import { describe, expect, it } from '@jest/globals';
import type { Operation } from '@causeway/store';
import type { Hex } from 'viem';
import { timelineOf, type OperationHistory } from './timeline.js';

const at = (second: number, ms = 0) => new Date(Date.UTC(2026, 10, 25, 3, 0, second, ms));
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const [ORIGIN, DELIVERY] = [hash('a'), hash('b')];

const operation: Operation = {
  id: hash('1'),
  kind: 'DEPOSIT',
  direction: 'ETHEREUM_TO_PARTNER',
  asset: 'XCN',
  amount: 2_000_000n,
  fee: 0n,
  feeBps: 0,
  outputAmount: 2_000_000n,
  sender: `0x${'1'.repeat(40)}`,
  recipient: `0x${'2'.repeat(40)}`,
  originChainId: 1,
  destinationChainId: 2,
  originNonce: 0n,
  requiredConfirmations: 12,
  status: 'COMPLETED',
  origin: { txHash: ORIGIN, logIndex: 0, blockNumber: 5n, blockHash: hash('c') },
  originConfirmations: 12,
  finalizedAt: at(2),
  holdUntil: null,
  holdReleasedAt: null,
  delayedReason: null,
  delayedSince: null,
  attempts: 2,
  nextAttemptAt: null,
  destinationTxHash: DELIVERY,
  settlement: { txHash: DELIVERY, settledAt: at(28), blockNumber: 9n, credited: false },
  failureReason: null,
  refundId: null,
  expiredAt: null,
  quotedCompletionAt: null,
  createdAt: at(1),
  updatedAt: at(30),
};

/** The clock of the chain is two seconds behind the one of the relayer, which signs. */
const history: OperationHistory = {
  operation,
  paidAt: null,
  events: [{ chainId: 2, name: 'Mint', txHash: DELIVERY, minedAt: at(28) }],
  calls: [
    {
      id: 1n,
      chainId: 2,
      address: `0x${'3'.repeat(40)}`,
      nonce: 7n,
      to: `0x${'4'.repeat(40)}`,
      data: '0x',
      value: 0n,
      purpose: 'DELIVERY',
      state: 'SUCCEEDED',
      retirementId: null,
      sweepId: null,
      refundId: null,
      operationIds: [operation.id],
      isCancelled: false,
      createdAt: at(30),
      cancelledAt: null,
      endedAt: at(28),
      txHash: DELIVERY,
      feePaid: 1n,
      transactions: [
        {
          hash: DELIVERY,
          raw: '0x',
          gas: 1n,
          maxFeePerGas: 1n,
          maxPriorityFeePerGas: 1n,
          isCancellation: false,
          createdAt: at(30, 100),
        },
      ],
    },
  ],
  delays: [
    { reason: 'FLOAT_SHORT', since: at(3, 1), endedAt: at(20, 1) },
    { reason: 'PAUSED', since: at(20, 1), endedAt: at(30, 99) },
  ],
  refund: null,
  audit: [],
};

describe('the timeline of an operation', () => {
  const told = timelineOf(history, (chainId) => (chainId === 1 ? 'ethereum' : 'partner'));

  it('puts causes before effects, and lists every reason for which it waited', () => {
    expect(told.map(({ event, cause }) => (event.startsWith('DELAY') ? `${event} ${cause}` : event))).toEqual([
      'CREATED',
      'FINAL',
      'DELAYED FLOAT_SHORT',
      'DELAYED PAUSED',
      'DELAY_ENDED PAUSED',
      'SIGNED',
      'MINED',
      'SETTLED',
      'CALL_ENDED',
    ]);
  });

  it('keeps the times that the chain and the relayer wrote', () => {
    expect(told.find(({ event }) => event === 'MINED')?.at).toBe(at(28).toISOString());
    expect(told.find(({ event }) => event === 'SIGNED')?.at).toBe(at(30, 100).toISOString());
  });
});
