import { describe, expect, it } from '@jest/globals';
import { aHash, anAddress, PARTNER } from '@causeway/test-kit';
import { wallet, useStore } from '../temporary-store.js';
import { aBlock, anIntent, aTransfer, CLIENT } from '../../src/test/rows.js';

const t = useStore();

describe('the account of a wallet', () => {
  it('sums the transfers of a range, and keeps differences until they are explained', async () => {
    const { audits } = t.store;
    const start = await t.mine(PARTNER);
    await t.mine(PARTNER, { transfers: [aTransfer({ amount: 3n }), aTransfer({ amount: 4n })] });
    const end = await t.mine(PARTNER, { transfers: [aTransfer({ amount: 5n, wallet: anAddress() })] });
    expect(await audits.received(wallet, 'XCN', start.number, end.number)).toBe(7n);
    expect(await audits.received(wallet, 'XCN', start.number + 1n, end.number)).toBe(0n);
    expect(await audits.received(wallet, 'XCN', start.number, end.number + 1n)).toBeNull();
    expect(await audits.last(wallet)).toBeNull();
    const state = { blockNumber: end.number, balance: 10n ** 30n, nonce: 2n };
    const found = { since: null, block: end, transfers: [], dust: [], difference: -9n };
    expect(await audits.advance(t.fence, wallet, { state, ...found })).toBe(true);
    expect(await audits.last(wallet)).toEqual(state);
    expect(await audits.unexplained()).toMatchObject([
      { blockNumber: end.number, amount: -9n, wallet: wallet.address },
    ]);
    expect(await audits.explain(PARTNER, end.number + 1n, 'why')).toBe(false);
    expect(await audits.explain(PARTNER, end.number, 'why')).toBe(true);
    expect(await audits.unexplained()).toEqual([]);
  });

  const stateAt = (blockNumber: bigint, balance = 0n) => ({ blockNumber, balance, nonce: 0n });
  const nothing = { since: null, transfers: [], dust: [], difference: 0n };

  it("stores internal transfers with their block, each of which pays its account's intent", async () => {
    const { audits, intents } = t.store;
    const [one, other] = [aTransfer({ callIndex: 3 }), aTransfer({ callIndex: 9 })];
    const bundle = [one, { ...other, txHash: one.txHash }];
    const terms = await Promise.all(
      bundle.map(async ({ payer: sender, amount }) => {
        const intent = anIntent({ sender, amount });
        const signed = { id: intent.id, sender, signature: '0x01' as const, deadlineSeconds: 2_000_000_000n };
        const keys = { nonce: aHash(), idempotencyKey: aHash(), ...CLIENT, expiresAt: new Date(Date.now() + 600_000) };
        await intents.register(intent, { ...signed, ...keys });
        return intent;
      }),
    );
    const block = await t.mine(PARTNER, { timestamp: new Date() });
    const state = stateAt(block.number, 2_000n);
    expect(await audits.advance(t.fence, wallet, { ...nothing, state, block, transfers: bundle })).toBe(true);
    expect(await audits.received(wallet, 'XCN', block.number - 1n, block.number)).toBe(2_000n);
    const unbound = await intents.findUnbound(PARTNER);
    expect(unbound.map(({ key, candidates }) => [key.callIndex, candidates.map(({ id }) => id)])).toEqual([
      [3, [terms[0]!.id]],
      [9, [terms[1]!.id]],
    ]);
    for (const { key, candidates } of unbound) expect(await intents.bind(t.fence, key, candidates[0]!.id)).toBe(true);
    await t.store.scan.rollBack(t.fence, PARTNER, block.number - 1n);
    expect(await audits.received(wallet, 'XCN', block.number - 1n, block.number)).toBeNull();
    for (const intent of terms)
      expect(await t.operation(intent)).toMatchObject({ status: 'PENDING_ORIGIN_TX', origin: null });
  });

  it('sums dust per payer, counts it as received, removes it with its block, and merges old rows', async () => {
    const { audits, scan } = t.store;
    const payer = anAddress();
    const dust = { wallet: wallet.address, asset: 'XCN' as const, payer, amount: 5n, transfers: 3 };
    const rows = async () => {
      const text = 'SELECT block_number, amount, transfers FROM dust WHERE payer = $1 ORDER BY block_number';
      return (await t.sql.query<Record<string, string>>(text, [payer])).rows.map((row) =>
        Object.values(row).map(BigInt),
      );
    };
    const [first, second] = [await t.mine(PARTNER, { dust: [dust] }), await t.mine(PARTNER, { dust: [dust] })];
    expect(await audits.received(wallet, 'XCN', first.number - 1n, second.number)).toBe(10n);
    const found = { ...nothing, dust: [dust], state: stateAt(second.number), block: second };
    await audits.advance(t.fence, wallet, found);
    expect(await rows()).toEqual([
      [first.number, 5n, 3n],
      [second.number, 10n, 6n],
    ]);
    expect(await t.store.reconcile.dust()).toEqual([{ chainId: PARTNER, asset: 'XCN', amount: 15n, transfers: 9n }]);
    await scan.rollBack(t.fence, PARTNER, first.number);
    expect(await rows()).toEqual([[first.number, 5n, 3n]]);
    const from = (await scan.cursor(PARTNER))!.nextBlock;
    const late = aBlock(first.number + 5_000n, { dust: [dust] });
    await scan.extend(t.fence, PARTNER, [late], late.number, from);
    await audits.advance(t.fence, wallet, { ...nothing, state: stateAt(late.number), block: late });
    expect(await rows()).toEqual([
      [0n, 5n, 3n],
      [late.number, 5n, 3n],
    ]);
  });

  it('rolls back to the last remaining block after a reorg', async () => {
    const { audits, scan } = t.store;
    const blocks = [await t.mine(PARTNER), await t.mine(PARTNER), await t.mine(PARTNER)];
    for (const block of blocks)
      await audits.advance(t.fence, wallet, { ...nothing, state: stateAt(block.number), block, difference: 1n });
    await scan.rollBack(t.fence, PARTNER, blocks[0]!.number);
    expect(await audits.last(wallet)).toEqual(stateAt(blocks[0]!.number));
    expect((await audits.unexplained()).map(({ blockNumber }) => blockNumber)).toEqual([blocks[0]!.number]);
    const again = await t.mine(PARTNER);
    const next = await t.mine(PARTNER);
    const advance = (since: bigint) =>
      audits.advance(t.fence, wallet, { ...nothing, since, state: stateAt(next.number), block: next });
    // A total from a removed block is wrong.
    expect(await advance(again.number)).toBe(false);
    expect(await advance(blocks[0]!.number)).toBe(true);
    await audits.explain(PARTNER, blocks[0]!.number, 'a test');
  });

  it('stores nothing for a removed or unread block, nor while the chain is halted', async () => {
    const { audits, halts } = t.store;
    const block = await t.mine(PARTNER);
    const advance = (number: bigint, hash = block.hash) =>
      audits.advance(t.fence, wallet, { ...nothing, state: stateAt(number), block: { ...block, hash } });
    expect(await advance(block.number, aHash())).toBe(false);
    expect(await advance(block.number + 1n)).toBe(false);
    await halts.halt(PARTNER, 'a test');
    expect(await advance(block.number)).toBe(false);
    const [halt] = await halts.list();
    await halts.lift(halt!);
    expect(await advance(block.number)).toBe(true);
  });
});
