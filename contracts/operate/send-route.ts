import { encodeFunctionData } from 'viem';
import { sendAndWait } from '../deploy/send-and-wait.js';
import type { OperateInput } from './operate-input.js';
import type { OperatorCall } from './operator-call.js';
import type { Route } from './route-call.js';

/**
 * Sends what a call takes now, and waits until it is mined.
 *
 * @throws Error when it reverts, or when there is no wallet for its chain.
 */
export async function sendRoute(
  call: OperatorCall,
  { to, abi, functionName, args }: Route,
  { clients, wallets, onLine }: Pick<OperateInput, 'clients' | 'wallets' | 'onLine'>,
): Promise<void> {
  const [client, wallet] = [clients[call.chain], wallets?.[call.chain]];
  if (client === undefined || wallet === undefined) throw new Error(`There is no wallet for the chain ${call.chain}`);
  const data = encodeFunctionData({ abi, functionName, args: [...args] });
  const { transactionHash } = await sendAndWait({ client, wallet }, `${call.functionName} on ${call.chain}`, {
    to,
    data,
  });
  onLine(`sent to ${call.chain}: ${transactionHash}`);
}
