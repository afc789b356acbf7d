import type { TransferRecord } from './record.js';

/**
 * Storage of transfer records. `save` is called before and after each signature and each transaction, and the transfer
 * waits for it: if it throws, nothing is signed or sent.
 */
export interface RecordStore {
  save(record: TransferRecord): Promise<void> | void;
  /** Loads the newest record with this id, so that an older copy is refused. */
  load?(id: string): Promise<TransferRecord | null> | TransferRecord | null;
}
