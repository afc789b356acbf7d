import { formatAmount } from '@causeway/protocol';
import Table from 'cli-table3';
import type { DustRefusal } from './dust-refusals.js';
import type { Solvency } from './solvency.js';
import type { Finished } from './transfer.js';

const STYLE = { head: [], border: [] };

/** One row per transfer. Gas: what the user paid at the origin (an approval included), and the relayer at the destination. */
export function transfersTable(transfers: readonly Finished[]): string {
  const table = new Table({
    head: ['Asset', 'Direction', 'Amount in', 'Fee', 'Amount out', 'Seconds', 'Gas at origin', 'Gas at destination'],
    style: STYLE,
    colAligns: ['left', 'left', 'right', 'right', 'right', 'right', 'right', 'right'],
  });
  for (const { asset, direction, operation, seconds, originReceipts, delivery } of transfers) {
    const gas = originReceipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
    table.push([
      asset,
      direction,
      operation.amountFormatted,
      operation.fee?.formatted ?? '0',
      operation.outputAmountFormatted,
      seconds.toFixed(1),
      gas.toString(),
      delivery.gasUsed.toString(),
    ]);
  }
  return table.toString();
}

/** One row per way of moving a fraction of a unit, with the words of its refusal. */
export function dustTable(rows: readonly DustRefusal[]): string {
  const table = new Table({ head: ['1.000000000000000001 XCN as', 'Refused with'], style: STYLE });
  for (const { where, refusal } of rows) table.push([where, refusal]);
  return table.toString();
}

/** One row per asset: what is out must be locked, to the unit. */
export function solvencyTable(rows: readonly Solvency[]): string {
  const table = new Table({
    head: ['Asset', 'Locked', 'Minted', 'Accrued fees', 'Backed'],
    style: STYLE,
    colAligns: ['left', 'right', 'right', 'right', 'left'],
  });
  for (const { asset, locked, minted, fees } of rows) {
    table.push([
      asset,
      formatAmount(asset, locked),
      formatAmount(asset, minted),
      formatAmount(asset, fees),
      locked === minted ? 'exactly' : 'NO',
    ]);
  }
  return table.toString();
}
