import type { OwedTerms, SeenDelivery, WalletState } from '@causeway/store';
import { zeroAddress } from 'viem';
import { foldDust, storeArrivals } from './chain-data.ts';
import { sortedBy, type MemoryDatabase } from './memory-database.ts';
import type { EventRow } from './rows.ts';
import type { Simulated } from './steps.ts';

/** As in `AuditRepository`. */
const KEPT_BLOCKS = 4_096n;
/** As in `XcnTotalRepository`. */
const STEP_MS = 3_600_000;
const DAY_MS = 86_400_000n;

/** How far the balances of relayer wallets are accounted for, and the differences. */
export function auditRepository(database: MemoryDatabase): Simulated<'audits'> {
  const { audits, differences, blocks, cursors, transfers, dust } = database;
  return {
    last: ({ chainId, address }) => {
      const ofWallet = audits.filter((row) => row.chainId === chainId && row.wallet === address);
      const row = sortedBy(ofWallet, ({ blockNumber }) => [blockNumber]).at(-1);
      return row === undefined ? null : stateOf(row);
    },
    received: ({ chainId, address }, native, from, to) => {
      if ((cursors.get(chainId)?.nextBlock ?? 0n) <= to) return null;
      const isReceived = (row: { chainId: number; wallet: string; asset: string; blockNumber: bigint }) =>
        row.chainId === chainId &&
        row.wallet === address &&
        row.asset === native &&
        row.blockNumber > from &&
        row.blockNumber <= to;
      return [...transfers.filter(isReceived), ...dust.filter(isReceived)].reduce((sum, row) => sum + row.amount, 0n);
    },
    advance: (
      fence,
      { chainId, address: wallet },
      { state, since, block, transfers: found, dust: foundDust, difference },
    ) => {
      database.assertFence(fence);
      const { blockNumber } = state;
      const cursor = cursors.get(chainId);
      if (cursor === undefined || cursor.haltedAt !== null || cursor.nextBlock <= blockNumber) return false;
      const known = blocks.find(chainId, blockNumber);
      if (known !== undefined && known.hash !== block.hash) return false;
      if (since !== null && audits.get(`${chainId} ${wallet} ${since}`) === undefined) return false;
      if (found.length + foundDust.length > 0) {
        const stored = { number: blockNumber, hash: block.hash, timestamp: block.timestamp };
        if (known === undefined) blocks.insert(chainId, stored);
        storeArrivals(database, chainId, [{ ...stored, transfers: found, dust: foundDust }]);
      }
      const key = `${chainId} ${wallet} ${blockNumber}`;
      if (difference !== 0n && differences.get(key) === undefined) {
        const place = { chainId, wallet, blockNumber };
        differences.insert(key, { ...place, amount: difference, foundAt: database.date(), explanation: null });
      }
      audits.put(key, { chainId, wallet, ...stateOf(state) });
      const old = blockNumber - KEPT_BLOCKS;
      audits.deleteWhere((row) => row.chainId === chainId && row.wallet === wallet && row.blockNumber < old);
      foldDust(database, chainId, wallet, old);
      return true;
    },
    unexplained: () =>
      sortedBy(
        differences
          .filter(({ explanation }) => explanation === null)
          .map(({ explanation: _none, ...difference }) => difference),
        ({ chainId, blockNumber }) => [chainId, blockNumber],
      ),
    explain: (chainId, blockNumber, explanation) => {
      const open = differences.filter(
        (row) => row.chainId === chainId && row.blockNumber === blockNumber && row.explanation === null,
      );
      for (const { wallet } of open) differences.update(`${chainId} ${wallet} ${blockNumber}`, { explanation });
      return open.length > 0;
    },
  };
}

function stateOf({ blockNumber, balance, nonce }: WalletState): WalletState {
  return { blockNumber, balance, nonce };
}

/** The verdicts of the watch on the deliveries that were read. */
export function verdictRepository(database: MemoryDatabase): Simulated<'verdicts'> {
  const { events } = database;
  const toSeen = (event: EventRow): SeenDelivery[] => {
    const { chainId, txHash, logIndex, blockNumber, blockHash, name, operationId, args } = event;
    const minedAt = database.blocks.find(chainId, blockNumber)?.timestamp;
    if (minedAt === undefined || !isDelivery(name)) return [];
    return [{ chainId, txHash, logIndex, blockNumber, blockHash, minedAt, name, operationId, args: { ...args } }];
  };
  return {
    unjudged: (chainId, limit) => {
      const open = events
        .filter((event) => event.chainId === chainId && event.verdict === null && isDelivery(event.name))
        .flatMap(toSeen);
      return sortedBy(open, ({ blockNumber, logIndex }) => [blockNumber, logIndex])
        .slice(0, limit)
        .map((delivery) => ({ delivery, owed: owedTo(database, delivery) }));
    },
    record: (fence, chainId, verdict, deliveries) => {
      if (deliveries.length === 0) return 0;
      database.assertFence(fence);
      const keyOf = ({ txHash, logIndex, blockHash }: Pick<EventRow, 'txHash' | 'logIndex' | 'blockHash'>) =>
        `${txHash} ${logIndex} ${blockHash}`;
      const judged = new Set(deliveries.map(keyOf));
      const open = events.filter(
        (event) => event.chainId === chainId && event.verdict === null && judged.has(keyOf(event)),
      );
      for (const event of open) events.judge(event, verdict);
      return open.length;
    },
    unknown: () =>
      sortedBy(
        events.filter(({ verdict }) => verdict === 'UNKNOWN').flatMap(toSeen),
        ({ minedAt, chainId, logIndex }) => [minedAt, chainId, logIndex],
      ),
  };
}

function isDelivery(name: EventRow['name']): name is SeenDelivery['name'] {
  return name === 'Mint' || name === 'Release' || name === 'Refunded';
}

/** The terms that the operation, or the signed refund, with the id of a delivery has; null when there is none. */
function owedTo({ operations, refunds }: MemoryDatabase, { name, operationId }: SeenDelivery): OwedTerms | null {
  if (name === 'Refunded') {
    const refund = refunds.get(operationId);
    if (refund?.status !== 'PENDING' && refund?.status !== 'COMPLETED') return null;
    const { asset, payment, chainId } = refund;
    return payment === null
      ? null
      : { asset, recipient: payment.recipient, outputAmount: payment.paidAmount, fee: 0n, destinationChainId: chainId };
  }
  const operation = operations.get(operationId);
  if (operation === undefined || operation.kind === 'TRANSFER') return null;
  const { asset, recipient, outputAmount, fee, destinationChainId } = operation;
  return { asset, recipient, outputAmount, fee, destinationChainId };
}

/** Running totals of native XCN. */
export function xcnTotalRepository(database: MemoryDatabase): Simulated<'xcnTotals'> {
  const { xcnTotals, events, operations } = database;
  const inOrder = (since?: Date) =>
    sortedBy(
      xcnTotals.filter(({ at }) => since === undefined || at >= since),
      ({ partner }) => [partner.number],
    );
  return {
    at: ({ ethereum, partner }, token) => {
      const start = inOrder().findLast(
        (row) => row.partner.number <= partner.number && row.ethereum.number <= ethereum.number,
      );
      let [minted, withdrawn] = [start?.minted ?? 0n, start?.withdrawn ?? 0n];
      const isAdded = ({ chainId, blockNumber }: EventRow, final: typeof partner, from = -1n) =>
        chainId === final.chainId && blockNumber > from && blockNumber <= final.number;
      for (const event of events.filter(({ name }) => name === 'Mint' || name === 'Release')) {
        const { name, args, chainId, operationId } = event;
        if (name === 'Mint' && args['token'] === zeroAddress && isAdded(event, partner, start?.partner.number))
          minted += BigInt(args['amount'] ?? 0);
        const paid = operations.get(operationId);
        const isOwed =
          paid?.asset === 'XCN' &&
          paid.destinationChainId === chainId &&
          args['token'] === token &&
          args['recipient'] === paid.recipient &&
          args['amount'] === `${paid.outputAmount}` &&
          args['fee'] === `${paid.fee}`;
        if (name === 'Release' && isOwed && isAdded(event, ethereum, start?.ethereum.number)) withdrawn += paid.amount;
      }
      return { minted, withdrawn };
    },
    keep: (fence, { ethereum, partner }, { minted, withdrawn }, at) => {
      const newest = inOrder().at(-1);
      if (newest !== undefined && at.getTime() - newest.at.getTime() < STEP_MS) return false;
      database.assertFence(fence);
      if (xcnTotals.get(partner.number) !== undefined) return false;
      const final = { ethereum: { ...ethereum }, partner: { ...partner } };
      xcnTotals.insert(partner.number, { ...final, minted, withdrawn, at });
      return true;
    },
    mintedPerDay: (since) => {
      const kept = inOrder(since);
      const [first, last] = [kept[0], kept.at(-1)];
      const elapsedMs = (last?.at.getTime() ?? 0) - (first?.at.getTime() ?? 0);
      if (first === undefined || last === undefined || elapsedMs <= 0) return null;
      return ((last.minted - first.minted) * DAY_MS) / BigInt(elapsedMs);
    },
  };
}
