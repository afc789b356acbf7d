import { readFile } from 'node:fs/promises';
import {
  getConfig,
  getTransferState,
  isBegun,
  parseRecord,
  resume,
  UndecidedError,
  type TransferRecord,
} from '@causeway/sdk';
import { defineCommand, type Context } from '../command.js';
import { NotConfirmedError, UsageError } from '../errors.js';
import { describeGas } from '../output/words.js';
import { chooseFolder, RecordFolder } from '../records/folder.js';
import { describeTransferState, formatRecordAmount, isOpen, listOpen } from '../records/open-transfers.js';
import { connect } from '../settings/connection.js';
import { assertMaySend, confirm, willAsk } from '../transfer/consent.js';
import {
  addCheckedOptions,
  parseAccepted,
  parseFeeShare,
  parseGasFee,
  type CheckedOptions,
} from '../transfer/options.js';
import { runTransfer } from '../transfer/run.js';
import { openWallet } from '../transfer/wallet.js';

interface ResumeOptions extends CheckedOptions {
  readonly confirm?: boolean;
  readonly sendAgain?: boolean;
}

export const command = defineCommand<ResumeOptions, [transfer?: string]>({
  define: (syntax) => {
    addCheckedOptions(syntax.argument('[id|file]', 'id or file of a record; without it, lists open transfers'))
      .option('--confirm', 'confirm that an imported record is the newest and its recipient and amount are right')
      .option('--send-again', 'send the undecided transaction again, since the wallet certainly did not send it');
  },
  run: async (context, options, [transfer]) => {
    const folder = chooseFolder(options.records, context.env);
    const records = new RecordFolder(folder);
    if (transfer === undefined) return listOpen(context, records);
    const record = await findRecord(records, folder, transfer);
    assertMaySend(context, options);
    const accept = parseAccepted(options.accept);
    const maxFeeShareBps = parseFeeShare(options.maxFeeShare);
    const isForeign = (await records.read(record.id)) === null;
    const bridge = await connect(context);
    const config = await getConfig(bridge, context.reads);
    const side = record.chainId === config.ethereum.chainId ? 'ethereum' : 'partner';
    const amount = formatRecordAmount(config[side].tokens, record);
    const maxGasFee = parseGasFee(options.maxGasFee, side);
    const bounds = { maxGasFee, ...(maxFeeShareBps === undefined ? {} : { maxFeeShareBps }) };
    await showRecord(context, record, { amount, isForeign, maxGasFee }, describeGas(side, maxGasFee));
    if (isForeign && options.confirm !== true && !willAsk(context, options))
      throw new NotConfirmedError(
        `This record was imported: it pays ${amount} to ${record.recipient}`,
        'If amount and recipient are right and no newer record of this transfer exists, give --confirm.',
      );
    if (isOpen(record)) await confirm(context, options, chooseQuestion(record, isForeign, options));
    const wallet = await openWallet(context, bridge, config, side, options);
    return runTransfer(context, { ...options, bridge }, async (shared) => {
      const outcome = await resume(bridge, wallet, record, {
        ...shared,
        ...bounds,
        accept,
        confirmed: isForeign,
        sendAgain: options.sendAgain === true,
      });
      if (outcome.state === 'UNDECIDED') throw new UndecidedError(outcome.step, outcome.looks);
      if (outcome.state === 'FOREIGN') throw new NotConfirmedError('Another process removed the record', 'Try again.');
      return outcome;
    });
  },
});

function chooseQuestion(record: TransferRecord, isForeign: boolean, { sendAgain = false }: ResumeOptions): string {
  if (sendAgain) return 'Are you certain that the wallet did not send it, and has no open request? Send it again?';
  if (isForeign) return 'Are amount and recipient right, and is this the newest record of the transfer?';
  return isBegun(record) ? 'Continue?' : 'It was not sent. Send it?';
}

/** @throws UsageError for an unknown id or file, RecordError */
async function findRecord(records: RecordFolder, folder: string, transfer: string): Promise<TransferRecord> {
  if (/^0x[\da-f]{64}$/i.test(transfer)) {
    const kept = await records.read(transfer);
    if (kept !== null) return kept;
    throw new UsageError(
      'id',
      `is unknown: ${folder} has no record ${transfer}`,
      'List the open transfers with causeway resume, or name another folder with --records. ' +
        'For the hash of a transaction, run causeway status.',
    );
  }
  const text = await readFile(transfer, 'utf8').catch(() => {
    throw new UsageError(
      'file',
      `cannot be read: ${transfer}`,
      'Give the id of an open transfer, which causeway resume lists, or the file of a record.',
    );
  });
  return parseRecord(text);
}

async function showRecord(
  { printer }: Context,
  record: TransferRecord,
  terms: { readonly amount: string; readonly isForeign: boolean; readonly maxGasFee: bigint },
  gas: string,
): Promise<void> {
  const { amount, isForeign } = terms;
  const { id, kind, sender, recipient, createdAt } = record;
  printer.event({ event: 'terms', id, kind, state: getTransferState(record), sender, recipient, ...terms });
  await printer.notice(
    {
      rows: [
        ['Transfer', kind],
        ['Amount', amount],
        ['Sender', sender],
        ['Recipient', recipient],
        ['Gas', gas],
        ['State', describeTransferState(record)],
        ['Began', createdAt],
      ],
    },
    ...(isForeign ? [{ text: '! This record was imported.', tone: 'warning' } as const] : []),
  );
}
