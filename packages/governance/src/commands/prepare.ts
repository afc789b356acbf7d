import {
  BaseError,
  ContractFunctionRevertedError,
  encodeFunctionData,
  RpcRequestError,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { describeError } from '../calls/describe-error.js';
import type { AddressBook } from '@causeway/contracts/address-book';
import type { ChainName } from '@causeway/contracts/deploy';
import { clientOn, type AdminCall, type Clients } from '../calls/calls.js';
import { callHash } from '../calls/call-hash.js';
import type { AdminCommand } from './command.js';
import { simulateRoute } from '../calls/execute.js';
import {
  decodeCall,
  directRoute,
  heldBack,
  RoleError,
  routeCall,
  routeData,
  takesEffect,
  type Route,
} from '../calls/route.js';
import { clientAfter, NoSimulationError } from '../calls/simulate-effect.js';

/** One transaction of a command, as shown to its signer. */
export interface PreparedTransaction {
  readonly chain: ChainName;
  readonly chainId: number;
  readonly step: Route['step'];
  /** The call to the bridge, or to its timelock, decoded from its data. */
  readonly contract: AdminCall['contract'];
  readonly functionName: string;
  readonly arguments: readonly { readonly name: string; readonly value: string }[];
  /** The recipient of the transaction: the contract, or the timelock that makes the call. */
  readonly to: Address;
  readonly data: Hex;
  /** Wei. */
  readonly value: bigint;
  /** When a scheduled call may be executed. */
  readonly readyAt: Date | null;
  readonly callHash: Hex;
  /** The block at which the values were read; null when the chain could not be read. */
  readonly blockNumber: bigint | null;
  readonly changes: readonly { readonly name: string; readonly before: string; readonly after: string }[];
  /** Whether `after` was read after a simulated call. Otherwise it is computed from the arguments. */
  readonly isSimulated: boolean;
  /** Whether it can be sent now. */
  readonly maySend: boolean;
  /** Why it reverts, why it waits for the other chain, or that it could not be checked. */
  readonly problem: string | null;
}

/** A command with its options, and the account that will sign. */
export interface PrepareInput {
  readonly command: AdminCommand;
  readonly options: Readonly<Record<string, string>>;
  readonly account: Address;
  readonly book: AddressBook;
  /** Clients of both chains. To get all values at one block, pass clients that read only at that block. */
  readonly clients: Clients;
}

/**
 * Computes and simulates the transactions of a command, like the command line before it sends. Sends nothing.
 *
 * @throws OptionError when an option is wrong; RoleError when the account may not make the calls; PlanRefusedError when
 * a call would do harm; viem's errors when a node does not answer.
 */
export async function prepareCommand(input: PrepareInput): Promise<readonly PreparedTransaction[]> {
  const { command, options, book, clients } = input;
  const { chains, plan, fromBook } = command.read(options);
  const chosen = Object.fromEntries(Object.entries(clients).filter(([name]) => chains.some((chain) => chain === name)));
  const planned =
    command.isWorthHalf && fromBook !== undefined
      ? fromBook(book)
      : (await plan(book, chosen, clients, () => undefined)).calls;
  const calls = planned.filter((call) => chains.includes(call.chain));
  const outcomes = await Promise.allSettled(calls.map(async (call) => prepareCall(call, input)));
  const prepared = calls.map((call, index) => {
    const outcome = outcomes[index];
    if (outcome?.status === 'fulfilled') return { call, ...outcome.value };
    const isNeeded = command.isWorthHalf && !(outcome?.reason instanceof RoleError) && call.role !== 'admin';
    if (!isNeeded) throw outcome?.reason;
    return { call, ...unchecked(call) };
  });
  const isLate = !command.isWorthHalf && prepared.some(({ route }) => !takesEffect(route));
  return prepared.map(({ call, route, transaction }) =>
    isLate && takesEffect(route) && transaction.problem === null
      ? { ...transaction, maySend: false, problem: heldBack(call) }
      : transaction,
  );
}

/** The transactions of a command, computed from the address book alone. */
export function transactionsFromBook(calls: readonly AdminCall[]): readonly { call: AdminCall; route: Route }[] {
  return calls.map((call) => ({ call, route: directRoute(call) }));
}

interface PreparedCall {
  readonly route: Route;
  readonly transaction: PreparedTransaction;
}

async function prepareCall(call: AdminCall, { account, clients }: PrepareInput): Promise<PreparedCall> {
  const client = await clientOn(clients, call);
  const route = await routeCall(client, call, account);
  const problem = await findProblem(client, call, route, account);
  const { changes, isSimulated } = await readChanges(client, call, route, account, problem === null);
  const transaction = {
    ...describe(call, route),
    blockNumber: await client.getBlockNumber({ cacheTime: 0 }),
    changes,
    isSimulated,
    maySend: problem === null && route.step !== 'wait',
    problem,
  };
  return { route, transaction };
}

/** In an emergency a call is worth sending even if none of our nodes could check it. */
function unchecked(call: AdminCall): PreparedCall {
  const route = directRoute(call);
  const problem = `The nodes of ${call.chain} cannot be read, so this call was not checked.`;
  const unread = { blockNumber: null, changes: [], isSimulated: false, maySend: true, problem };
  return { route, transaction: { ...describe(call, route), ...unread } };
}

function describe(call: AdminCall, route: Route) {
  const { chain, chainId, contract, abi, functionName, args } = call;
  const data = routeData(route);
  const { to, value, step, readyAt } = route;
  return {
    chain,
    chainId,
    step,
    contract,
    ...decodeCall(abi, encodeFunctionData({ abi, functionName, args })),
    to,
    data,
    value,
    readyAt: readyAt === undefined ? null : new Date(Number(readyAt) * 1_000),
    callHash: callHash({ chainId, to, value, data }),
  };
}

/** Why the transaction reverts, or null. */
async function findProblem(client: PublicClient, call: AdminCall, route: Route, account: Address) {
  try {
    await simulateRoute(client, call, route, account);
    return null;
  } catch (error) {
    if (isAnswer(error)) return describeError(error);
    throw error;
  }
}

/** Whether the error is a node's verdict on the call, and not a missing answer. */
function isAnswer(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const judged = (cause: unknown) => cause instanceof ContractFunctionRevertedError || cause instanceof RpcRequestError;
  return error.walk(judged) !== null;
}

async function readChanges(
  client: PublicClient,
  call: AdminCall,
  route: Route,
  account: Address,
  simulates: boolean,
): Promise<Pick<PreparedTransaction, 'changes' | 'isSimulated'>> {
  const { before, after } = await call.effect(client);
  const simulated = simulates ? await readAfter(client, call, route.step === 'call' ? account : route.to) : null;
  const changes = Object.entries(after).map(([name, meant]) => ({
    name,
    before: before[name] ?? '',
    after: simulated?.[name] ?? meant,
  }));
  return { changes, isSimulated: simulated !== null };
}

/** The values after the call; null where the node cannot simulate it. */
async function readAfter(client: PublicClient, call: AdminCall, from: Address) {
  const { to, abi, functionName, args, value = 0n } = call;
  try {
    const after = await clientAfter(client, { from, to, data: encodeFunctionData({ abi, functionName, args }), value });
    return (await call.effect(after)).before;
  } catch (error) {
    if (error instanceof BaseError && error.walk((cause) => cause instanceof NoSimulationError) !== null) return null;
    throw error;
  }
}
