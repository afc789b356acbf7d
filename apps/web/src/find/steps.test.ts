import { describe, expect, it } from '@jest/globals';
import type { BridgeOperationResponse, OperationStatus } from '@causeway/sdk';
import { listSteps } from './steps.js';

const HASH = `0x${'ab'.repeat(32)}` as const;

const KINDS = {
  DEPOSIT: { depositId: HASH, withdrawId: null, intentId: null, asset: 'ETH' },
  BURN: { depositId: null, withdrawId: HASH, intentId: null, asset: 'USDC' },
  NATIVE_WITHDRAWAL: { depositId: null, withdrawId: HASH, intentId: null, asset: 'XCN' },
  INTENT: { depositId: null, withdrawId: HASH, intentId: HASH, asset: 'XCN' },
  TRANSFER: { depositId: null, withdrawId: null, intentId: null, asset: 'XCN' },
} as const;

function makeOperation(kind: keyof typeof KINDS, status: OperationStatus): BridgeOperationResponse {
  const isPaid = status !== 'PENDING_ORIGIN_TX' && status !== 'EXPIRED';
  const isFinal = isPaid && status !== 'CONFIRMING';
  return {
    ...KINDS[kind],
    status,
    originTxHash: isPaid ? HASH : null,
    destinationTxHash: status === 'PROCESSING_DESTINATION' || status === 'COMPLETED' ? HASH : null,
    originConfirmations: isFinal ? 12 : 1,
    requiredConfirmations: 12,
    settlement: status === 'COMPLETED' ? { settledAt: 'settled' } : null,
    holdUntil: status === 'AWAITING_RELAY' && kind !== 'DEPOSIT' ? 'until' : null,
    delayedReason: status === 'DELAYED' ? 'PAUSED' : null,
    delayedSince: status === 'DELAYED' ? 'since' : null,
    createdAt: 'created',
    updatedAt: 'updated',
  } as BridgeOperationResponse;
}

const times = { block: '7', minedAt: 'mined', finalAt: 'final' };
const list = (kind: keyof typeof KINDS, status: OperationStatus, origin: typeof times | null = times) =>
  listSteps(makeOperation(kind, status), origin, origin).map(({ key, at }) => `${key} ${at ?? '…'}`);

describe('the steps of a transfer', () => {
  const TO_COME = ['delivered …', 'settled …'];

  it.each(['DEPOSIT', 'BURN', 'NATIVE_WITHDRAWAL', 'INTENT'] as const)('follow the statuses of a %s', (kind) => {
    const first = kind === 'INTENT' ? ['signed created'] : [];
    expect(list(kind, 'CONFIRMING')).toEqual([...first, 'sent mined', 'final …', ...TO_COME]);
    const paid = [...first, 'sent mined', 'final final'];
    const held = kind === 'DEPOSIT' ? [] : ['held …'];
    expect(list(kind, 'AWAITING_RELAY')).toEqual([...paid, ...held, ...TO_COME]);
    expect(list(kind, 'DELAYED')).toEqual([...paid, 'delayed since', ...TO_COME]);
    expect(list(kind, 'PROCESSING_DESTINATION')).toEqual([...paid, 'delivered mined', 'settled …']);
    expect(list(kind, 'COMPLETED')).toEqual([...paid, 'delivered mined', 'settled settled']);
    expect(list(kind, 'FAILED')).toEqual([...paid, 'failed updated']);
  });

  it('of an intent begin before its payment', () => {
    expect(list('INTENT', 'PENDING_ORIGIN_TX')).toEqual(['signed created', 'sent …', 'final …', ...TO_COME]);
    expect(list('INTENT', 'EXPIRED')).toEqual(['signed created', 'expired updated']);
  });

  it('of a payment that crosses no bridge end with its failure', () => {
    expect(list('TRANSFER', 'FAILED')).toEqual(['sent mined', 'failed updated']);
  });

  it('have the times of the API where no node answers', () => {
    expect(list('DEPOSIT', 'COMPLETED', null)).toEqual([
      'sent created',
      'final …',
      'delivered settled',
      'settled settled',
    ]);
  });
});
