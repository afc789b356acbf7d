import { isTerminal, getToken, type Side } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import {
  decodeEventLog,
  decodeFunctionResult,
  encodeEventTopics,
  encodeFunctionData,
  type Abi,
  type Address,
  type Hex,
} from 'viem';
import { BOOK } from '../bridge.ts';
import { ViolationError } from '../outcome.ts';
import type { Simulation } from '../environment/simulation.ts';
import { readArrivals } from './arrivals.ts';
import { checkBalances, checkBooks } from './books.ts';
import { checkIntents } from './intents.ts';
import { checkRefunds, isTooSmall } from './refunds.ts';

const SIDES = ['ethereum', 'partner'] as const;
const PAYMENTS: ReadonlySet<Hex | undefined> = new Set([
  encodeEventTopics({ abi: bridgeLockAbi, eventName: 'Release' })[0],
  encodeEventTopics({ abi: bridgeMintAbi, eventName: 'Mint' })[0],
]);

/** An event of a bridge contract on the current branch. */
interface Event {
  readonly txHash: Hex;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Checks the state after all faults have ended and everything had time to complete. Throws ViolationError. */
export async function checkEnd(simulation: Simulation): Promise<void> {
  // A forgery that a reorg removed after its alarm also leaves deliveries halted.
  if (hasForgery(simulation) || (simulation.forgeries.size > 0 && isAlarmed(simulation))) return checkAlarm(simulation);
  if (hasUnmatched(simulation)) return;
  const events = { ethereum: readEvents(simulation, 'ethereum'), partner: readEvents(simulation, 'partner') };
  checkDeliveries(simulation, events);
  checkOperations(simulation);
  checkHalts(simulation);
  await checkSolvency(simulation);
  const arrivals = SIDES.flatMap((side) => readArrivals(simulation.bridge[side], side));
  checkBooks(simulation, arrivals);
  checkIntents(simulation, arrivals, checkRefunds(simulation, arrivals));
  await checkBalances(simulation, arrivals);
}

function readEvents(simulation: Simulation, side: Side): Event[] {
  const chain = simulation.bridge[side];
  const bridge = side === 'ethereum' ? BOOK.ethereum.bridgeLock : BOOK.partner.bridgeMint;
  const abi: Abi = side === 'ethereum' ? bridgeLockAbi : bridgeMintAbi;
  const events: Event[] = [];
  for (let number = 1; number <= chain.head.number; number++)
    for (const { logs, transaction } of chain.blockAt(number).mined)
      for (const { address, topics, data } of logs) {
        if (address !== bridge) continue;
        const { eventName, args } = decodeEventLog({ abi, topics: [...topics] as [Hex, ...Hex[]], data });
        events.push({ txHash: transaction.hash, name: String(eventName), args: args as unknown as Event['args'] });
      }
  return events;
}

/** Whether a forged delivery was mined and paid. */
function hasForgery({ bridge, forgeries }: Simulation): boolean {
  return SIDES.some((side) =>
    Array.from({ length: bridge[side].head.number }, (_, index) => bridge[side].blockAt(index + 1)).some(({ mined }) =>
      mined.some(
        ({ transaction: { hash }, logs }) => forgeries.has(hash) && logs.some(({ topics }) => PAYMENTS.has(topics[0])),
      ),
    ),
  );
}

/** Whether a reorg of final blocks gave an operation's number to another one. Operators settle that by hand. */
function hasUnmatched({ bridge, database, hasFinalReorg }: Simulation): boolean {
  if (!hasFinalReorg) return false;
  const hashes = SIDES.flatMap((side) =>
    Array.from({ length: bridge[side].head.number }, (_, index) => bridge[side].blockAt(index + 1).hash),
  );
  return database.operations.some(
    ({ status, originBlockHash }) =>
      !isTerminal(status) && originBlockHash !== null && !hashes.some((hash) => hash === originBlockHash),
  );
}

/** A forged delivery must halt deliveries. People decide what follows. */
function checkAlarm(simulation: Simulation): void {
  if (!isAlarmed(simulation))
    throw new ViolationError('a forged delivery raises an alarm', `${simulation.alarms.length} alarms`);
}

/** Whether an unknown delivery has halted deliveries. */
export function isAlarmed({ database, alarms }: Simulation): boolean {
  const isHalted = database.cursors.some(({ deliveriesHaltedReason }) => deliveriesHaltedReason !== null);
  return isHalted && alarms.some((line) => line.includes('unknown delivery'));
}

/** Each deposit and withdrawal is paid exactly once, to the right recipient, and nothing else is paid. */
function checkDeliveries(simulation: Simulation, events: Readonly<Record<Side, readonly Event[]>>): void {
  const pairs = [
    { from: 'ethereum', origin: 'Deposit', to: 'partner', delivery: 'Mint', idOf: 'depositId' },
    { from: 'partner', origin: 'Withdraw', to: 'ethereum', delivery: 'Release', idOf: 'withdrawId' },
  ] as const;
  for (const { from, origin, to, delivery, idOf } of pairs) {
    const paid = new Map<Hex, Event['args']>();
    for (const { txHash, name, args } of events[to]) {
      if (name !== delivery || simulation.useless.has(txHash)) continue;
      const id = args[idOf] as Hex;
      if (paid.has(id)) throw new ViolationError('nothing is paid twice', `${delivery} ${id}`);
      paid.set(id, args);
    }
    for (const { name, args } of events[from]) {
      if (name !== origin) continue;
      const id = args[idOf] as Hex;
      const payment = paid.get(id);
      if (payment === undefined) throw new ViolationError('every operation is paid', `${origin} ${id} is not`);
      const terms = formatTerms(args);
      if (`${String(payment['recipient'])} ${String(payment['amount'])}` !== terms)
        throw new ViolationError('a payment has the terms of its operation', `${id}: ${terms}`);
      paid.delete(id);
    }
    for (const id of paid.keys()) {
      const intent = simulation.database.operations.find((operation) => operation.id === id);
      if (intent?.kind !== 'INTENT')
        throw new ViolationError('nothing is paid without an operation', `${delivery} ${id}`);
    }
  }
}

/** The recipient and amount that an origin event owes. */
function formatTerms({ recipient, destination, amount, fee }: Event['args']): string {
  return `${String(recipient ?? destination)} ${(amount as bigint) - ((fee as bigint | undefined) ?? 0n)}`;
}

function checkOperations(simulation: Simulation): void {
  const { database } = simulation;
  for (const { id, status, kind, delayedReason } of database.operations)
    if (!isTerminal(status)) {
      const why = delayedReason === null ? '' : ` for ${delayedReason}`;
      throw new ViolationError('every operation ends', `${kind} ${id} is ${status}${why}`);
    }
  for (const refund of database.refunds)
    if (refund.status !== 'COMPLETED' && !isTooSmall(simulation, refund))
      throw new ViolationError('every refund is paid', `${refund.id} is ${refund.status}`);
}

function checkHalts({ database, alarms, useless, hasFinalReorg }: Simulation): void {
  for (const { chainId, haltedReason, deliveriesHaltedReason } of database.cursors) {
    const reason = haltedReason ?? deliveriesHaltedReason;
    if (reason !== null) throw new ViolationError('nothing stays halted', `chain ${chainId}: ${reason}`);
  }
  if (hasFinalReorg) return;
  const isOfThief = (line: string) => [...useless].some((hash) => line.includes(hash));
  const falseAlarm = alarms.find((line) => /unknown delivery|insolvent|not backed/.test(line) && !isOfThief(line));
  if (falseAlarm !== undefined) throw new ViolationError('no false alarm', falseAlarm);
}

/** The collateral on Ethereum covers the minted tokens. */
async function checkSolvency({ bridge }: Simulation): Promise<void> {
  const read = async (side: Side, to: Address, abi: Abi, functionName: string, args: readonly unknown[]) => {
    const chain = bridge[side];
    const data = encodeFunctionData({ abi, functionName, args: [...args] });
    const answer = await chain.call({ from: BOOK.relayer, to, value: 0n, data }, chain.head);
    return decodeFunctionResult({ abi, functionName, data: answer }) as bigint;
  };
  for (const asset of ['ETH', 'USDC'] as const) {
    const locked = await read('ethereum', BOOK.ethereum.bridgeLock, bridgeLockAbi, 'locked', [
      getToken(BOOK, 'ethereum', asset),
    ]);
    const token = getToken(BOOK, 'partner', asset);
    const supply = await read('partner', token, bridgedTokenAbi, 'totalSupply', []);
    const handedIn = await read('partner', token, bridgedTokenAbi, 'handedIn', [BOOK.relayer]);
    if (locked < supply - handedIn)
      throw new ViolationError('everything is backed', `${asset}: ${locked} locked, ${supply - handedIn} outstanding`);
  }
}
