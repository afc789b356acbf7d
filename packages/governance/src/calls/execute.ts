import type { Address, PublicClient } from 'viem';
import { sendAndWait, type ChainName, type DeployTarget } from '@causeway/contracts/deploy';
import { clientOn, type AdminCall, type Clients } from './calls.js';
import { describeError } from './describe-error.js';
import { describeRoute, heldBack, routeCall, routeData, takesEffect, type Route } from './route.js';

/** The calls to make, and the account that makes them. */
export interface ExecuteInput {
  readonly calls: readonly AdminCall[];
  readonly account: Address;
  /** Clients of the chains of the calls. */
  readonly clients: Clients;
  /** Wallets of the account. Without them nothing is sent: a dry run. */
  readonly wallets?: Readonly<Partial<Record<ChainName, DeployTarget['wallet']>>>;
  /** Asks the operator before anything is sent. Omitted where no confirmation is needed. */
  readonly confirm?: () => Promise<boolean>;
  /** Receives lines for the operator. */
  readonly onLine: (line: string) => void;
}

/**
 * Makes calls that belong together: decodes, shows and simulates each, and sends them if there are wallets. All calls
 * are simulated before the first is sent. If one call must be scheduled or is waiting, calls that would take effect now
 * are held back, so that both contracts change together.
 *
 * @throws Error when the account may not make a call, or when the operator does not confirm; viem's errors with the
 * contract's reason when a call would revert.
 */
export async function executeTogether(input: ExecuteInput): Promise<void> {
  const prepared = [];
  for (const call of input.calls) prepared.push({ call, route: await prepareCall(call, input) });
  const isLate = prepared.some(({ route }) => !takesEffect(route));
  const toSend = [];
  for (const one of prepared) {
    const { call, route } = one;
    if (isLate && takesEffect(route)) {
      input.onLine(heldBack(call));
    } else if (route.step !== 'wait') toSend.push(one);
  }
  if (input.wallets === undefined) {
    input.onLine('Nothing was sent: this was a dry run.');
    return;
  }
  if (toSend.length === 0) {
    input.onLine('Nothing was sent.');
    return;
  }
  if (input.confirm !== undefined && !(await input.confirm())) throw new Error('Nothing was sent: not confirmed.');
  for (const { call, route } of toSend) await sendRoute(call, route, input);
}

/**
 * Makes independent calls, as in an emergency: all chains in parallel, and a failure does not stop the others.
 *
 * @throws Error after all calls ended, naming those that were not made, and why.
 */
export async function executeEach(input: ExecuteInput): Promise<void> {
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
    const verb = wallets === undefined ? 'CANNOT BE DONE' : 'WAS NOT DONE';
    return [`${call.functionName} of ${call.contract} ${verb} on ${call.chain}: ${describeError(outcome.reason)}`];
  });
  if (failures.length > 0) throw new Error(failures.join('\n'));
}

/** The parts of a call that its simulation needs. */
type SimulatedCall = Pick<AdminCall, 'to' | 'abi' | 'functionName' | 'args' | 'value'>;

/**
 * Finds the route of a call, shows the call decoded, and simulates it. Calls through the timelock are simulated too:
 * scheduling a call that reverts would cost the whole delay.
 */
async function prepareCall(
  call: AdminCall,
  { account, clients, onLine }: Pick<ExecuteInput, 'account' | 'clients' | 'onLine'>,
): Promise<Route> {
  const client = await clientOn(clients, call);
  const route = await routeCall(client, call, account);
  onLine(describeRoute(call, route));
  await simulateRoute(client, call, route, account);
  return route;
}

/**
 * Simulates the transaction of a route, and the call that the timelock makes for it.
 *
 * @throws viem's errors with the contract's reason when one would revert.
 */
export async function simulateRoute(
  client: PublicClient,
  call: AdminCall,
  route: Route,
  account: Address,
): Promise<void> {
  const simulate = async (by: Address, { to, abi, functionName, args, value = 0n }: SimulatedCall) =>
    client.simulateContract({ account: by, address: to, abi, functionName, args, value });
  // In every other step the timelock makes the call, now or later. Simulated directly, since the timelock's error would
  // hide the contract's.
  if (route.step !== 'call') await simulate(route.to, call);
  if (route.step !== 'wait') await simulate(account, route);
}

/** Sends the transaction of a route, and waits until it is mined. */
async function sendRoute(
  call: AdminCall,
  route: Route,
  { clients, wallets, onLine }: Pick<ExecuteInput, 'clients' | 'wallets' | 'onLine'>,
): Promise<void> {
  const [client, wallet] = [clients[call.chain], wallets?.[call.chain]];
  if (client === undefined || wallet === undefined) throw new Error(`No wallet for the ${call.chain} chain`);
  const { to, value } = route;
  const data = routeData(route);
  const purpose = `${call.functionName} on ${call.chain}`;
  const { transactionHash } = await sendAndWait({ client, wallet }, purpose, { to, data, value });
  onLine(`sent to ${call.chain}: ${transactionHash}`);
}
