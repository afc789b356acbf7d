import {
  encodeFunctionData,
  isAddressEqual,
  numberToHex,
  zeroHash,
  type Abi,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { adminTimelockAbi, bridgeLockAbi } from '../generated/abi.js';
import type { OperatorCall } from './operator-call.js';

/** How a call gets done by an account: at once, or by way of the admin's timelock in two steps. */
export interface Route {
  readonly step: 'call' | 'announce' | 'wait' | 'execute';
  /** What the account calls now; for `wait` what it calls later. */
  readonly abi: Abi;
  readonly to: Address;
  readonly functionName: string;
  readonly args: readonly unknown[];
  /** Unix seconds from which an announced call may be executed. */
  readonly readyAt?: bigint;
}

/** The same call may be announced again once it was executed; nobody does that more often. */
const MOST_REPETITIONS = 1_000n;

/**
 * Finds how an account gets a call done.
 *
 * @throws Error when the account does not hold the office that the call needs.
 */
export async function routeCall(client: PublicClient, call: OperatorCall, account: Address): Promise<Route> {
  const { to, abi, functionName, args, office } = call;
  const direct = { step: 'call', abi, to, functionName, args } as const;
  if (office === 'anyone') return direct;
  const end = { address: to, abi: bridgeLockAbi } as const;
  const hint = `on ${call.chain}: use the account that is, and --chain where each chain has its own`;
  if (office === 'relayer') {
    const relayer = await client.readContract({ ...end, functionName: 'relayer' });
    if (!isAddressEqual(relayer, account)) throw new Error(`${account} is not relayer of ${call.contract} ${hint}`);
    return direct;
  }
  if (office !== 'admin') {
    const constant = office === 'guardian' ? 'GUARDIAN_ROLE' : 'POLICY_MANAGER_ROLE';
    const role = await client.readContract({ ...end, functionName: constant });
    const holds = await client.readContract({ ...end, functionName: 'hasRole', args: [role, account] });
    if (!holds) throw new Error(`${account} is not ${office} of ${call.contract} ${hint}`);
    return direct;
  }
  const admin = await client.readContract({ ...end, functionName: 'defaultAdmin' });
  if (isAddressEqual(admin, account)) return direct;
  if (!(await client.getCode({ address: admin })))
    throw new Error(`${account} is not admin of ${call.contract} ${hint}`);
  return routeThroughTimelock(client, call, account, admin, hint);
}

async function routeThroughTimelock(
  client: PublicClient,
  { to, abi, functionName, args, contract }: OperatorCall,
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
    const shared = { to: admin, abi: adminTimelockAbi } as const;
    const readyAt = await client.readContract({ ...timelock, functionName: 'getTimestamp', args: [id] });
    if (readyAt === 0n) {
      const delay = await client.readContract({ ...timelock, functionName: 'getMinDelay' });
      return { ...shared, step: 'announce', functionName: 'schedule', args: [...operation, delay] };
    }
    const ready = await client.readContract({ ...timelock, functionName: 'isOperationReady', args: [id] });
    return { ...shared, step: ready ? 'execute' : 'wait', functionName: 'execute', args: operation, readyAt };
  }
  throw new Error(`${functionName} with these arguments was executed ${MOST_REPETITIONS} times`);
}
