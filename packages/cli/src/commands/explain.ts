import { explainHash } from '@causeway/sdk';
import type { Hex } from 'viem';
import { defineCommand } from '../command.js';
import { UsageError } from '../errors.js';
import { connect } from '../settings/connection.js';

interface ExplainOptions {
  readonly sender?: string;
  readonly nonce?: string;
}

export const command = defineCommand<ExplainOptions, [hash: Hex]>({
  define: (syntax) => {
    syntax
      .argument('<hash>', 'hash of a transaction or user operation, or id of a transfer')
      .option('--sender <address>', 'with --nonce: check whether the wallet replaced the transaction')
      .option('--nonce <number>', 'nonce of the transaction, as its wallet shows it');
  },
  run: async (context, { sender, nonce }, [hash]) => {
    if (nonce !== undefined && !/^\d{1,15}$/.test(nonce)) throw new UsageError('nonce', 'must be a whole number');
    const bridge = await connect(context);
    const question = { hash, sender, ...(nonce === undefined ? {} : { nonce: Number(nonce) }) };
    const verdict = await explainHash(bridge, question, context.reads);
    const { code, message, nextStep, operationIds, until, replacedBy } = verdict;
    await context.printer.result(verdict, () => [
      { text: `${code}: ${message}` },
      { text: nextStep },
      ...(until === null ? [] : [{ text: `Until ${until}` }]),
      ...(replacedBy === null ? [] : [{ text: `Replaced by ${replacedBy}` }]),
      ...operationIds.map((id) => ({ text: `Transfer ${id}` })),
    ]);
    return 'done';
  },
});
