import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { intentNonceHash } from '@causeway/protocol';
import { aHash, anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { aBlock, aDelivery, aDeposit, anIntent, aTransfer, CLIENT, opening, paying } from '../src/test/rows.js';
import { useStore, wallet } from './temporary-store.js';

const t = useStore();
const HEAD = new Date(1_900_000_000_000);
const later = (ms: number) => new Date(HEAD.getTime() + ms);

/** Ends the open reconciliation. */
const finish = async (known: bigint) =>
  t.store.requests.perform(
    { kind: 'finish-reconciliation', known: [{ wallet, nonce: known }] },
    { action: 'reconcile-finish', reason: 'a test' },
  );

const terms = (over: Parameters<typeof anIntent>[0] = {}) => anIntent({ recipient: anAddress(), ...over });

describe('a reconciliation', () => {
  it('is open once, until an operator ends it, and knows the nonces from then on', async () => {
    const { reconciliations } = t.store;
    expect(await finish(1n)).toBe(false);
    await reconciliations.begin(t.fence, 'the first');
    await reconciliations.begin(t.fence, 'the second');
    expect(await reconciliations.open()).toEqual({ reason: 'the first', readAt: null });
    expect(await reconciliations.nonces(wallet)).toEqual({ journal: 0n, known: 0n, read: 0n });
    await reconciliations.markRead(t.fence, [{ wallet, nonce: 7n }]);
    expect((await reconciliations.open())?.readAt).toBeInstanceOf(Date);
    expect(await finish(7n)).toBe(true);
    expect(await reconciliations.open()).toBeNull();
    expect(await reconciliations.nonces(wallet)).toEqual({ journal: 0n, known: 7n, read: 7n });
  });

  it('knows listed transactions and calls of the journal', async () => {
    const listed = { nonce: 9n, txHash: aHash(), minedAt: HEAD, payment: null, refundId: null };
    await t.store.unjournaled.add(t.fence, wallet, listed);
    expect(await t.store.reconciliations.nonces(wallet)).toMatchObject({ journal: 0n, known: 10n });
    await t.send({ purpose: 'NONCE_GAP' });
    expect(await t.store.reconciliations.nonces(wallet)).toMatchObject({ journal: 1n, known: 10n });
  });

  it('is quiet since the last unknown nonce, by the clocks of database and chain', async () => {
    const { reconciliations } = t.store;
    const of = { chainId: PARTNER, address: anAddress() };
    await reconciliations.see({ wallet: of, nonce: 5n }, HEAD);
    await sleep(5);
    await reconciliations.begin(t.fence, 'quiet');
    // Seen before it began.
    expect(await reconciliations.quiet(of, HEAD)).toBeNull();
    expect(await reconciliations.see({ wallet: of, nonce: 5n }, HEAD)).toBe(true);
    expect(await reconciliations.see({ wallet: of, nonce: 5n }, later(1_000))).toBe(false);
    const quiet = await reconciliations.quiet(of, later(60_000));
    expect(quiet?.byChainMs).toBe(60_000);
    expect(quiet?.byDatabaseMs).toBeLessThan(50_000);
    expect(await reconciliations.see({ wallet: of, nonce: 6n }, later(50_000))).toBe(true);
    expect((await reconciliations.quiet(of, later(60_000)))?.byChainMs).toBe(10_000);
    await finish(6n);
  });
});

describe('a released intent in a database with data', () => {
  const signed = { nonceHash: intentNonceHash('n'), deadlineSeconds: 2_000_000_000n, signature: '0x01' } as const;
  const expiresAt = new Date(2_000_000_000_000);

  /** A transfer and the release that names it, which the watch has found unknown. */
  async function released(intent = terms()) {
    await t.mine(PARTNER, { transfers: [aTransfer({ payer: intent.sender, amount: intent.amount })] });
    const { recipient, outputAmount, fee } = intent;
    const args = { recipient, token: anAddress(), amount: `${outputAmount}`, fee: `${fee}` };
    const block = await t.mine(ETHEREUM, { events: [{ ...paying(intent), args }] });
    await t.sql.query(`UPDATE chain_event SET verdict = 'ACCEPTED' WHERE operation_id = $1`, [intent.id]);
    return { intent, block };
  }
  const verdict = async (id: string) =>
    (await t.sql.query<{ verdict: string | null }>('SELECT verdict FROM chain_event WHERE operation_id = $1', [id]))
      .rows[0]?.verdict;
  const restore = async (intent: ReturnType<typeof terms>) => {
    const [payment] = await t.store.restore.unboundPayments(PARTNER, intent.sender, intent.amount);
    return t.store.restore.restoreIntent(t.fence, {
      terms: intent,
      payment: payment!,
      expiresAt,
      ...signed,
      nonceHash: aHash(),
    });
  };

  it('is judged again, and sums from its release on are computed again', async () => {
    const { intent, block } = await released();
    const total = { partnerChainId: PARTNER, ethereumChainId: ETHEREUM, minted: 0, withdrawn: 0, at: HEAD };
    for (const [partner, ethereum] of [
      [1n, block.number - 1n],
      [2n, block.number],
    ] as const)
      await t.sql.query(
        `INSERT INTO xcn_total (partner_chain_id, partner_block, ethereum_chain_id, ethereum_block, minted, withdrawn, at)
         VALUES ($1, $2, $3, $4, 0, 0, $5)`,
        [total.partnerChainId, partner, total.ethereumChainId, ethereum, total.at],
      );
    expect(await restore(intent)).toBe(true);
    expect(await t.operation(intent)).toMatchObject({ status: 'CONFIRMING' });
    expect(await verdict(intent.id)).toBeNull();
    expect((await t.sql.query('SELECT partner_block FROM xcn_total')).rows).toEqual([{ partner_block: '1' }]);
  });

  it('takes its transfer from a refund that waits for operators, which is refused', async () => {
    const { intent } = await released();
    const [arrival] = await t.store.refunds.findUnmatched(PARTNER, 1_000_000n);
    const failed = { ...arrival!, finalizedAt: HEAD, confirmations: 6 };
    const [operationId] = await t.store.refunds.failArrivals(t.fence, [failed], {
      ethereum: ETHEREUM,
      partner: PARTNER,
    });
    expect(await restore(intent)).toBe(true);
    expect(await t.operation(intent)).toMatchObject({ status: 'CONFIRMING' });
    const { rows } = await t.sql.query('SELECT status FROM refund WHERE operation_id = $1', [operationId]);
    expect(rows).toEqual([{ status: 'REFUSED' }]);
    expect(await t.store.refunds.findUnmatched(PARTNER, 1_000_000n)).toEqual([]);
  });

  it('that is stored and unpaid gets the transfer that its release names', async () => {
    const intent = terms();
    const { id, sender } = intent;
    const accepted = {
      id,
      sender,
      nonce: 'm',
      idempotencyKey: aHash(),
      ...CLIENT,
      ...signed,
      nonceHash: intentNonceHash('m'),
      expiresAt,
    };
    await t.store.intents.register(intent, accepted);
    await released(intent);
    expect((await t.store.restore.unknownReleases(null)).map(({ operationId }) => operationId)).toContain(id);
    expect(await restore(intent)).toBe(true);
    expect(await t.operation(intent)).toMatchObject({ status: 'CONFIRMING' });
    expect(await t.store.intents.find(id)).toMatchObject({ nonce: 'm' });
  });
});

describe('a completed operation', () => {
  it('is found when its delivery is not among the events', async () => {
    const deposit = await t.due(aDeposit());
    const delivery = await t.mine(PARTNER, { events: [paying(deposit)] });
    await t.store.operations.settleAll(t.fence, [aDelivery(PARTNER, delivery)]);
    const { comparison } = t.store;
    expect(await comparison.undelivered(PARTNER, delivery.number)).toEqual([]);
    await t.sql.query(`DELETE FROM chain_event WHERE operation_id = $1 AND name = 'Mint'`, [deposit.id]);
    expect(await comparison.undelivered(PARTNER, delivery.number - 1n)).toEqual([]);
    expect(await comparison.undelivered(PARTNER, delivery.number)).toEqual([deposit.id]);
  });
});

describe('events that differ from the chain', () => {
  it('are replaced; missing ones open their operations', async () => {
    const [missing, edited] = [aDeposit(), aDeposit()];
    const block = await t.mine(ETHEREUM, { events: [{ ...opening(edited), args: { amount: '7' } }] });
    await t.mine(PARTNER, { events: [paying(edited)] });
    await t.sql.query(`UPDATE chain_event SET verdict = 'UNKNOWN' WHERE operation_id = $1 AND name = 'Mint'`, [
      edited.id,
    ]);
    const [event] = block.events;
    const real = { ...event!, args: { amount: `${edited.amount}` } };
    const events = [real, { ...opening(missing), logIndex: event!.logIndex + 1 }];
    const { number, hash, timestamp } = block;
    const { comparison } = t.store;
    expect(await comparison.restoreEvents(t.fence, ETHEREUM, { ...aBlock(number), hash, timestamp, events })).toBe(
      true,
    );
    const stored = await comparison.events(ETHEREUM, number, number);
    expect(stored.map(({ operationId, args }) => [operationId, args])).toEqual(
      expect.arrayContaining([
        [edited.id, real.args],
        [missing.id, expect.anything()],
      ]),
    );
    expect((await comparison.terms([missing.id, edited.id])).map(({ id }) => id).toSorted()).toEqual(
      [missing.id, edited.id].toSorted(),
    );
    expect((await comparison.beginnings([edited.id])).get(edited.id)).toEqual(real.args);
    const mint = `SELECT verdict FROM chain_event WHERE operation_id = $1 AND name = 'Mint'`;
    expect((await t.sql.query(mint, [edited.id])).rows).toEqual([{ verdict: null }]);
  });
});
