import type { ChainReader, PlacedLog, ReceiptRecord } from '@causeway/partner-chain';
import { SLICE, type Pauses } from '../turns/pauses.js';

/** The logs of a receipt, in order, a few hundred at a time with a pause after each. */
export async function* logSlices(
  reader: ChainReader,
  blockNumber: number,
  { firstLogIndex, logCount }: ReceiptRecord,
  pauses: Pauses,
): AsyncGenerator<readonly PlacedLog[]> {
  for (let read = 0; read < logCount; read += SLICE) {
    const size = Math.min(SLICE, logCount - read);
    yield reader.logsFrom(blockNumber, firstLogIndex + read, size);
    await pauses.after(size);
  }
}
