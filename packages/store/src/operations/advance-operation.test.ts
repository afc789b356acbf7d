import { describe, expect, it } from '@jest/globals';
import type { Operation as OperationModel } from '../generated/prisma/client.js';
import { columnsAfter, IllegalTransitionError } from './advance-operation.js';

const [EARLIER, NOW] = [new Date(1_000), new Date(2_000)];

/** A final operation that awaits delivery. */
function aFinalRow(over: Partial<OperationModel> = {}): OperationModel {
  const nothing = { destinationTxHash: null, delayedReason: null, delayedSince: null, settledAt: null };
  const row = { id: '0x01', status: 'AWAITING_RELAY', originTxHash: '0x02', finalizedAt: EARLIER, ...nothing };
  return { ...row, failureReason: null, expiredAt: null, ...over } as OperationModel;
}
const delayed = aFinalRow({ status: 'DELAYED', delayedReason: 'PAUSED', delayedSince: EARLIER });

describe('columnsAfter', () => {
  it.each<[string, OperationModel, Parameters<typeof columnsAfter>[1], string, Date | null]>([
    ['a delay begins now', aFinalRow(), { delayedReason: 'PAUSED' }, 'DELAYED', NOW],
    ['a delay keeps its start', delayed, { attempts: 3 }, 'DELAYED', EARLIER],
    ['a delay keeps its start with another reason', delayed, { delayedReason: 'FLOAT_SHORT' }, 'DELAYED', EARLIER],
    [
      'a delay ends with the next broadcast',
      delayed,
      { destinationTxHash: '0x03', delayedReason: null },
      'PROCESSING_DESTINATION',
      null,
    ],
    ['other steps have no delay', aFinalRow(), { holdReleasedAt: NOW }, 'AWAITING_RELAY', null],
  ])('%s', (_, before, change, status, delayedSince) => {
    expect(columnsAfter(before, change, NOW)).toEqual({ ...change, status, delayedSince });
  });

  it('refuses a transition that is not allowed', () => {
    expect(() => columnsAfter(delayed, { expiredAt: NOW }, NOW)).toThrow(IllegalTransitionError);
  });
});
