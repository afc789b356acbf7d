import { withdrawXcn, withdrawXcnByIntent } from '@causeway/sdk';
import { defineCommand } from '../command.js';
import { beginTransfer } from '../transfer/begin.js';
import { addBeginOptions, type BeginOptions } from '../transfer/options.js';

export const command = defineCommand<BeginOptions & { readonly byIntent?: boolean }, [amount: string]>({
  define: (syntax) => {
    addBeginOptions(syntax.argument('<amount>', 'XCN as a plain decimal, such as 6000')).option(
      '--by-intent',
      'sign an intent and pay the relayer wallet, instead of calling BridgeMint',
    );
  },
  run: async (context, options, [amount]) =>
    beginTransfer(
      context,
      options,
      options.byIntent === true
        ? { kind: 'INTENT', asset: 'XCN', amount, send: withdrawXcnByIntent }
        : { kind: 'WITHDRAW_NATIVE', asset: 'XCN', amount, send: withdrawXcn },
    ),
});
