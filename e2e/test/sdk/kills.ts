import { setTimeout } from 'node:timers/promises';
import { expect } from '@jest/globals';
import {
  connectBridge,
  fromProvider,
  fromViem,
  getHistory,
  isBegun,
  resume,
  TransactionFailedError,
  UndecidedError,
  WalletRefusedError,
  type Bridge,
  type ForeignTransfer,
  type SentTransfer,
  type UndecidedTransfer,
  type Wallet,
} from '@causeway/sdk';
import { createWalletClient, custom, type Address, type Hex } from 'viem';
import { Random } from '../../chaos/random.js';
import type { TestEnvironment } from '../temporary-environment.js';
import { chooseFunds, FLOWS, followToEnd, pickRecipient, readBalance, type Flow } from './flows.js';
import { KilledError, Life, mortalBridge, mortalWallet, SharedStore } from './mortal-client.js';
import { ReplacingNode, type Replacement } from './replacing-node.js';
import { fundUsers, type TestUser } from './users.js';
import { makeRefusal, WindowWallet } from './window-wallet.js';

const TOGETHER = 5;
/** Timeout; blocks come every second. */
const LONGEST_MS = 60_000;
const LATER_MS = 3_000;
/** Clients of one transfer, one after another. */
const MOST_CLIENTS = 5;

/** An incident of a transfer, besides a kill. */
interface Incident {
  readonly hasWindow: boolean;
  /** Code and words of the wallet's refusal. */
  readonly refusal?: readonly (readonly [code: number | undefined, words: string])[];
  readonly replacement?: Replacement['kind'];
  /** Default: either. */
  readonly isSeen?: boolean;
}

/** All incidents. Each happens once without a kill, then once with one. */
const INCIDENTS: readonly Incident[] = [
  { hasWindow: true },
  { hasWindow: false },
  { hasWindow: true, refusal: [[4001, 'User rejected the request.']] },
  {
    hasWindow: true,
    refusal: [
      [5002, 'User rejected methods.'],
      [-32_603, 'Ledger device: Condition of use not satisfied (denied by the user?) (0x6985)'],
      [undefined, 'User denied transaction signature'],
    ],
  },
  { hasWindow: true, replacement: 'cancel', isSeen: true },
  { hasWindow: true, replacement: 'cancel', isSeen: false },
  { hasWindow: false, replacement: 'cancel', isSeen: true },
  { hasWindow: false, replacement: 'cancel', isSeen: false },
  { hasWindow: true, replacement: 'speed-up' },
  { hasWindow: false, replacement: 'speed-up' },
];

/** The incidents of a transfer, and how it continues. */
interface Plan {
  readonly flow: Flow;
  readonly hasWindow: boolean;
  /** The last interaction of the first client; Infinity if it is not killed. */
  readonly lastDealing: number;
  readonly dies: 'before' | 'after';
  /** The user's answer to a wallet request that is open at the kill. */
  readonly answer: 'approve-before-resume' | 'approve-after-resume' | 'refuse' | 'none';
  /** Whether a program with another store continues, which must be given the record. */
  readonly goesElsewhere: boolean;
  /** The wallet request that the user refuses, and the wallet's error. */
  readonly refusal: { readonly request: number; readonly code: number | undefined; readonly words: string } | null;
  readonly replacement: Replacement | null;
  /** The user's decision about a transfer that was not sent. */
  readonly decision: 'send-again' | 'discard';
}

/** How a client of a transfer ends. */
type End =
  'KILLED' | 'REFUSED' | 'REPLACED' | 'DISCARDED' | (SentTransfer | UndecidedTransfer | ForeignTransfer)['state'];
const LAST: ReadonlySet<End | undefined> = new Set(['SENT', 'REPLACED', 'DISCARDED']);

/** The outcome of a transfer. */
interface Outcome {
  readonly plan: Plan;
  readonly user: TestUser;
  readonly recipient: Address;
  readonly ends: readonly End[];
  readonly sent: SentTransfer | null;
  /** The mined transaction with which the user cancelled. */
  readonly cancelledBy: Hex | null;
}

/**
 * Kills clients at random interactions, lets users refuse, cancel and speed up, and resumes the transfers in other
 * clients. Each transfer begins once or not at all. `chaos` kills the bridge. Replay: TEST_SEED.
 */
export async function killClients(environment: TestEnvironment, seed: number, count: number): Promise<void> {
  const bridge = connectBridge({ apiUrl: environment.stack.apiUrl });
  const random = new Random(seed, 'kills');
  const pickFlow = random.dealer(FLOWS);
  const pickIncident = random.dealer(INCIDENTS);
  const plans = Array.from({ length: count }, (_, index) => {
    const isKilled = Math.floor(index / INCIDENTS.length) % 2 === 1;
    return pickPlan(random, pickFlow(), pickIncident(), isKilled);
  });
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
  // Most transfers that are not cancelled complete.
  expect(outcomes.filter(({ sent }) => sent !== null).length).toBeGreaterThan(count / 4);
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

function pickPlan(random: Random, flow: Flow, incident: Incident, isKilled: boolean): Plan {
  const { hasWindow, refusal, replacement, isSeen = random.isTrue(0.5) } = incident;
  const hasIncident = refusal !== undefined || replacement !== undefined;
  const [code, words] = refusal === undefined ? [undefined, ''] : random.pick(refusal);
  const request = random.between(1, flow.windows);
  // A kill while sending is the most dangerous one.
  const lastDealing = random.isTrue(0.3) ? flow.sending : random.between(1, flow.dealings);
  return {
    flow,
    hasWindow,
    lastDealing: isKilled || !hasIncident ? lastDealing : Number.POSITIVE_INFINITY,
    dies: random.isTrue(0.5) ? 'before' : 'after',
    answer: random.pick(['approve-before-resume', 'approve-after-resume', 'refuse', 'none'] as const),
    goesElsewhere: random.isTrue(0.5),
    refusal: refusal === undefined ? null : { request, code, words },
    replacement: replacement === undefined ? null : { kind: replacement, isSeen },
    decision: random.isTrue(0.5) ? 'send-again' : 'discard',
  };
}

async function run(environment: TestEnvironment, bridge: Bridge, user: TestUser, plan: Plan): Promise<Outcome> {
  const { flow, refusal } = plan;
  const { account } = user;
  const { chainId, rpcUrl } = environment.stack[flow.side];
  const node = new ReplacingNode(account, rpcUrl, plan.replacement);
  const transport = custom(node, { retryCount: 0 });
  const window = new WindowWallet(account, chainId, rpcUrl, transport);
  if (refusal !== null) window.refusal = { request: refusal.request, error: makeRefusal(refusal.words, refusal.code) };
  const connectWallet = (): Wallet =>
    plan.hasWindow ? fromProvider(window, account.address) : fromViem(createWalletClient({ account, transport }));
  const shared = new SharedStore();
  const recipient = pickRecipient();
  const terms = { asset: flow.asset, amount: flow.amount, recipient };
  const life = new Life(plan.lastDealing, plan.dies, () => {
    window.approvesAll = false;
  });
  const signal = AbortSignal.timeout(LONGEST_MS);
  const options = { store: shared.open(life), pollMs: 100, signal };
  const ends: End[] = [];
  let sent: SentTransfer | null = null;
  const awaitEnd = async (running: Promise<SentTransfer | UndecidedTransfer | ForeignTransfer>): Promise<End> => {
    try {
      const outcome = await running;
      if (outcome.state === 'SENT') sent = outcome;
      return outcome.state;
    } catch (error) {
      if (error instanceof KilledError || (life.isOver && ends.length === 0)) return 'KILLED';
      if (error instanceof WalletRefusedError) return 'REFUSED';
      if (error instanceof UndecidedError) return 'UNDECIDED';
      if (!(error instanceof TransactionFailedError) || error.reason !== 'REPLACED') throw error;
      expect({ plan, replacedBy: error.replacedBy }).toEqual({ plan, replacedBy: node.replacedBy });
      return 'REPLACED';
    }
  };
  const begun = flow.begin(mortalBridge(bridge, life), mortalWallet(connectWallet(), life), terms, options);
  ends.push(await awaitEnd(begun));

  if (plan.answer === 'approve-before-resume') await window.approveAll();
  const open = window.windows.splice(0);
  if (plan.answer === 'refuse') for (const each of open) each.refuse();
  const approveLast = async () => {
    if (plan.answer === 'approve-after-resume') for (const each of open.splice(0)) await each.approve();
  };
  // A step not requested before the kill is requested now, and the user approves it.
  window.approvesAll = true;
  const [record] = shared.list();
  const store = plan.goesElsewhere ? new SharedStore() : shared;
  const goOn = async (): Promise<End> => {
    const newest = store.list()[0] ?? record;
    if (newest === undefined) return 'DISCARDED';
    // The user sees in the wallet that nothing was sent, and decides.
    const isCancelled = node.sendings === 1 && (await node.readCancellation()) !== null;
    const isUnsent = isCancelled || (node.sendings === 0 && plan.answer === 'refuse');
    const sendAgain = !isBegun(newest) || (ends.at(-1) === 'UNDECIDED' && isUnsent);
    if (sendAgain && plan.decision === 'discard') return 'DISCARDED';
    const own = { store: store.open(new Life()), pollMs: 100, signal, sendAgain };
    const first = await awaitEnd(resume(bridge, connectWallet(), JSON.stringify(newest), own));
    if (first !== 'FOREIGN') return first;
    return awaitEnd(resume(bridge, connectWallet(), newest, { ...own, confirmed: true }));
  };
  while (!LAST.has(ends.at(-1)) && ends.length < MOST_CLIENTS) {
    if (ends.at(-1) === 'UNDECIDED') {
      await approveLast();
      // The chain and the API can show it later.
      await setTimeout(LATER_MS);
    }
    ends.push(await goOn());
    if (ends.at(-1) === 'UNDECIDED' && ends.at(-2) === 'UNDECIDED') break;
  }
  // A leftover window is approved last: it must be for this transaction, or harmless.
  await approveLast();
  return { plan, user, recipient, ends, sent, cancelledBy: await node.readCancellation() };
}

/** Expects at most one transaction and one delivery, to the unit; none if the client sent none. */
async function checkOutcome(environment: TestEnvironment, bridge: Bridge, outcome: Outcome): Promise<void> {
  const { plan, user, recipient, ends, sent, cancelledBy } = outcome;
  const { flow } = plan;
  const { address } = user.account;
  const story = { plan, ends };
  if (plan.replacement?.isSeen === true && cancelledBy !== null && plan.lastDealing === Number.POSITIVE_INFINITY)
    expect(story).toEqual({ plan, ends: ['REPLACED'] });
  const nonce = await environment[flow.side].client.getTransactionCount({ address });
  const least = (sent === null ? 0 : 1) + (cancelledBy === null ? 0 : 1);
  // The same authorization can be sent twice; the second one reverts.
  const isTwice = sent !== null && flow.asset === 'USDC' && flow.side === 'ethereum' && nonce === least + 1;
  expect({ ...story, nonce }).toEqual({ ...story, nonce: isTwice ? nonce : least });

  const end = sent === null ? null : await followToEnd(bridge, sent);
  const other = flow.side === 'ethereum' ? 'partner' : 'ethereum';
  const delivered = await readBalance(environment, other, flow.asset, recipient);
  const wanted = {
    ...story,
    status: sent === null ? undefined : 'COMPLETED',
    delivered: BigInt(end?.outputAmount ?? 0),
  };
  expect({ ...story, status: end?.status, delivered }).toEqual(wanted);
  const history = await getHistory(bridge, { address, role: 'sender' });
  const begun = history.operations.filter(({ originTxHash }) => originTxHash !== null);
  expect({ ...story, begun: begun.length }).toEqual({ ...story, begun: sent === null ? 0 : 1 });
}
