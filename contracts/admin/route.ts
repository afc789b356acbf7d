import {
  decodeFunctionData,
  encodeFunctionData,
  isAddressEqual,
  numberToHex,
  zeroHash,
  type Abi,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { adminTimelockAbi } from '../generated/abi.js';
import { readsOf, type AdminCall } from './calls.js';

/** The transaction that makes a call: directly, or through the admin's timelock in two steps. */
export interface Route {
  readonly step: 'call' | 'schedule' | 'wait' | 'execute';
  /** The account calls this contract now; for `wait` it does so later. */
  readonly abi: Abi;
  readonly to: Address;
  readonly functionName: string;
  readonly args: readonly unknown[];
  /** Native coin that the transaction carries, in wei. */
  readonly value: bigint;
  /** Unix seconds from which a scheduled call may be executed. */
  readonly readyAt?: bigint;
}

const STEP_WORDS: Readonly<Record<Route['step'], string>> = {
  call: 'call',
  schedule: 'schedule in the timelock',
  wait: 'wait for the timelock, then execute',
  execute: 'execute in the timelock',
};

/** The same call may be scheduled again after its execution; more repetitions are a mistake. */
const MOST_REPETITIONS = 1_000n;

/**
 * Finds the transaction by which an account makes a call now.
 *
 * @throws Error when the account does not hold the role that the call needs.
 */
export async function routeCall(client: PublicClient, call: AdminCall, account: Address): Promise<Route> {
  const { to, abi, functionName, args, role, value = 0n } = call;
  const direct = { step: 'call', abi, to, functionName, args, value } as const;
  if (role === 'anyone') return direct;
  const name = call.contract === 'AdminTimelock' ? `the admin timelock on ${call.chain}` : call.contract;
  const hint = `on ${call.chain}: use the account that is, and --chain if each chain has its own`;
  if (role !== 'admin') {
    const holder = await client.readContract({ ...readsOf(call), functionName: role });
    if (!isAddressEqual(holder, account)) throw new Error(`${account} is not ${role} of ${name} ${hint}`);
    return direct;
  }
  const admin = await client.readContract({ ...readsOf(call), functionName: 'owner' });
  if (isAddressEqual(admin, account)) return direct;
  if (!(await client.getCode({ address: admin }))) throw new Error(`${account} is not admin of ${name} ${hint}`);
  return routeThroughTimelock(client, call, account, admin, hint);
}

async function routeThroughTimelock(
  client: PublicClient,
  { to, abi, functionName, args, contract }: AdminCall,
  account: Address,
  admin: Address,
  hint: string,
): Promise<Route> {
  const timelock = { address: admin, abi: adminTimelockAbi } as const;
  const proposer = await client.readContract({ ...timelock, functionName: 'PROPOSER_ROLE' });
  const proposes = await client.readContract({ ...timelock, functionName: 'hasRole', args: [proposer, account] });
  if (!proposes) throw new Error(`${account} is not the owner of the timelock that is admin of ${contract} ${hint}`);
  const data = encodeFunctionData({ abi, functionName, args });
  for (let repetition = 0n; repetition < MOST_REPETITIONS; repetition++) {
    const salt: Hex = numberToHex(repetition, { size: 32 });
    const operation = [to, 0n, data, zeroHash, salt] as const;
    const id = await client.readContract({ ...timelock, functionName: 'hashOperation', args: operation });
    if (await client.readContract({ ...timelock, functionName: 'isOperationDone', args: [id] })) continue;
    const shared = { to: admin, abi: adminTimelockAbi, value: 0n } as const;
    const readyAt = await client.readContract({ ...timelock, functionName: 'getTimestamp', args: [id] });
    if (readyAt === 0n) {
      const delay = await client.readContract({ ...timelock, functionName: 'getMinDelay' });
      return { ...shared, step: 'schedule', functionName: 'schedule', args: [...operation, delay] };
    }
    const ready = await client.readContract({ ...timelock, functionName: 'isOperationReady', args: [id] });
    return { ...shared, step: ready ? 'execute' : 'wait', functionName: 'execute', args: operation, readyAt };
  }
  throw new Error(`${functionName} with these arguments was executed ${MOST_REPETITIONS} times already`);
}

/**
 * Describes a transaction before it is sent: the call to the bridge, decoded from its data, and the transaction that
 * makes it, with the data for a signer elsewhere, such as a multi-signature wallet.
 */
export function describeRoute(call: AdminCall, route: Route): string {
  const { abi, functionName, args } = call;
  const decoded = decodeFunctionData({ abi, data: encodeFunctionData({ abi, functionName, args }) });
  const item = abi.find((one) => one.type === 'function' && one.name === decoded.functionName);
  const names = item?.type === 'function' ? item.inputs.map(({ name }) => name) : [];
  const shown = (decoded.args ?? []).map((value, index) => `  ${names[index] ?? index} = ${printValue(value)}`);
  const data = encodeFunctionData({ abi: route.abi, functionName: route.functionName, args: [...route.args] });
  const readyAt =
    route.readyAt === undefined ? [] : [`ready at ${new Date(Number(route.readyAt) * 1_000).toISOString()}`];
  return [
    `${call.contract} on ${call.chain}: ${decoded.functionName}`,
    ...shown,
    `${STEP_WORDS[route.step]}: ${route.functionName} of ${route.to}`,
    ...(route.value === 0n ? [] : [`value ${route.value} wei`]),
    ...readyAt,
    `data ${data}`,
  ].join('\n');
}

/** Lists and tuples in one line, with the names of a tuple's fields. */
function printValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `{ ${Object.entries(value)
    .map(([name, field]) => `${name}: ${printValue(field)}`)
    .join(', ')} }`;
}
