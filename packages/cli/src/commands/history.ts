import type { BridgeOperationResponse, OperationStatus, Side } from '@causeway/protocol';
import { OPERATION_STATUSES } from '@causeway/protocol';
import { iterateHistory } from '@causeway/sdk';
import { Option } from 'commander';
import { defineCommand } from '../command.js';
import { UsageError } from '../errors.js';
import { describeDirection, toDirection } from '../output/words.js';
import { connect } from '../settings/connection.js';

interface HistoryOptions {
  readonly limit: string;
  readonly role?: 'sender' | 'recipient';
  readonly to?: Side;
  /** Separated by commas. */
  readonly status?: string;
}

/** The largest page that the API returns. */
const PAGE_SIZE = 100;

export const command = defineCommand<HistoryOptions, [address: string]>({
  define: (syntax) => {
    syntax
      .argument('<address>', 'the account, as sender or recipient')
      .option('--limit <number>', 'how many transfers to list, newest first', '10')
      .addOption(
        new Option('--role <role>', 'only transfers in which the account has this role').choices([
          'sender',
          'recipient',
        ]),
      )
      .addOption(new Option('--to <chain>', 'only transfers to this chain').choices(['ethereum', 'partner']))
      .option('--status <statuses>', `only these statuses, separated by commas: ${OPERATION_STATUSES.join(', ')}`);
  },
  run: async (context, { limit, role, to, status }, [address]) => {
    if (!/^[1-9]\d{0,5}$/.test(limit)) throw new UsageError('limit', 'must be a whole number from 1 to 999999');
    const bridge = await connect(context);
    const most = Number(limit);
    const direction = to === undefined ? undefined : toDirection(to);
    const operations: BridgeOperationResponse[] = [];
    const query = { address, limit: Math.min(most, PAGE_SIZE), role, direction, status: parseStatuses(status) };
    for await (const operation of iterateHistory(bridge, query, context.reads)) {
      operations.push(operation);
      if (operations.length === most) break;
    }
    await context.printer.result({ operations }, () =>
      operations.length === 0
        ? [{ text: 'No transfers.' }]
        : [
            {
              head: ['Began', 'Way', 'Amount', 'Status', 'Transaction or id'],
              rows: operations.map((each) => [
                each.createdAt.slice(0, 19),
                describeDirection(each.direction),
                `${each.amountFormatted} ${each.asset}`,
                each.status,
                each.originTxHash ?? each.id,
              ]),
            },
          ],
    );
    return 'done';
  },
});

/** @throws UsageError */
function parseStatuses(text: string | undefined): readonly OperationStatus[] | undefined {
  const statuses = text?.split(',').map((status) => status.trim().toUpperCase());
  const unknown = statuses?.find((status) => !(OPERATION_STATUSES as readonly string[]).includes(status));
  if (unknown !== undefined) throw new UsageError('status', `has the unknown status ${unknown}`);
  return statuses as readonly OperationStatus[] | undefined;
}
