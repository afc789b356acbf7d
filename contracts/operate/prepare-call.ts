import type { Abi, Address } from 'viem';
import { describeRoute } from './describe-route.js';
import { expectChain } from './expect-chain.js';
import type { OperateInput } from './operate-input.js';
import type { OperatorCall } from './operator-call.js';
import { routeCall, type Route } from './route-call.js';

/**
 * Finds how a call gets done, shows it decoded and tries it on the chain as it is now. Of what the timelock will do later, the
 * call itself is tried as well: an announcement of something that must revert would cost the whole delay.
 *
 * @throws Error when the account may not make the call; viem's errors with the contract's reason when it would revert, or when
 * the node does not answer.
 */
export async function prepareCall(
  call: OperatorCall,
  { account, clients, onLine }: Pick<OperateInput, 'account' | 'clients' | 'onLine'>,
): Promise<Route> {
  const client = clients[call.chain];
  if (client === undefined) throw new Error(`There is no node of the chain ${call.chain}`);
  await expectChain(client, call);
  const route = await routeCall(client, call, account);
  onLine(describeRoute(call, route));
  const attempt = async (by: Address, to: Address, abi: Abi, functionName: string, args: readonly unknown[]) =>
    client.simulateContract({ account: by, address: to, abi, functionName, args });
  const isLater = route.step === 'announce' || route.step === 'wait';
  // For these steps the route leads to the timelock, which makes the call in the end.
  if (isLater) await attempt(route.to, call.to, call.abi, call.functionName, call.args);
  if (route.step !== 'wait') await attempt(account, route.to, route.abi, route.functionName, route.args);
  return route;
}
