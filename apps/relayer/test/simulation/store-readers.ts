import type { Store } from '@causeway/store';
import { ETHEREUM, PARTNER } from '@causeway/test-kit';
import { zeroAddress } from 'viem';
import { CHAINS, OPERATORS, SENDERS, wallets, type Script } from './store-script.js';

const EVERYTHING = 10n ** 9n;

/** Compares everything that the readers of the stores can show. */
export async function compareRows(script: Script): Promise<void> {
  const { memory } = script;
  const known = {
    operations: [...memory.operations.all()].map(({ id }) => id),
    intents: [...memory.intents.all()],
    hashes: [...new Set([...memory.transfers.all()].map(({ txHash }) => txHash))],
    calls: [...memory.calls.all()],
    refunds: [...memory.refunds.all()],
    requests: [...memory.requests.all()],
    blocks: memory.events.filter(() => true).map(({ blockNumber }) => blockNumber),
  };
  const both = (label: string, read: (store: Store) => Promise<unknown>) => script.pair.both(label, read);

  await both('operations', async ({ operations }) =>
    (await operations.findByIds(known.operations)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  );
  await both('intents', async ({ intents }) => {
    const found = [];
    for (const { id, sender, idempotencyKey } of known.intents)
      found.push(await intents.find(id), await intents.findByKey(sender, idempotencyKey ?? ''));
    return found;
  });
  await both('transfers', async ({ intents }) => {
    const found = [];
    for (const txHash of known.hashes) found.push(await intents.findTransfers(txHash));
    return found;
  });
  await both('calls', async ({ journal }) => {
    const found = [];
    for (const call of known.calls) found.push(await journal.withNonce(call, call.nonce));
    return found;
  });
  await both('refunds', async ({ refunds }) => {
    const found: unknown[] = [await refunds.findOpen()];
    for (const { id } of known.refunds) found.push(await refunds.find(id), await refunds.arrival(id));
    const approved = await refunds.findApproved();
    return [...found, await refunds.findRejected(), approved.map(({ id }) => id).toSorted()];
  });
  await both('requests', async ({ requests }) => {
    const found: unknown[] = [];
    for (const { id } of known.requests) found.push(await requests.find(id));
    return [...found, await requests.findQueued(), await requests.findOverdue(script.time(0))];
  });
  for (const chainId of CHAINS) {
    const time = script.time(script.upTo(60));
    const number = script.head(chainId) - BigInt(script.upTo(6));
    await both(`blocks of ${chainId}`, async ({ scan }) => [
      await scan.cursor(chainId),
      await scan.progress(chainId),
      await scan.latestBlock(chainId),
      await scan.block(chainId, number),
      await scan.blockBelow(chainId, number),
      await scan.blockUntil(chainId, number, time),
      await scan.nextOriginNumber(chainId),
    ]);
    await both(`old blocks of ${chainId}`, async ({ scan }) => {
      const found = [];
      for (const block of new Set(known.blocks)) found.push(await scan.block(chainId, block));
      return found;
    });
    await both(`queues of ${chainId}`, async ({ operations, intents, refunds }) => [
      await operations.findConfirming(chainId),
      await operations.findHoldsOver(chainId, time),
      await operations.findDue(chainId, script.time(5), 20),
      await operations.findFinalDeliveries(chainId, EVERYTHING, null, 500),
      await operations.findFinalDeliveries(chainId, number, null, 500),
      await intents.findUnbound(chainId),
      await intents.findExchanges(chainId),
      await intents.findClosedWindows(chainId, time),
      await refunds.findUnmatched(chainId, number),
      await refunds.findPaid(chainId, EVERYTHING),
    ]);
    await both(`verdicts of ${chainId}`, ({ verdicts }) => verdicts.unjudged(chainId, 100));
  }
  for (const wallet of wallets) {
    const nonce = BigInt(script.upTo(4));
    const ethereumBlock = script.head(ETHEREUM) - BigInt(script.upTo(3));
    const to = script.head(wallet.chainId) - BigInt(script.upTo(2));
    await both(`wallet of ${wallet.chainId}`, async ({ journal, sweeps, audits }) => [
      await journal.nextNonce(wallet),
      await journal.pending(wallet),
      await journal.inFlight(wallet, nonce),
      await journal.feesPaidSince(wallet, new Date(0)),
      await journal.feesPaidSince(wallet, script.time(0)),
      await journal.mintsFrom(wallet, nonce, 'USDC', ethereumBlock),
      await sweeps.findUnswept(wallet),
      await sweeps.keptBack(wallet),
      await audits.last(wallet),
      await audits.received(wallet, 'XCN', -1n, to),
      await audits.received(wallet, 'ETH', 3n, script.head(wallet.chainId)),
    ]);
  }
  await both('reverted', ({ journal }) => journal.countReverted(known.operations));
  await both('upkeep', async ({ retirements }) => [
    await retirements.findWaiting(PARTNER, 'USDC'),
    await retirements.unretiredAmount(PARTNER, 'USDC', script.head(PARTNER) - 2n),
  ]);
  await both('watch', async ({ halts, audits, verdicts, xcnTotals }) => [
    await halts.list(),
    await halts.deliveries(),
    await audits.unexplained(),
    sortedByHash(await verdicts.unknown()),
    await xcnTotals.at(
      {
        ethereum: { chainId: ETHEREUM, number: script.head(ETHEREUM) },
        partner: { chainId: PARTNER, number: script.head(PARTNER) },
      },
      zeroAddress,
    ),
    await xcnTotals.mintedPerDay(script.time(-90)),
  ]);
  await both('payments', async ({ intents }) => {
    const found = [];
    for (const payer of SENDERS)
      for (const [amount, memo] of [
        [1_000n, known.intents[0]?.id ?? null],
        [2_000n, null],
      ] as const) {
        const [txHash = OPERATORS[0] ?? '0x'] = known.hashes;
        const place = { chainId: PARTNER, blockNumber: script.head(PARTNER), minedAt: script.time(10) };
        found.push(await intents.findPaidBy({ ...place, txHash, payer, amount, memo }));
      }
    return found;
  });
}

/** Several may have the same time and place in their block. */
function sortedByHash<T extends { readonly txHash: string }>(found: readonly T[]): T[] {
  return found.toSorted((a, b) => (a.txHash < b.txHash ? -1 : 1));
}
