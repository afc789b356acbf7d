import {
  getTransferState,
  type Bridge,
  type Progress,
  type SentTransfer,
  type TransferOptions,
  type TransferRecord,
} from '@causeway/sdk';
import type { Context, ReadSettings } from '../command.js';
import type { Exit } from '../output/exit-codes.js';
import { chooseFolder, RecordFolder } from '../records/folder.js';
import { follow } from './follow.js';

/** How to run a transfer, and whether to follow it. */
interface RunOptions {
  readonly bridge: Bridge;
  readonly records?: string;
  readonly watch?: boolean;
}

/** Options of the SDK that all transfers share. */
type Shared = Required<Pick<TransferOptions, 'store' | 'onProgress'>> & ReadSettings;

/**
 * Runs the steps of a transfer, keeps its record, and shows each step.
 *
 * @param send begins or continues it.
 */
export async function runTransfer(
  context: Context,
  options: RunOptions,
  send: (shared: Shared, records: RecordFolder) => Promise<SentTransfer>,
): Promise<Exit> {
  const { printer, reads } = context;
  const { signal } = reads;
  const onWait = (sentence: string) => printer.line(sentence, 'faint');
  const records = new RecordFolder(chooseFolder(options.records, context.env), { signal, onWait });
  const sent = await runSteps(context, options, records, send);
  const { originTxHash, intentId, record } = sent;
  printer.event({ event: 'sent', originTxHash, ...(intentId === undefined ? {} : { intentId }), record });
  await printer.answer({
    rows: [
      ['Transaction', originTxHash],
      ...(intentId === undefined ? [] : [['Intent', intentId]]),
      ['Record', record.id],
    ],
  });
  if (record.kind === 'CLAIM') return 'done';
  if (options.watch !== true) {
    printer.line(`Follow it with: causeway status ${intentId ?? originTxHash} --watch`, 'faint');
    return 'done';
  }
  const identifier = intentId === undefined ? { originTxHash } : { intentId };
  signal.throwIfAborted();
  return follow(context, options.bridge, identifier, (operation) => printer.event({ event: 'status', operation }));
}

async function runSteps(
  { printer, reads }: Context,
  { records: folder }: RunOptions,
  records: RecordFolder,
  send: (shared: Shared, records: RecordFolder) => Promise<SentTransfer>,
): Promise<SentTransfer> {
  let kept: TransferRecord | undefined;
  const save = async (record: TransferRecord) => {
    await records.save(record);
    if (kept === undefined) {
      const { id } = record;
      printer.event({ event: 'record', id, file: records.locate(id) });
      printer.line(`Record ${id}`, 'faint');
    }
    kept = record;
  };
  const store = { save, load: async (each: string) => records.load(each) };
  const onProgress = (progress: Progress) => {
    const { step, state, hash, message } = progress;
    printer.event({ event: 'step', ...progress });
    // The terms have shown the result of the check.
    if (step !== 'check' && state === 'asked') printer.line(`- ${message}`);
    if (state === 'sent' && hash !== undefined) printer.line(`  ${hash} is pending`);
  };
  try {
    return await send({ store, onProgress, ...reads }, records);
  } catch (error) {
    const named = folder === undefined ? '' : ` --records ${folder}`;
    if (kept !== undefined && getTransferState(kept) !== 'ENDED')
      printer.line(`Continue it with: causeway resume ${kept.id}${named}`, 'warning');
    throw error;
  } finally {
    await records.close();
  }
}
