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
import { adminTimelockAbi, sentinelAbi } from '@causeway/contracts/abi';
import { PlanRefusedError, getViewParameters, readOffices, readTimelock, type AdminCall } from './calls.js';

/** The transaction that makes a call: directly, or through the admin's timelock in two steps. */
export interface Route {
  readonly step: 'call' | 'schedule' | 'wait' | 'execute';
  /** The contract that the account calls now, or later for `wait`. */
  readonly abi: Abi;
  readonly to: Address;
  readonly functionName: string;
  readonly args: readonly unknown[];
  /** Native coin that the transaction sends, in wei. */
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

/** The same call may be scheduled again after its execution; more repetitions indicate a mistake. */
const MOST_REPETITIONS = 1_000n;

/** The account does not hold the role that a call needs. The message names the account that does. */
export class RoleError extends Error {
  override readonly name = 'RoleError';
  readonly docsPath = 'operate/reference.md#admin-commands';
  constructor(
    readonly account: Address,
    message: string,
    /** The timelock whose owner could make the call; undefined for calls outside the timelock. */
    readonly timelock?: Address,
  ) {
    super(message);
  }
}

/**
 * Finds the transaction with which an account makes a call now.
 *
 * @throws RoleError when the account does not hold the role that the call needs.
 */
export async function routeCall(client: PublicClient, call: AdminCall, account: Address): Promise<Route> {
  const { role } = call;
  const direct = directRoute(call);
  if (role === 'anyone') return direct;
  if (role === 'office') {
    await expectOffice(client, call, account);
    return direct;
  }
  const name = call.contract === 'AdminTimelock' ? `the admin timelock on ${call.chain}` : call.contract;
  const hint = (holder: Address) =>
    `on ${call.chain}: ${holder} is. Use that account, with --chain if each chain has its own`;
  if (role === 'pauser' || role === 'guardian') {
    const guardian = await readGuardian(client, call);
    if (isAddressEqual(guardian, account)) return direct;
    if (role === 'pauser' && (await isPauser(client, call, account))) return direct;
    const needed = role === 'pauser' ? 'neither pauser nor guardian' : 'not guardian';
    throw new RoleError(account, `${account} is ${needed} of ${bridgeName(call)} ${hint(guardian)}`);
  }
  if (role !== 'admin') {
    const holder = await client.readContract({ ...getViewParameters(call), functionName: role });
    if (!isAddressEqual(holder, account)) {
      throw new RoleError(account, `${account} is not ${role} of ${name} ${hint(holder)}`);
    }
    return direct;
  }
  // Only a timelock changes itself, even where a local deployment has an account as admin.
  const owner = { ...getViewParameters(call), functionName: 'owner' } as const;
  const admin = call.contract === 'AdminTimelock' ? call.to : await client.readContract(owner);
  if (isAddressEqual(admin, account)) return direct;
  if (!(await client.getCode({ address: admin }))) {
    throw new RoleError(account, `${account} is not admin of ${name} ${hint(admin)}`);
  }
  return routeThroughTimelock(client, call, account, admin);
}

/** The account of the guardian's office. */
async function readGuardian(client: PublicClient, call: AdminCall): Promise<Address> {
  const { to } = await readTimelock(client, call);
  return client.readContract({ address: to, abi: adminTimelockAbi, functionName: 'guardian' });
}

async function isPauser(client: PublicClient, { sentinel }: AdminCall, account: Address): Promise<boolean> {
  return client.readContract({ address: sentinel, abi: sentinelAbi, functionName: 'isPauser', args: [account] });
}

/** The bridge contract that a call concerns. */
function bridgeName({ chain }: AdminCall): 'BridgeLock' | 'BridgeMint' {
  return chain === 'ethereum' ? 'BridgeLock' : 'BridgeMint';
}

/** The route of a call that its account makes directly. Asks no node, so the role is not checked. */
export function directRoute({ to, abi, functionName, args, value = 0n }: AdminCall): Route {
  return { step: 'call', abi, to, functionName, args, value };
}

/** Whether the transaction of the step changes the bridge when it is mined. */
export function takesEffect({ step }: Route): boolean {
  return step === 'call' || step === 'execute';
}

/** Explains why a call that would take effect now waits for the command's other call. */
export function heldBack({ functionName, chain }: AdminCall): string {
  return `${functionName} on ${chain} is held back, because the other chain is not ready. Use --chain ${chain} to send it alone.`;
}

async function expectOffice(client: PublicClient, { chain, to }: AdminCall, account: Address): Promise<void> {
  const offices = await readOffices(client, to);
  if (offices.some((one) => isAddressEqual(one.account, account))) return;
  const holders = offices.map((one) => `${one.office} ${one.account}`).join(', ');
  throw new RoleError(account, `${account} holds no office of the admin timelock on ${chain}, which has ${holders}`);
}

async function routeThroughTimelock(
  client: PublicClient,
  { chain, to, abi, functionName, args, contract }: AdminCall,
  account: Address,
  admin: Address,
): Promise<Route> {
  const timelock = { address: admin, abi: adminTimelockAbi } as const;
  const proposer = await client.readContract({ ...timelock, functionName: 'PROPOSER_ROLE' });
  const proposes = await client.readContract({ ...timelock, functionName: 'hasRole', args: [proposer, account] });
  if (!proposes) {
    const owned = `the owner of the timelock ${admin}, the admin of ${contract} on ${chain}`;
    const hint = 'use the owner, with --chain if each chain has its own';
    throw new RoleError(account, `${account} is not ${owned}: ${hint}`, admin);
  }
  const data = encodeFunctionData({ abi, functionName, args });
  for (let repetition = 0n; repetition < MOST_REPETITIONS; repetition++) {
    const salt: Hex = numberToHex(repetition, { size: 32 });
    const operation = [to, 0n, data, zeroHash, salt] as const;
    const id = await client.readContract({ ...timelock, functionName: 'hashOperation', args: operation });
    if (await client.readContract({ ...timelock, functionName: 'isOperationDone', args: [id] })) continue;
    const shared = { to: admin, abi: adminTimelockAbi, value: 0n } as const;
    // A call that was ready for two weeks has expired and must be scheduled again.
    if (!(await client.readContract({ ...timelock, functionName: 'isOperation', args: [id] }))) {
      const delay = await client.readContract({ ...timelock, functionName: 'getMinDelay' });
      return { ...shared, step: 'schedule', functionName: 'schedule', args: [...operation, delay] };
    }
    const readyAt = await client.readContract({ ...timelock, functionName: 'getTimestamp', args: [id] });
    const ready = await client.readContract({ ...timelock, functionName: 'isOperationReady', args: [id] });
    return { ...shared, step: ready ? 'execute' : 'wait', functionName: 'execute', args: operation, readyAt };
  }
  throw new PlanRefusedError(`${functionName} was already executed ${MOST_REPETITIONS} times with these arguments`);
}

/**
 * Describes a transaction before it is sent: the call to the bridge, decoded from its data, and the transaction that
 * makes it, with the data for another signer, such as a multi-signature wallet.
 */
export function describeRoute(call: AdminCall, route: Route): string {
  const decoded = decodeCall(call.abi, encodeFunctionData(call));
  const shown = decoded.arguments.map(({ name, value }) => `  ${name} = ${value}`);
  const data = routeData(route);
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

/** The data of the transaction of a route. */
export function routeData({ abi, functionName, args }: Route): Hex {
  return encodeFunctionData({ abi, functionName, args: [...args] });
}

/** A call decoded from its data, with the names of its arguments. */
export interface DecodedCall {
  readonly functionName: string;
  readonly arguments: readonly { readonly name: string; readonly value: string }[];
}

/**
 * Decodes a call from its data.
 *
 * @throws viem's errors when the contract has no such function, or when the data does not match it.
 */
export function decodeCall(abi: Abi, data: Hex): DecodedCall {
  const { functionName, args = [] } = decodeFunctionData({ abi, data });
  const item = abi.find((one) => one.type === 'function' && one.name === functionName);
  const names = item?.type === 'function' ? item.inputs.map(({ name }) => name) : [];
  return {
    functionName,
    arguments: args.map((value, index) => ({ name: names[index] ?? String(index), value: printValue(value) })),
  };
}

/** Formats a value on one line, with the names of a tuple's fields. */
export function printValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `{ ${Object.entries(value)
    .map(([name, field]) => `${name}: ${printValue(field)}`)
    .join(', ')} }`;
}
