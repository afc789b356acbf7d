import type { Side } from '@causeway/protocol';
import { getQuote } from '@causeway/sdk';
import { Option } from 'commander';
import { defineCommand } from '../command.js';
import { describeDirection, describeFee, describeSeconds, toDirection } from '../output/words.js';
import { connect } from '../settings/connection.js';

interface QuoteOptions {
  readonly to: Side;
  readonly sender?: string;
  readonly recipient?: string;
}

export const command = defineCommand<QuoteOptions, [asset: string, amount: string]>({
  define: (syntax) => {
    syntax
      .argument('<asset>', 'its symbol, such as USDC')
      .argument('<amount>', 'a plain decimal, such as 12.5')
      .addOption(new Option('--to <chain>', 'destination chain').choices(['ethereum', 'partner']).makeOptionMandatory())
      .option('--sender <address>', 'also warn about this sender')
      .option('--recipient <address>', 'also warn about this recipient');
  },
  run: async (context, { to, sender, recipient }, [asset, amount]) => {
    const bridge = await connect(context);
    const { printer, reads } = context;
    const token = asset.toUpperCase();
    const terms = { asset: token, amount, direction: toDirection(to), sender, recipient };
    const quote = await getQuote(bridge, terms, reads);
    await printer.result(quote, () => [
      {
        rows: [
          ['Way', describeDirection(quote.direction)],
          ['Amount', `${quote.inputAmountFormatted} ${token}`],
          ['Fee', describeFee(quote, token)],
          ['Output', `${quote.outputAmountFormatted} ${token}`],
          ['Time', describeSeconds(quote.estimatedSeconds)],
          ['Can be delivered now', quote.deliverable ? 'yes' : `no: ${quote.undeliverableReason ?? 'unknown reason'}`],
        ],
      },
      ...(quote.paused ? [{ text: 'Transfers in this direction are paused.', tone: 'warning' } as const] : []),
      ...(quote.warnings ?? []).map(({ message }) => ({ text: `! ${message}`, tone: 'warning' }) as const),
    ]);
    return 'done';
  },
});
