import { encodeFunctionData, type Address } from 'viem';
import type { DeployTarget } from '../deploy/deploy-target.js';
import { sendAndWait } from '../deploy/send-and-wait.js';
import { describeRoute } from './describe-route.js';
import type { OperatorCall } from './operator-call.js';
import { routeCall } from './route-call.js';

/** What an operator wants done, and by whom. */
export interface OperateInput {
  readonly calls: readonly OperatorCall[];
  /** Who makes the calls. */
  readonly account: Address;
  readonly clients: { readonly ethereum: DeployTarget['client']; readonly partner: DeployTarget['client'] };
  /** The wallets of that account; left out, nothing is sent: a dry run. */
  readonly wallets?: { readonly ethereum: DeployTarget['wallet']; readonly partner: DeployTarget['wallet'] };
  /** Hears what would be sent, and what was. */
  readonly onLine: (line: string) => void;
}

/**
 * Shows each call decoded and tries it on the chain as it is now; sends it only where there are wallets. All are tried before
 * the first is sent, so a bridge is not left half changed by what could be known before.
 *
 * @throws Error when the account may not make a call; viem's errors with the contract's reason when a call would revert.
 */
export async function operate({ calls, account, clients, wallets, onLine }: OperateInput): Promise<void> {
  const prepared = [];
  for (const call of calls) {
    const client = clients[call.chain];
    const route = await routeCall(client, call, account);
    onLine(describeRoute(call, route));
    const { to, abi, functionName, args } = route;
    if (route.step !== 'wait') await client.simulateContract({ account, address: to, abi, functionName, args });
    prepared.push({ call, route });
  }
  if (wallets === undefined) {
    onLine('Nothing was sent: this was a dry run.');
    return;
  }
  for (const { call, route } of prepared) {
    if (route.step === 'wait') continue;
    const data = encodeFunctionData({ abi: route.abi, functionName: route.functionName, args: [...route.args] });
    const target = { client: clients[call.chain], wallet: wallets[call.chain] };
    const { transactionHash } = await sendAndWait(target, `${call.functionName} on ${call.chain}`, {
      to: route.to,
      data,
    });
    onLine(`sent to ${call.chain}: ${transactionHash}`);
  }
}
