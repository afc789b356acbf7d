import { formatAmount, isTerminal, listAssets, type Asset } from '@causeway/protocol';
import type { RebuildTotals } from '@causeway/store';
import type { Repaired } from './chain-restore.js';

/** The findings of a rebuild, besides the totals. */
export interface RebuildFindings {
  readonly ethereumBlock: bigint;
  readonly partnerBlock: bigint;
  /** Warnings about releases, retirements and sweeps that do not match. */
  readonly warnings: readonly string[];
}

/** Describes the result of a rebuild to operators, in lines. Pure. */
export function reportLines(
  totals: RebuildTotals,
  { ethereumBlock, partnerBlock, warnings }: RebuildFindings,
): string[] {
  const { operations, retirements, unretired, sweeps, openRefunds, paidRefunds } = totals;
  const owed = listAssets().flatMap((asset) => {
    const open = operations.filter((each) => each.asset === asset && !isTerminal(each.status));
    const count = open.reduce((sum, each) => sum + each.count, 0);
    const amount = open.reduce((sum, each) => sum + each.outputAmount, 0n);
    return count === 0 ? [] : [{ asset, count, amount }];
  });
  const formatAmounts = (each: readonly { readonly asset: Asset; count: number; amount: bigint }[]) =>
    each.length === 0
      ? ['  none']
      : each.map(({ asset, count, amount }) => `  ${count}: ${formatAmount(asset, amount)} ${asset}`);
  return [
    `Rebuilt from Ethereum up to block ${ethereumBlock} and the partner chain up to block ${partnerBlock}.`,
    'Operations:',
    ...operations.map(
      ({ kind, status, asset, count, amount }) =>
        `  ${kind} ${status}: ${count}, ${formatAmount(asset, amount)} ${asset}`,
    ),
    'Owed, delivered when the relayer starts:',
    ...formatAmounts(owed),
    'Retirements:',
    ...formatAmounts(retirements),
    'Unretired burns:',
    ...formatAmounts(unretired),
    'Sweeps:',
    ...formatAmounts(sweeps.count === 0 ? [] : [sweeps]),
    'Refunds of transfers that pay no known intent, which need approval (relayer refund list):',
    ...formatAmounts(openRefunds),
    'Paid refunds:',
    ...formatAmounts(paidRefunds),
    ...(warnings.length === 0 ? [] : ['Warnings:', ...warnings.map((warning) => `  ${warning}`)]),
    'Not on any chain, so missing in this database:',
    '  - intents that were not released: open, expired and rejected ones. Transfers for them are listed above for a refund',
    '  - the decisions of operators; refunds paid on Ethereum: once approved again, the relayer searches for the payment',
    '  - the nonce and the idempotency key of each intent, as text',
    '  - when operations were seen, attempted and changed; the journal of signed transactions',
  ];
}

/** The findings of a reconciliation. */
export interface ReconcileFindings {
  readonly before: RebuildTotals;
  readonly after: RebuildTotals;
  readonly repaired: Repaired;
  readonly warnings: readonly string[];
}

/** Describes the result of a reconciliation to operators, in lines. Pure. */
export function reconcileLines({ before, after, repaired, warnings }: ReconcileFindings): string[] {
  const count = ({ operations }: RebuildTotals) =>
    operations.reduce((sum, each) => (each.status === 'COMPLETED' ? sum + each.count : sum), 0);
  const lines = [
    [count(after) - count(before), 'operations that the chains show as delivered'],
    [repaired.calls, 'calls of the journal that have ended'],
    [repaired.transactions, 'transactions of the wallet that the journal lacks, now listed'],
    [repaired.events, 'events that were missing or different'],
    [repaired.intents, 'intents whose release or transfer was unknown'],
    [repaired.refunds, 'refunds that were paid'],
    [repaired.retirements, 'retirements'],
    [repaired.sweeps, 'sweeps'],
  ] as const;
  return [
    'Both chains were read to their final blocks. Repaired:',
    ...lines.map(([number, what]) => `  ${number} ${what}`),
    ...(warnings.length === 0
      ? ['Nothing is left that the chains do not prove.']
      : [
          'Listed: not proven by the chains. The bridge pays none of it by itself:',
          ...warnings.map((each) => `  ${each}`),
        ]),
    'No relayer works until `relayer reconcile finish`.',
  ];
}
