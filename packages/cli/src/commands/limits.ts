import { DIRECTIONS, type Side } from '@causeway/protocol';
import { getLimits } from '@causeway/sdk';
import { Option } from 'commander';
import { defineCommand } from '../command.js';
import type { Block } from '../output/printer.js';
import { describeDirection, describeSeconds, toDirection } from '../output/words.js';
import { connect } from '../settings/connection.js';

const HEAD = ['Asset', 'Fee', 'Minimum fee', 'Minimum', 'Maximum', 'Available now'];

export const command = defineCommand<{ readonly to?: Side }, []>({
  define: (syntax) => {
    syntax.addOption(new Option('--to <chain>', 'only transfers to this chain').choices(['ethereum', 'partner']));
  },
  run: async (context, { to }) => {
    const bridge = await connect(context);
    const limits = await getLimits(bridge, context.reads);
    const directions = DIRECTIONS.filter((direction) => to === undefined || direction === toDirection(to));
    const shown = Object.fromEntries(directions.map((direction) => [direction, limits[direction]]));
    await context.printer.result(shown, () =>
      directions.flatMap((direction): Block[] => {
        const { assets, paused, undeliverableReason, estimatedSeconds } = limits[direction];
        const state = paused
          ? 'paused'
          : undeliverableReason === null
            ? describeSeconds(estimatedSeconds)
            : undeliverableReason;
        const rows = assets.map((each) => [
          each.mayBegin ? each.token : `${each.token} (closed)`,
          `${each.feeBps / 100} %`,
          each.minimumFeeFormatted,
          each.minimumAmountFormatted,
          each.maximumAmountFormatted,
          each.availableAmountFormatted,
        ]);
        return [{ text: `${describeDirection(direction)}: ${state}` }, { head: HEAD, rows }];
      }),
    );
    return 'done';
  },
});
