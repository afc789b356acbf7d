import type { OperateInput } from './operate-input.js';
import { prepareCall } from './prepare-call.js';
import { sendRoute } from './send-route.js';

/**
 * Makes calls of which each is worth making alone, as in an emergency: what can be sent is sent, at once and to all chains at
 * the same time, whatever becomes of the rest.
 *
 * @throws Error at the end that says which calls were not made, and why.
 */
export async function operateEach(input: OperateInput): Promise<void> {
  const { calls, wallets, onLine } = input;
  const outcomes = await Promise.allSettled(
    calls.map(async (call) => {
      const route = await prepareCall(call, input);
      if (wallets !== undefined) await sendRoute(call, route, input);
    }),
  );
  if (wallets === undefined) onLine('Nothing was sent: this was a dry run.');
  const failures = outcomes.flatMap((outcome, index) => {
    const call = calls[index];
    if (outcome.status === 'fulfilled' || call === undefined) return [];
    const reason = outcome.reason instanceof Error ? outcome.reason.message : String(outcome.reason);
    const verb = wallets === undefined ? 'CANNOT BE DONE' : 'WAS NOT DONE';
    return [`${call.functionName} of ${call.contract} ${verb} on ${call.chain}: ${reason}`];
  });
  if (failures.length > 0) throw new Error(failures.join('\n'));
}
