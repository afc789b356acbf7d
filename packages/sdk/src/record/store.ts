import type { TransferRecord } from './record.js';

/**
 * Where the records of transfers are kept. `save` is called before and after each signature and each sending, and the
 * transfer waits for it: when it throws, nothing is signed or sent.
 */
export interface RecordStore {
  save(record: TransferRecord): Promise<void> | void;
  /** The newest record with this id. With it, an older copy is refused. */
  load?(id: string): Promise<TransferRecord | null> | TransferRecord | null;
}
