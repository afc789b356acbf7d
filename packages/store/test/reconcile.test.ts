import { describe, expect, it } from '@jest/globals';
import type { BridgeEvent } from '@causeway/protocol';
import { aHash, anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { useStore } from './temporary-store.js';
import { aDeposit, opening, paying, aTransfer } from '../src/test/rows.js';

const CHAINS = { ethereum: ETHEREUM, partner: PARTNER };
const t = useStore();

describe('after the restore of an old backup', () => {
  it('lists a release of an unknown intent, and the transfer that must not be refunded', async () => {
    const known = aDeposit();
    await t.mine(ETHEREUM, { events: [opening(known)] });
    await t.mine(PARTNER, { events: [paying(known)] });
    const transfer = aTransfer();
    const orphan = aTransfer({ amount: 777n });
    await t.mine(PARTNER, { transfers: [transfer, orphan] });
    const release: BridgeEvent = {
      txHash: aHash(),
      logIndex: 0,
      name: 'Release',
      operationId: aHash(),
      args: { amount: '990', fee: '10', recipient: anAddress(), token: anAddress() },
    };
    await t.mine(ETHEREUM, { events: [release] });
    const { operationId, txHash, args } = release;
    expect(await t.store.reconcile.deliveriesWithoutOperation()).toEqual([
      { chainId: ETHEREUM, name: 'Release', operationId, txHash, args },
    ]);
    const transfers = await t.store.reconcile.transfersWithoutIntent();
    expect(transfers).toHaveLength(2);
    expect(transfers.find((each) => each.txHash === transfer.txHash)?.maybePaidBy).toEqual([operationId]);
    expect(transfers.find((each) => each.txHash === orphan.txHash)).toMatchObject({ amount: 777n, maybePaidBy: [] });
    const seen = { finalizedAt: new Date(), confirmations: 6, blockNumber: 2n, blockHash: aHash() };
    const unmatched = await t.store.refunds.findUnmatched(PARTNER, 100n);
    await t.store.refunds.failArrivals(
      t.fence,
      unmatched.map((each) => ({ ...seen, ...each })),
      CHAINS,
    );
    const objectionTo = async ({ amount }: { readonly amount: bigint }, reason: string) => {
      const refund = (await t.store.refunds.findOpen()).find((each) => each.amount === amount)!;
      const terms = {
        kind: 'REFUND_APPROVE',
        refundId: refund.id,
        recipient: refund.payer,
        amount: `${amount}`,
      } as const;
      return t.store.requests.findObjection({ terms, reason });
    };
    expect(await objectionTo(transfer, 'they wrote to us')).toContain(
      `The release ${operationId} may already have paid`,
    );
    expect(await objectionTo(transfer, `not ${operationId.slice(0, 10)}`)).toBeNull();
    expect(await objectionTo(orphan, 'they wrote to us')).toBeNull();
  });
});

describe('after an accepted reorg', () => {
  it('lists a deposit with the number of another one', async () => {
    const terms = aDeposit();
    const args = { sender: terms.sender, recipient: terms.recipient, amount: '1000' };
    const block = await t.mine(ETHEREUM, { events: [{ ...opening(terms), args }] });
    const seen = { blockHash: block.hash, confirmations: 12, finalizedAt: block.timestamp, holdUntil: null };
    await t.store.operations.finalizeAll(t.fence, [{ operationId: terms.id, ...seen }]);
    await t.store.halts.halt(ETHEREUM, 'finality broken');
    const [halt] = await t.store.halts.list();
    await t.store.halts.liftAndRollBack(halt!, block.number - 1n);
    expect(await t.store.reconcile.beginningsWithoutOperation()).toEqual([]);
    const other = { ...terms, recipient: anAddress() };
    const taking = { ...opening(other), args: { ...args, recipient: other.recipient } };
    await t.mine(ETHEREUM, { events: [taking] });
    expect(await t.store.reconcile.beginningsWithoutOperation()).toMatchObject([{ txHash: taking.txHash }]);
  });
});
