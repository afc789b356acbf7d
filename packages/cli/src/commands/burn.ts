import { burn } from '@causeway/sdk';
import { defineCommand } from '../command.js';
import { beginTransfer } from '../transfer/begin.js';
import { addBeginOptions, type BeginOptions } from '../transfer/options.js';

export const command = defineCommand<BeginOptions, [asset: string, amount: string]>({
  define: (syntax) => {
    addBeginOptions(
      syntax
        .argument('<asset>', 'the symbol of a token, such as USDC')
        .argument('<amount>', 'a plain decimal, such as 12.5'),
    );
  },
  run: async (context, options, [asset, amount]) =>
    beginTransfer(context, options, { kind: 'BURN', asset, amount, send: burn }),
});
