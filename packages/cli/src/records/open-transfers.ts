import type { ConfigResponse } from '@causeway/protocol';
import { getTransferState, type TransferRecord, type TransferState } from '@causeway/sdk';
import { formatUnits } from 'viem';
import type { Context } from '../command.js';
import type { Exit } from '../output/exit-codes.js';
import type { RecordFolder } from './folder.js';

/** Whether a transfer has steps left. A failed transfer has none. */
export function isOpen({ steps }: TransferRecord): boolean {
  return steps.some(({ state }) => state !== 'done') && getTransferState({ steps }) !== 'ENDED';
}

/** The amount of a record with its asset. */
export function formatRecordAmount(tokens: ConfigResponse['ethereum']['tokens'], record: TransferRecord): string {
  const { asset, amount } = record;
  const token = tokens.find((each) => each.token === asset);
  return token === undefined
    ? `${amount} units of ${asset}`
    : `${formatUnits(BigInt(amount), token.decimals)} ${asset}`;
}

/** Prints the transfers that can be continued. It sends no request. */
export async function listOpen({ printer }: Context, folder: RecordFolder): Promise<Exit> {
  const { records, unreadable } = await folder.list();
  const open = records.filter(isOpen);
  const transfers = open.map((record) => ({
    ...record,
    state: getTransferState(record),
    file: folder.locate(record.id),
  }));
  await printer.result({ transfers, unreadable }, () => [
    open.length === 0
      ? { text: 'No open transfers.' }
      : {
          head: ['Id', 'Transfer', 'State', 'Next step', 'Began'],
          rows: open.map((record) => [
            record.id,
            `${record.kind} ${record.asset}`,
            describeTransferState(record),
            describeNext(record),
            record.createdAt,
          ]),
        },
    ...unreadable.map(({ file, problem }) => ({ text: `! ${file}: ${problem}`, tone: 'warning' }) as const),
  ]);
  return 'done';
}

const STATES = {
  PLANNED: 'never asked',
  REFUSED: 'refused',
  ASKED: 'asked',
  SENT: 'sent',
  ENDED: 'ended',
} as const satisfies Record<TransferState, string>;

/** Describes what a record says about its transfer. */
export function describeTransferState(record: TransferRecord): string {
  return STATES[getTransferState(record)];
}

function describeNext({ steps }: TransferRecord): string {
  const next = steps.find(({ state }) => state !== 'done');
  return next === undefined ? 'none' : 'what' in next ? next.what : next.step;
}
