import type { BridgeOperationResponse } from '@causeway/protocol';
import { getHistory, getStatus, type Bridge, type OperationIdentifier } from '@causeway/sdk';
import type { Hex } from 'viem';
import { defineCommand, type Context } from '../command.js';
import { UsageError } from '../errors.js';
import { chooseTone, describeOperation, describeState } from '../output/words.js';
import { connect } from '../settings/connection.js';
import { follow, toExit } from '../transfer/follow.js';

interface StatusOptions {
  readonly index?: string;
  readonly watch?: boolean;
}

export const command = defineCommand<StatusOptions, [hash: Hex]>({
  define: (syntax) => {
    syntax
      .argument('<hash>', 'hash of the transaction that began the transfer, or id of the transfer')
      .option('--index <number>', 'position of the transfer in the transaction, from 0')
      .option('--watch', 'wait until the transfer is delivered');
  },
  run: async (context, { index, watch = false }, [hash]) => {
    if (index !== undefined && !/^\d{1,7}$/.test(index)) throw new UsageError('index', 'must be a whole number');
    if (!/^0x[\da-f]{64}$/i.test(hash))
      throw new UsageError(
        'hash',
        'must be 0x and 64 hex digits',
        'Give the hash of a transaction or the id of a transfer.',
      );
    const bridge = await connect(context);
    const { printer, reads } = context;
    const identifier = await identify(context, bridge, hash, index);
    if (watch) return follow(context, bridge, identifier, (operation) => printer.event(operation));
    const operation = await getStatus(bridge, identifier, reads);
    await printer.result(operation, () => [
      { rows: describeOperation(operation) },
      { text: describeState(operation), tone: chooseTone(operation) },
    ]);
    return toExit(operation);
  },
});

/** A transaction also identifies a transfer that the API has not read yet; an id does not. */
async function identify(
  { reads }: Context,
  bridge: Bridge,
  hash: Hex,
  index: string | undefined,
): Promise<OperationIdentifier> {
  const byTransaction = { originTxHash: hash, ...(index === undefined ? {} : { index: Number(index) }) };
  if (index !== undefined) return byTransaction;
  const { operations } = await getHistory(bridge, { ids: [hash] }, reads);
  const [operation] = operations;
  return operation === undefined ? byTransaction : toIdentifier(operation);
}

function toIdentifier({ id, depositId, intentId }: BridgeOperationResponse): OperationIdentifier {
  if (depositId !== null) return { depositId };
  return intentId === null ? { withdrawId: id } : { intentId };
}
