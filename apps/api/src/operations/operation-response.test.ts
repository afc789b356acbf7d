import { describe, expect, it } from '@jest/globals';
import { isTerminal, OPERATION_STATUSES, type TimingTerms } from '@causeway/protocol';
import { bridgeOperationResponseSchema } from '@causeway/protocol/rest';
import type { Operation } from '@causeway/store';
import { aBurn, anOperation } from '@causeway/store/test';
import type { Hex } from 'viem';
import { estimateCompletion, toOperationResponse } from './operation-response.js';

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const NOW = 1_800_000_000_000;
const timing: TimingTerms = {
  ethereumConfirmations: 12,
  partnerConfirmations: 6,
  holdSeconds: 3_600,
  blockSeconds: { ethereum: 12, partner: 2 },
};

const moment = { timing, nowMs: NOW, isRelayerAway: false, isChainStill: false };

const burn = anOperation(
  aBurn({ id: hash('a'), amount: 2_400_500_000n, fee: 6_001_250n, outputAmount: 2_394_498_750n }),
  {
    finalizedAt: new Date(NOW - 1_000),
    holdUntil: new Date(NOW + 3_599_000),
    holdReleasedAt: null,
    quotedCompletionAt: new Date(NOW + 3_743_000),
    createdAt: new Date(NOW - 13_000),
    updatedAt: new Date(NOW - 1_000),
  },
);

describe('toOperationResponse', () => {
  it('shows a withdrawal in its hold', () => {
    const response = toOperationResponse(burn, moment);
    expect(bridgeOperationResponseSchema.parse(response)).toMatchObject({
      amountFormatted: '2400.5',
      fee: { amount: '6001250', formatted: '6.00125', bps: 25 },
      outputAmountFormatted: '2394.49875',
      withdrawId: burn.id,
      depositId: null,
      intentId: null,
      holdUntil: new Date(NOW + 3_599_000).toISOString(),
      estimatedCompletionTime: new Date(NOW + 3_599_000 + 144_000).toISOString(),
      settlement: null,
    });
  });

  it('shows no hold after its end, and the final delivery', () => {
    const settlement = { txHash: hash('d'), blockNumber: 77n, settledAt: new Date(NOW), credited: true };
    const done: Operation = {
      ...burn,
      status: 'COMPLETED',
      holdReleasedAt: new Date(NOW),
      destinationTxHash: hash('d'),
      settlement,
    };
    expect(toOperationResponse(done, moment)).toMatchObject({
      holdUntil: null,
      estimatedCompletionTime: null,
      settlement: {
        chainId: 31_337,
        txHash: hash('d'),
        blockNumber: 77,
        amount: '2394498750',
        recipient: burn.recipient,
        credited: true,
      },
    });
  });

  it('is valid for every status and kind, even without an origin', () => {
    for (const status of OPERATION_STATUSES) {
      for (const kind of ['DEPOSIT', 'BURN', 'INTENT'] as const) {
        const direction = kind === 'DEPOSIT' ? 'ETHEREUM_TO_PARTNER' : 'PARTNER_TO_ETHEREUM';
        const response = toOperationResponse({ ...burn, kind, direction, status, origin: null }, moment);
        expect(bridgeOperationResponseSchema.safeParse(response).success).toBe(true);
        expect(response.fee === null).toBe(kind === 'DEPOSIT');
      }
    }
  });
});

describe('estimateCompletion', () => {
  const now = new Date(NOW);
  it.each<[Partial<Operation>, number | null]>([
    [{ status: 'CONFIRMING', originConfirmations: 2 }, 4 * 2_000 + 3_600_000 + 144_000],
    [{ status: 'CONFIRMING', originConfirmations: 99 }, 3_600_000 + 144_000],
    [{ status: 'AWAITING_RELAY', holdUntil: new Date(NOW + 60_000) }, 60_000 + 144_000],
    [{ status: 'AWAITING_RELAY', holdUntil: new Date(NOW - 5) }, 144_000],
    [{ status: 'PROCESSING_DESTINATION' }, 144_000],
    [{ status: 'PROCESSING_DESTINATION', direction: 'ETHEREUM_TO_PARTNER' }, 12_000],
    [
      { status: 'CONFIRMING', direction: 'ETHEREUM_TO_PARTNER', requiredConfirmations: 12, originConfirmations: 1 },
      11 * 12_000 + 12_000,
    ],
    [{ status: 'DELAYED' }, null],
    [{ status: 'DELAYED', delayedReason: 'OUTFLOW_LIMIT', nextAttemptAt: new Date(NOW + 5_000) }, null],
    [{ status: 'PENDING_ORIGIN_TX' }, null],
    [{ status: 'FAILED' }, null],
    [{ status: 'EXPIRED' }, null],
    [{ status: 'COMPLETED' }, null],
  ])('of %o is in %s ms', (over, inMs) => {
    expect(
      estimateCompletion({ ...burn, quotedCompletionAt: null, updatedAt: now, ...over }, moment)?.getTime() ?? null,
    ).toBe(inMs === null ? null : NOW + inMs);
  });

  it('counts from the last step, and is null once the usual time has passed', () => {
    const sent: Operation = { ...burn, status: 'PROCESSING_DESTINATION', updatedAt: now };
    expect(estimateCompletion(sent, { ...moment, nowMs: NOW + 143_000 })?.getTime()).toBe(NOW + 144_000);
    expect(estimateCompletion(sent, { ...moment, nowMs: NOW + 144_000 })).toBeNull();
    const held: Operation = { ...burn, holdUntil: new Date(NOW + 60_000), updatedAt: now };
    expect(estimateCompletion(held, { ...moment, nowMs: NOW + 204_001 })).toBeNull();
  });

  it('counts blocks of 1 s, whatever was quoted', () => {
    const quick = { ...moment, timing: { ...timing, blockSeconds: { ethereum: 1, partner: 1 } } };
    const deposit: Operation = {
      ...burn,
      kind: 'DEPOSIT',
      direction: 'ETHEREUM_TO_PARTNER',
      status: 'CONFIRMING',
      requiredConfirmations: 12,
      originConfirmations: 1,
      updatedAt: now,
    };
    expect(estimateCompletion(deposit, quick)?.getTime()).toBe(NOW + 17_000);
  });

  it('is null while a chain stands still; the quoted completion time stays', () => {
    expect(toOperationResponse(burn, { ...moment, isChainStill: true })).toMatchObject({
      estimatedCompletionTime: null,
      quotedCompletionTime: new Date(NOW + 3_743_000).toISOString(),
      stalledReason: null,
    });
  });

  it('is null while no relayer works, whatever the status; the quoted completion time stays', () => {
    for (const status of OPERATION_STATUSES) {
      const answer = toOperationResponse({ ...burn, status }, { ...moment, isRelayerAway: true });
      expect(answer).toMatchObject({
        estimatedCompletionTime: null,
        quotedCompletionTime: new Date(NOW + 3_743_000).toISOString(),
        stalledReason: isTerminal(status) ? null : 'RELAYER_AWAY',
      });
    }
  });
});
