import type { BridgeOperationResponse } from '@causeway/protocol';
import { watchOperation, type Bridge, type OperationIdentifier } from '@causeway/sdk';
import type { Context } from '../command.js';
import type { Exit } from '../output/exit-codes.js';
import { LiveLine } from '../output/live-line.js';
import { chooseTone, describeOperation, describeState } from '../output/words.js';

/**
 * Follows an operation to its end, and prints its last state.
 *
 * @param onState receives each state.
 */
export async function follow(
  context: Context,
  bridge: Bridge,
  identifier: OperationIdentifier,
  onState: (operation: BridgeOperationResponse) => void,
): Promise<Exit> {
  const { printer, streams, reads } = context;
  let shown: BridgeOperationResponse | undefined;
  const live = new LiveLine(streams.errors, (text) =>
    printer.line(text, shown === undefined ? 'plain' : chooseTone(shown)),
  );
  const onRetry: typeof reads.onRetry = (retry) => {
    reads.onRetry(retry);
    live.keep();
  };
  for await (const operation of watchOperation(bridge, identifier, { ...reads, onRetry })) {
    shown = operation;
    onState(operation);
    if (!printer.isJson) live.show(operation.status, describeState(operation));
  }
  if (shown === undefined) return 'failed';
  await printer.answer({ rows: describeOperation(shown) });
  return toExit(shown);
}

/** A transfer that ended without a delivery is a failure for a script. */
export function toExit({ status }: BridgeOperationResponse): Exit {
  return status === 'FAILED' || status === 'EXPIRED' ? 'ended' : 'done';
}
