import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import {
  connectBridge,
  fromProvider,
  fromViem,
  getHistory,
  resume,
  type Bridge,
  type ForeignTransfer,
  type SentTransfer,
  type UndecidedTransfer,
  type Wallet,
} from '@causeway/sdk';
import { createWalletClient, http, type Address } from 'viem';
import { Random } from '../../chaos/random.js';
import type { TestEnvironment } from '../temporary-environment.js';
import { chooseFunds, FLOWS, followToEnd, pickRecipient, readBalance, type Flow } from './flows.js';
import { KilledError, Life, mortalBridge, mortalWallet, SharedStore } from './mortal-client.js';
import { fundUsers, type TestUser } from './users.js';
import { WindowWallet } from './window-wallet.js';

const TOGETHER = 5;
/** Timeout; blocks come every second. */
const LONGEST_MS = 60_000;
const LATER_MS = 3_000;

/** How the client of a transfer is killed, and how the transfer continues. */
interface Plan {
  readonly flow: Flow;
  readonly hasWindow: boolean;
  readonly lastDealing: number;
  readonly dies: 'before' | 'after';
  /** When the user approves the wallet request open at the kill. */
  readonly approval: 'before-resume' | 'after-resume' | 'never';
  /** Whether a program with another store continues, which must be given the record. */
  readonly goesElsewhere: boolean;
}

/** The outcome of a transfer. */
interface Outcome {
  readonly plan: Plan;
  readonly user: TestUser;
  readonly recipient: Address;
  readonly states: readonly string[];
  readonly sent: SentTransfer | null;
}

/**
 * Kills clients at random interactions, and resumes their transfers in others. `chaos` kills the bridge.
 * Replay: TEST_SEED.
 */
export function describeKills(getEnvironment: () => TestEnvironment, seed: number, count: number): void {
  describe('a client that is killed', () => {
    it(`TEST_SEED=${seed}: begins each of ${count} transfers once or not at all`, async () => {
      const environment = getEnvironment();
      const bridge = connectBridge({ apiUrl: environment.stack.apiUrl });
      const random = new Random(seed, 'kills');
      const pickFlow = random.dealer(FLOWS);
      const plans = Array.from({ length: count }, () => pickPlan(random, pickFlow()));
      const users = await fundUsers(
        environment,
        plans.map(({ flow }) => chooseFunds(flow)),
      );
      const work = zip(users, plans);
      const outcomes: Outcome[] = [];
      const stop = (error: unknown): never => {
        work.length = 0;
        throw error;
      };
      const workers = Array.from({ length: TOGETHER }, async () => {
        for (let next = work.shift(); next !== undefined; next = work.shift())
          outcomes.push(await run(environment, bridge, next.user, next.plan).catch(stop));
      });
      await settle(workers);
      await settle(outcomes.map(async (outcome) => checkOutcome(environment, bridge, outcome)));
      // Most transfers complete.
      expect(outcomes.filter(({ sent }) => sent !== null).length).toBeGreaterThan(count / 2);
    });
  });
}

/** Waits for all, so that a failed test leaves no work running, then throws the first failure. */
export async function settle(works: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}

function zip(users: readonly TestUser[], plans: readonly Plan[]) {
  return users.flatMap((user, index) => {
    const plan = plans[index];
    return plan === undefined ? [] : [{ user, plan }];
  });
}

function pickPlan(random: Random, flow: Flow): Plan {
  return {
    flow,
    hasWindow: random.isTrue(0.5),
    lastDealing: random.between(1, flow.dealings),
    dies: random.isTrue(0.5) ? 'before' : 'after',
    approval: random.pick(['before-resume', 'after-resume', 'never'] as const),
    goesElsewhere: random.isTrue(0.5),
  };
}

async function run(environment: TestEnvironment, bridge: Bridge, user: TestUser, plan: Plan): Promise<Outcome> {
  const { flow } = plan;
  const { chainId, rpcUrl } = environment.stack[flow.side];
  const window = new WindowWallet(user.account, chainId, rpcUrl);
  const connectWallet = (): Wallet =>
    plan.hasWindow
      ? fromProvider(window, user.account.address)
      : fromViem(createWalletClient({ account: user.account, transport: http(rpcUrl) }));
  const shared = new SharedStore();
  const recipient = pickRecipient();
  const terms = { asset: flow.asset, amount: flow.amount, recipient };
  const life = new Life(plan.lastDealing, plan.dies, () => {
    window.approvesAll = false;
  });
  const signal = AbortSignal.timeout(LONGEST_MS);
  const options = { store: shared.open(life), pollMs: 100, signal };
  try {
    const sent = await flow.begin(mortalBridge(bridge, life), mortalWallet(connectWallet(), life), terms, options);
    return { plan, user, recipient, states: ['SENT'], sent };
  } catch (error) {
    if (!(error instanceof KilledError) && !life.isOver) throw error;
  }
  if (plan.approval === 'before-resume') await window.approveAll();
  const [record] = shared.list();
  // It was killed before there was a record to resume.
  if (record === undefined) return { plan, user, recipient, states: [], sent: null };
  const store = plan.goesElsewhere ? new SharedStore() : shared;
  const resumeOnce = async (): Promise<SentTransfer | UndecidedTransfer | ForeignTransfer> => {
    const newest = store.list()[0] ?? record;
    const own = { store: store.open(new Life()), pollMs: 100, signal };
    const first = await resume(bridge, connectWallet(), JSON.stringify(newest), own);
    return first.state === 'FOREIGN' ? resume(bridge, connectWallet(), newest, { ...own, confirmed: true }) : first;
  };
  // A step not requested before the kill is requested now, and the user approves it.
  const waiting = window.windows.splice(0);
  window.approvesAll = true;
  const outcome = await resumeOnce();
  if (outcome.state === 'SENT') {
    // A leftover window is approved last: it must be for this transaction, or harmless.
    if (plan.approval === 'after-resume') for (const each of waiting) await each.approve();
    return { plan, user, recipient, states: ['SENT'], sent: outcome };
  }
  if (plan.approval === 'after-resume') for (const each of waiting) await each.approve();
  // The chain and the API can show it later.
  await setTimeout(LATER_MS);
  const last = await resumeOnce();
  return { plan, user, recipient, states: [outcome.state, last.state], sent: last.state === 'SENT' ? last : null };
}

/** Expects at most one transaction and one delivery, to the unit; none if the client sent none. */
async function checkOutcome(environment: TestEnvironment, bridge: Bridge, { plan, user, recipient, sent }: Outcome) {
  const { flow } = plan;
  const nonce = await environment[flow.side].client.getTransactionCount({ address: user.account.address });
  if (sent === null) {
    expect({ plan, nonce }).toEqual({ plan, nonce: 0 });
    return;
  }
  // The same authorization can be sent twice; the second one reverts.
  expect({ plan, nonce }).toEqual({ plan, nonce: flow.asset === 'USDC' && nonce === 2 ? 2 : 1 });
  const end = await followToEnd(bridge, sent);
  const other = flow.side === 'ethereum' ? 'partner' : 'ethereum';
  const delivered = await readBalance(environment, other, flow.asset, recipient);
  const wanted = { plan, status: 'COMPLETED', delivered: BigInt(end.outputAmount) };
  expect({ plan, status: end.status, delivered }).toEqual(wanted);
  const history = await getHistory(bridge, { address: user.account.address, role: 'sender' });
  expect(history.operations.filter(({ originTxHash }) => originTxHash !== null)).toHaveLength(1);
}
