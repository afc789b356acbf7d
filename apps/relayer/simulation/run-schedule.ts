import { isTerminal } from '@causeway/protocol';
import { START_MS } from './bridge.ts';
import { checkEnd, isAlarmed } from './invariants/end.ts';
import { Observer } from './invariants/observer.ts';
import { isTooSmall } from './invariants/refunds.ts';
import { Verdicts } from './invariants/verdicts.ts';
import { ViolationError, type Outcome } from './outcome.ts';
import type { SimulatedServer } from './database/simulated-server.ts';
import type { SimulatedChain } from './chain/simulated-chain.ts';
import { Happenings, LONGEST_WAIT_MS } from './environment/happen.ts';
import { Operators } from './environment/operators.ts';
import type { Happening, Schedule } from './environment/schedule.ts';
import { USERS } from './environment/people.ts';
import { UsedUpNumbers } from './environment/used-up-numbers.ts';
import { LATEST_PAYMENT_MS, Users } from './environment/users.ts';
import { Simulation } from './environment/simulation.ts';

/** Without faults, everything must end within this time. */
const QUIET_MS = 700_000;
const CHECK_MS = 6_000;
/** Blocks after which a block is final and its consequences are written. */
const SETTLED_BLOCKS = 4;
/** How long the chains continue after everything has ended, in case something follows. */
const LAST_MS = 12_000;

/** Runs a schedule, and checks the invariants after every event and at the end. */
export async function runSchedule(schedule: Schedule, server: SimulatedServer): Promise<Outcome> {
  await server.empty();
  const simulation = new Simulation(schedule.seed, server);
  const verdicts = new Verdicts(simulation, schedule.seed);
  let violation = null;
  try {
    const users = new Users(simulation);
    users.equip();
    await simulation.mineBefore();
    // The funds from which withdrawals are paid.
    for (const asset of ['ETH', 'USDC', 'XCN'] as const) users.deposit(USERS[0], asset, users.nextAmount(asset) * 20n);
    await simulation.mineBefore();
    simulation.startChains();
    const begin = () => {
      for (const index of listRelayers(schedule)) simulation.startRelayer(index);
      const numbers = new UsedUpNumbers(simulation, users);
      new Operators(simulation, numbers).start();
      new Happenings(simulation, users, numbers).plan(schedule.happenings);
    };
    simulation.kernel.at(START_MS, begin, null);
    const observer = new Observer(simulation);
    const { database } = simulation;
    const check = async () => {
      await database.readChanges();
      observer.check();
      await verdicts.judgeSent();
    };
    const hasEnded = async () => {
      await database.readAll();
      return isOver(simulation);
    };
    const lastMs = Math.max(0, ...schedule.happenings.map(computeEnd));
    let untilMs = START_MS + lastMs + CHECK_MS;
    await simulation.kernel.run(untilMs, check);
    while (!(await hasEnded()) && untilMs < START_MS + lastMs + QUIET_MS)
      await simulation.kernel.run((untilMs += CHECK_MS), check);
    await simulation.kernel.run(untilMs + LAST_MS, check);
    await database.readAll();
    await checkEnd(simulation);
    await verdicts.checkEnd();
  } catch (error) {
    if (!(error instanceof ViolationError))
      throw new Error(`The simulation itself failed in schedule ${schedule.seed}`, { cause: error });
    violation = error.violation;
  }
  return { schedule, violation, story: simulation.story, events: simulation.kernel.count, judgements: verdicts.count };
}

const NEED_PASSIVE: ReadonlySet<string> = new Set(['crash', 'freeze', 'clock jump', 'slow database']);

/** The passive relayer runs only where it may have to take over. */
function listRelayers({ seed, happenings }: Schedule): readonly number[] {
  return seed % 4 === 0 || happenings.some(({ kind }) => NEED_PASSIVE.has(kind)) ? [0, 1] : [0];
}

/** When a happening and its outside consequences have ended, in milliseconds after the start. */
function computeEnd(happening: Happening): number {
  const lateMs = happening.kind === 'intent' ? LATEST_PAYMENT_MS : 0;
  if (happening.kind === 'limit') return happening.atMs + LONGEST_WAIT_MS + happening.forMs;
  return happening.atMs + ('forMs' in happening ? happening.forMs : lateMs);
}

/** Whether everything on the chains is final and read, and nothing is pending. */
function isOver(simulation: Simulation): boolean {
  const { database, bridge, forgeries } = simulation;
  if (forgeries.size > 0 && isAlarmed(simulation)) return true;
  for (const { chainId, nextBlock, deliveriesHaltedReason } of database.cursors) {
    if (deliveriesHaltedReason !== null) return false;
    const chain = chainId === bridge.ethereum.input.chainId ? bridge.ethereum : bridge.partner;
    const settledBlock = lastUsedBlock(chain) + BigInt(SETTLED_BLOCKS);
    if (chain.pool.senders().length > 0 || nextBlock <= settledBlock) return false;
    const accounted = database.audits.find((row) => row.chainId === chainId && row.blockNumber >= settledBlock);
    if (accounted === undefined) return false;
  }
  for (const { status } of database.operations) if (!isTerminal(status)) return false;
  for (const refund of database.refunds)
    if (refund.status !== 'COMPLETED' && !isTooSmall(simulation, refund)) return false;
  for (const { explanation } of database.differences) if (explanation === null) return false;
  for (const { state } of database.calls) if (state === 'PENDING') return false;
  return true;
}

/** The newest block with a transaction. */
function lastUsedBlock(chain: SimulatedChain): bigint {
  let { number } = chain.head;
  while (number > 0 && chain.blockAt(number).mined.length === 0) number -= 1;
  return BigInt(number);
}
