import { formatAmount, isTerminal, listAssets, type Asset } from '@causeway/protocol';
import type { RebuildTotals } from '@causeway/store';

/** The findings of a rebuild beside the totals. */
export interface RebuildFindings {
  readonly ethereumBlock: bigint;
  readonly partnerBlock: bigint;
  /** Sentences about releases, retirements and sweeps that do not fit. */
  readonly warnings: readonly string[];
}

/** Describes the result of a rebuild to operators, a line each. Pure. */
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
    'Owed, to be delivered when the relayer starts:',
    ...formatAmounts(owed),
    'Retirements:',
    ...formatAmounts(retirements),
    'Burns that are not retired:',
    ...formatAmounts(unretired),
    'Sweeps:',
    ...formatAmounts(sweeps.count === 0 ? [] : [sweeps]),
    'Refunds of transfers that pay no known intent, to be approved (relayer refund list):',
    ...formatAmounts(openRefunds),
    'Refunds that were paid:',
    ...formatAmounts(paidRefunds),
    ...(warnings.length === 0 ? [] : ['Warnings:', ...warnings.map((warning) => `  ${warning}`)]),
    'What no chain has, and this database has not either:',
    '  - intents that were not released: open, expired and rejected ones. A transfer for one is among those above.',
    '  - the decisions of operators, and refunds that were paid on Ethereum: an approved one is looked for on the chain',
    '  - the nonce and the idempotency key of each intent, as text',
    '  - when operations were seen, attempted and changed, and the journal of signed transactions',
  ];
}
