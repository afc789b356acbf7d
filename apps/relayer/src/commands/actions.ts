import { toAuditAction, getSubject } from '@causeway/protocol/admin';
import { HaltChangedError, type RequestEffect } from '@causeway/store';
import { planAction, readSnapshot } from '../requests/plan-request.js';
import type { CommandTerms } from '../requests/plan.js';
import { CommandRefusedError, type CommandContext } from './command-context.js';

/** The audit log's entry about an effect. */
type Entry = Parameters<CommandContext['store']['requests']['perform']>[1];

/**
 * Runs an operator's action as a command: prints the findings, then writes the effect with its row of the audit log.
 * Requests from the console use the same plan.
 *
 * @param isConfirmed false: only prints what would change.
 * @throws CommandRefusedError
 */
export async function runAction(
  context: CommandContext,
  terms: CommandTerms,
  reason: string,
  isConfirmed = true,
): Promise<void> {
  const on = await readSnapshot(context, terms);
  const { findings, effect, outcome } = await planAction(context, terms, reason, on);
  for (const finding of findings) context.print(finding);
  if (effect === null) throw new CommandRefusedError(outcome);
  if (!isConfirmed) return;
  const { kind: _kind, ...rest } = terms;
  await perform(context, effect, {
    action: toAuditAction(terms),
    subject: getSubject(terms),
    before: on,
    after: { ...rest, outcome },
    reason,
  });
  context.print(outcome);
}

/**
 * Writes an effect, with its row of the audit log.
 *
 * @throws CommandRefusedError when the state has changed in the meantime.
 */
export async function perform({ store }: CommandContext, effect: RequestEffect, entry: Entry): Promise<void> {
  try {
    if (await store.requests.perform(effect, entry)) return;
  } catch (error) {
    if (!(error instanceof HaltChangedError)) throw error;
    throw new CommandRefusedError(error.message, { cause: error });
  }
  throw new CommandRefusedError('The state changed while the command ran, so nothing was done. Run the command again');
}
