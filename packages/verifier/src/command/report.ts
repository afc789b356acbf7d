import { formatUnits } from 'viem';
import type { AssetSheet } from '../state/check-state.js';
import { CHAIN_NAMES, SIDES, type NodeRecord } from './setup.js';
import type { Outcome } from './outcome.js';
import type { BridgeReport } from './verify-bridge.js';
import type { OperationReport } from './verify-operation.js';

const RESULTS = { right: 'Right', undecided: 'Undecided', wrong: 'Wrong' } as const;
/** Describes the dissents of a node. */
const DISSENT = { DIFFERS: 'answered differently', AWAY: 'gave no answer', PRUNED: 'no longer had the state' } as const;

const AMOUNTS = new Set(['amount', 'fee']);

/** A report as JSON. Amounts are texts, since JSON numbers lose precision. */
export function toJson(report: object): string {
  return JSON.stringify(report, (_, each: unknown) => (typeof each === 'bigint' ? each.toString() : each));
}

/** The report of a whole bridge for people. */
export function describeBridge(report: BridgeReport): string {
  const { blocks, counts, sheet, trust, evidence, reserves } = report;
  return join([
    ...SIDES.flatMap((side) => {
      if (blocks === null || counts === null) return [];
      const { number, hash, time } = blocks[side];
      const { begun, pending } = counts[side];
      return [
        `${CHAIN_NAMES[side]}: block ${number} (${hash}) of ${time}`,
        `  ${begun} operations began there; ${pending} of them are pending`,
      ];
    }),
    ...(sheet.length === 0 ? [] : ['', ...toTable(sheet)]),
    ...section(
      'Changes of trust',
      trust.map(({ side, blockNumber, name, text, how }) => `${side} ${blockNumber}: ${name} ${text} (${how})`),
    ),
    ...section(
      'State',
      evidence.map(({ what, side, by }) => `${side}: ${what}: ${by === 'PROOF' ? 'proven' : 'the word of the nodes'}`),
    ),
    ...(reserves === null ? [] : ['', `Statements of reserves: ${reserves.statements} recomputed`]),
    ...describeEnd(report, report.nodes),
  ]);
}

/** The report of one operation for people. */
export function describeOperation(report: OperationReport): string {
  const { statement, open, file, nodes } = report;
  const { began, paid, ...terms } = statement ?? {};
  const places = Object.entries({ began, paid }).flatMap(([name, place]) =>
    place === undefined
      ? []
      : [
          `${name}: ${place.transactionHash} in block ${place.blockNumber} (${place.blockHash}) of chain ${place.chainId}`,
        ],
  );
  const lines = Object.entries(terms).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}${AMOUNTS.has(name) ? ' atomic units' : ''}`],
  );
  return join([
    ...lines,
    ...places,
    ...section('The proof is right if this holds, which it does not show', open),
    ...(file === null ? [] : ['', `Proof: ${file}`]),
    ...describeEnd(report, nodes),
  ]);
}

function describeEnd({ result, why, trusted }: Outcome, nodes: readonly NodeRecord[]): readonly string[] {
  const named = nodes.flatMap(({ side, node, dissent }) =>
    Object.entries(dissent).map(
      ([kind, { times, first }]) =>
        `${node} (${side}) ${DISSENT[kind as keyof typeof DISSENT]} ${times} times, first: ${first}`,
    ),
  );
  return [
    ...section('Nodes', named),
    ...section('Trusted', trusted),
    '',
    `${RESULTS[result]}${why.length === 0 ? '.' : ':'}`,
    ...why.map((each) => `  ${each}`),
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)];
}

const COLUMNS = ['locked', 'supply', 'held', 'inFlight', 'surplus', 'fees'] as const;

function toTable(sheet: readonly AssetSheet[]): readonly string[] {
  const rows = [
    ['asset', 'locked', 'supply', 'held', 'in flight', 'surplus', 'fees'],
    ...sheet.map((one) => [one.asset, ...COLUMNS.map((column) => formatUnits(one[column], one.decimals))]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '));
}

/** Control characters: texts of nodes and of an API could use them to overwrite lines, or to add lines. */
const CONTROL = /\p{Cc}/gu;

function join(lines: readonly string[]): string {
  return lines
    .map((line) => line.replaceAll(CONTROL, ''))
    .join('\n')
    .trim();
}
