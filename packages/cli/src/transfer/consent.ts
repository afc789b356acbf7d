import type { Context } from '../command.js';
import { NotConfirmedError } from '../errors.js';
import { askYesNo, isInteractive } from '../output/ask.js';

/** Whether the command asks a person before it sends. */
export function willAsk({ flags, streams }: Context, { yes = false }: { readonly yes?: boolean }): boolean {
  return !yes && flags.json !== true && isInteractive(streams);
}

/**
 * Refuses early when the command must ask and cannot.
 *
 * @throws NotConfirmedError
 */
export function assertMaySend(context: Context, options: { readonly yes?: boolean }): void {
  if (options.yes === true || willAsk(context, options)) return;
  throw new NotConfirmedError('Sending needs a confirmation, and there is no terminal to ask', 'Give --yes.');
}

/**
 * Asks once, unless `--yes` is given.
 *
 * @throws NotConfirmedError when the answer is no.
 */
export async function confirm(context: Context, options: { readonly yes?: boolean }, question: string): Promise<void> {
  if (!willAsk(context, options)) return;
  if (await askYesNo(context.streams, question)) return;
  throw new NotConfirmedError('Not confirmed: nothing was sent', 'Run the command again to send.');
}
