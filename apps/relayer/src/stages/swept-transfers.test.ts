import type { UnsweptTransfer } from '@causeway/store';
import { aHash, anAddress } from '@causeway/test-kit';
import { expect, it } from '@jest/globals';
import { findSweeps, getTransferId, type SweptEvent } from './swept-transfers.js';

const CHAIN = 8_901;
const transfer = (amount: bigint): UnsweptTransfer => ({
  operationId: aHash(),
  wallet: anAddress('the relayer'),
  txHash: aHash(),
  callIndex: 0,
  blockNumber: 1n,
  amount,
});
const event = (swept: UnsweptTransfer, txHash = aHash(), amount = swept.amount): SweptEvent => ({
  transferId: getTransferId(CHAIN, swept),
  amount,
  txHash,
  blockNumber: 9n,
});

it('finds one sweep per transaction, with the transfers that it moved in full', () => {
  const [one, two, three, partly] = [transfer(1n), transfer(2n), transfer(3n), transfer(4n)];
  const both = aHash();
  const events = [event(one, both), event(two, both), event(three), event(partly, aHash(), 3n)];
  expect(findSweeps(CHAIN, [one, two, three, partly], events)).toEqual([
    { operationIds: [one.operationId, two.operationId], amount: 3n, blockNumber: 9n },
    { operationIds: [three.operationId], amount: 3n, blockNumber: 9n },
  ]);
});

it('assigns a transfer that was swept twice to the first sweep, and ignores sweeps of other transfers', () => {
  const swept = transfer(1n);
  const sweeps = findSweeps(CHAIN, [swept], [event(transfer(1n)), event(swept), event(swept)]);
  expect(sweeps).toEqual([{ operationIds: [swept.operationId], amount: 1n, blockNumber: 9n }]);
});
