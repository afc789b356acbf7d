import { describe, expect, it } from '@jest/globals';
import { aDeposit, anOperation } from '@causeway/store/test';
import type { Hex } from 'viem';
import { buildTimeline, type OperationHistory } from './timeline.js';

const at = (second: number, ms = 0) => new Date(Date.UTC(2026, 10, 25, 3, 0, second, ms));
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const [ORIGIN, DELIVERY] = [hash('a'), hash('b')];

const operation = anOperation(
  aDeposit({ id: hash('1'), asset: 'XCN', amount: 2_000_000n, originChainId: 1, destinationChainId: 2 }),
  {
    status: 'COMPLETED',
    origin: { txHash: ORIGIN, logIndex: 0, blockNumber: 5n, blockHash: hash('c') },
    finalizedAt: at(2),
    holdReleasedAt: null,
    attempts: 2,
    destinationTxHash: DELIVERY,
    settlement: { txHash: DELIVERY, settledAt: at(28), blockNumber: 9n, credited: false },
    createdAt: at(1),
    updatedAt: at(30),
  },
);

/** The chain's clock is two seconds behind the relayer's, and the database's a few milliseconds. */
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
          createdAt: at(30, 90),
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

const retry: OperationHistory['audit'][number] = {
  sequence: 1,
  at: at(25),
  actor: operation.sender,
  role: 'operator',
  sessionId: null,
  action: 'retry',
  subject: operation.id,
  before: null,
  after: null,
  reason: 'the float is funded',
  txHash: null,
  previousHash: hash('d'),
  hash: hash('e'),
};

describe('the timeline of an operation', () => {
  const told = buildTimeline(history, (chainId) => (chainId === 1 ? 'ethereum' : 'partner'));

  it('puts causes before effects, and lists every delay reason', () => {
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

  it('lists the origin first when its chain is ahead, and in the second in which it becomes final', () => {
    const held = { finalizedAt: at(3), holdUntil: at(4), holdReleasedAt: at(2, 500) };
    const early = { ...history, operation: { ...operation, ...held, createdAt: at(3) } };
    const events = buildTimeline(early, () => 'partner').map(({ event }) => event);
    expect(events.slice(0, 5)).toEqual(['CREATED', 'FINAL', 'HELD', 'RELEASED', 'DELAYED']);
  });

  it('places an action of a member at its own time', () => {
    const events = buildTimeline({ ...history, audit: [retry] }, () => 'partner').map(({ event }) => event);
    expect(events.slice(3, 6)).toEqual(['DELAYED', 'RETRY', 'DELAY_ENDED']);
  });

  it('keeps the recorded times of the chain and the relayer', () => {
    expect(told.find(({ event }) => event === 'MINED')?.at).toBe(at(28).toISOString());
    expect(told.find(({ event }) => event === 'SIGNED')?.at).toBe(at(30, 90).toISOString());
  });
});
