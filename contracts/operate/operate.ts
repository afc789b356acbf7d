import type { OperateInput } from './operate-input.js';
import { prepareCall } from './prepare-call.js';
import type { Route } from './route-call.js';
import { sendRoute } from './send-route.js';

/**
 * Makes calls that belong together: shows each decoded, tries it on the chain as it is now, and sends only where there are
 * wallets. All are tried before the first is sent, and where one end has to be announced or waited for, what would change the
 * other is held back: so a bridge is not left half changed by what could be known before.
 *
 * @throws Error when the account may not make a call; viem's errors with the contract's reason when a call would revert.
 */
export async function operate(input: OperateInput): Promise<void> {
  const prepared = [];
  for (const call of input.calls) prepared.push({ call, route: await prepareCall(call, input) });
  const isLate = prepared.some(({ route }) => !takesEffect(route));
  const toSend = [];
  for (const one of prepared) {
    const { call, route } = one;
    if (isLate && takesEffect(route)) {
      input.onLine(
        `${call.functionName} on ${call.chain} is held back: the other end is not ready. --chain ${call.chain} sends it alone.`,
      );
    } else if (route.step !== 'wait') toSend.push(one);
  }
  if (input.wallets === undefined) {
    input.onLine('Nothing was sent: this was a dry run.');
    return;
  }
  for (const { call, route } of toSend) await sendRoute(call, route, input);
  if (toSend.length === 0) input.onLine('Nothing was sent.');
}

/** Whether the bridge is another one after the step. */
function takesEffect({ step }: Route): boolean {
  return step === 'call' || step === 'execute';
}
