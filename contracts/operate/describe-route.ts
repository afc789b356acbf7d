import { decodeFunctionData, encodeFunctionData } from 'viem';
import type { OperatorCall } from './operator-call.js';
import type { Route } from './route-call.js';

const SAYS: Readonly<Record<Route['step'], string>> = {
  call: 'call',
  announce: 'announce to the timelock',
  wait: 'wait for the timelock, then execute',
  execute: 'execute by the timelock',
};

/**
 * Says in words what would be sent: the call to the bridge as decoded from its data, not as it was meant, and the transaction
 * that makes it, with its data for those who sign elsewhere.
 */
export function describeRoute(call: OperatorCall, route: Route): string {
  const { abi, functionName, args } = call;
  const decoded = decodeFunctionData({ abi, data: encodeFunctionData({ abi, functionName, args }) });
  const item = abi.find((one) => one.type === 'function' && one.name === decoded.functionName);
  const names = item?.type === 'function' ? item.inputs.map(({ name }) => name) : [];
  const shown = (decoded.args ?? []).map((value, index) => `  ${names[index] ?? index} = ${String(value)}`);
  const data = encodeFunctionData({ abi: route.abi, functionName: route.functionName, args: [...route.args] });
  const readyAt =
    route.readyAt === undefined ? [] : [`ready at ${new Date(Number(route.readyAt) * 1_000).toISOString()}`];
  return [
    `${call.contract} on ${call.chain}: ${decoded.functionName}`,
    ...shown,
    `${SAYS[route.step]}: ${route.functionName} of ${route.to}`,
    ...readyAt,
    `data ${data}`,
  ].join('\n');
}
