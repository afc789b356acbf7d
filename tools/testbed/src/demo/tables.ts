import { formatAmount, type BridgeOperationResponse } from '@causeway/protocol';
import Table from 'cli-table3';
import type { DustRefusal } from './dust-refusals.js';
import type { DemoResult } from './run-demo.js';
import type { Solvency } from './solvency.js';
import type { Finished } from './transfer.js';

const STYLE = { head: [], border: [] };
const DUST_COLUMNS = [28, 49];

/** Formats the result of a demo as tables of at most 80 columns. */
export function demoTables({ transfers, dustRefusals, solvency }: DemoResult): string {
  const tables = [transfersTable(transfers), gasTable(transfers), dustTable(dustRefusals), solvencyTable(solvency)];
  return tables.join('\n\n');
}

/** One row for each transfer: amounts and time. */
function transfersTable(transfers: readonly Finished[]): string {
  const table = new Table({
    head: ['Asset', 'Way', 'Amount in', 'Fee', 'Amount out', 'Sec'],
    style: STYLE,
    colAligns: ['left', 'left', 'right', 'right', 'right', 'right'],
  });
  for (const { asset, operation, seconds } of transfers) {
    const { amountFormatted, fee, outputAmountFormatted } = operation;
    const row = [asset, way(operation), amountFormatted, fee?.formatted ?? '0', outputAmountFormatted];
    table.push([...row, seconds.toFixed(0)]);
  }
  return table.toString();
}

/** One row for each transfer: the gas of the user at the origin, approval included, and of the relayer's delivery. */
function gasTable(transfers: readonly Finished[]): string {
  const table = new Table({
    head: ['Asset', 'Way', "User's gas", 'Delivery gas'],
    style: STYLE,
    colAligns: ['left', 'left', 'right', 'right'],
  });
  for (const { asset, operation, originReceipts, delivery } of transfers) {
    const gas = originReceipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
    table.push([asset, way(operation), gas.toString(), delivery.gasUsed.toString()]);
  }
  return table.toString();
}

/** One row for each attempt to move a fraction of a unit, with the error message. */
function dustTable(rows: readonly DustRefusal[]): string {
  const table = new Table({
    head: ['Dust in a', 'Refused with'],
    style: STYLE,
    colWidths: DUST_COLUMNS,
    wordWrap: true,
  });
  for (const { where, refusal } of rows) table.push([where, refusal]);
  return table.toString();
}

/** One row for each asset: the minted amount must be locked, to the unit. */
function solvencyTable(rows: readonly Solvency[]): string {
  const table = new Table({
    head: ['Asset', 'Locked', 'Minted', 'Fees', 'Backed'],
    style: STYLE,
    colAligns: ['left', 'right', 'right', 'right', 'left'],
  });
  for (const { asset, locked, minted, fees } of rows) {
    table.push([
      asset,
      formatAmount(asset, locked),
      formatAmount(asset, minted),
      formatAmount(asset, fees),
      locked === minted ? 'yes' : 'NO',
    ]);
  }
  return table.toString();
}

/** In, out by a call of BridgeMint, or out by a signed intent. */
function way({ direction, intentId }: BridgeOperationResponse): string {
  if (direction === 'ETHEREUM_TO_PARTNER') return 'in';
  return intentId === null ? 'out' : 'intent';
}
