import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openStore, type Fence, type ScannedBlock, type Store } from '@causeway/store';
import { aBlock, anIntent, CLIENT } from '@causeway/store/test';
import {
  aHash,
  anAddress,
  anAddressBook,
  ETHEREUM,
  isLong,
  PARTNER,
  seed,
  loginUrl,
  temporaryDatabase,
  type PostgresServer,
} from '@causeway/test-kit';
import { pino } from 'pino';
import type { Address, Hex } from 'viem';
import { BindStage } from '../src/stages/bind.js';
import { FinalizeStage } from '../src/stages/finalize.js';
import { computePayment } from '../src/stages/refund/encode-refund.js';
import { failUnmatched } from '../src/stages/refund/fail-arrivals.js';
import { planScript, type Action, type Script } from './pairing-script.js';
import { makeTables } from './make-tables.js';

// Random scripts of arrivals on the real store. Each sender plays one script, and a twin of it without any action of
// strangers. All scripts of a batch share one chain with its reorgs. Replay: TEST_SEED.

jest.setTimeout(isLong ? 1_800_000 : 300_000);

const SCRIPTS = isLong ? 3_000 : 50;
const BATCH = 50;
const CONFIRMATIONS = 3;
const TICK_MS = 10_000;
/** Quiet ticks at the end, so that all windows close. */
const QUIET_TICKS = 8;

/** A transfer of a player, mined or not. */
interface Sent {
  readonly player: Player;
  readonly txHash: Hex;
  readonly callIndex: number;
  readonly payer: Address;
  readonly amount: bigint;
  readonly memo: Hex | null;
}

/** One sender with its script. Recipients and intents are its own. */
class Player {
  readonly sender = anAddress();
  readonly recipients = [anAddress(), anAddress()] as const;
  /** By the number in the script. */
  readonly intents = new Map<number, Hex>();
  readonly transactions = new Map<number, Hex>();

  constructor(
    readonly script: Script,
    readonly hasStrangers: boolean,
  ) {}
}

let database: PostgresServer;
let store: Store;
let fence: Fence;

beforeAll(async () => {
  database = await temporaryDatabase(makeTables);
  store = openStore({ databaseUrl: loginUrl(database.url, 'causeway_relayer'), onIdleError: () => undefined });
  const held = await store.lease.acquire('relayer', 'test', 3_600_000);
  if (held === null) throw new Error('The lease of a new database is taken');
  fence = held;
  for (const chainId of [ETHEREUM, PARTNER]) await store.scan.begin(fence, chainId, 1n);
});
afterAll(async () => {
  await store.close();
  await database.stop();
});

/** The chain that all players of a batch share. */
class Chain {
  readonly blocks = new Map<bigint, ScannedBlock>();
  /** Sent transactions that are in no block. */
  private waiting: Sent[] = [];
  private readonly mined = new Map<bigint, Sent[]>();

  constructor(
    readonly startMs: number,
    private head: bigint,
  ) {}

  send(sent: Sent): void {
    this.waiting.push(sent);
  }

  async mine(tick: number): Promise<void> {
    const number = this.head + 1n;
    const included = this.waiting;
    this.waiting = [];
    const wallet = anAddress('relayer');
    const transfers = included.map(({ player: _player, ...sent }) => ({
      ...sent,
      wallet,
      asset: 'XCN' as const,
      isToFormerWallet: false,
    }));
    const block = aBlock(number, { transfers, timestamp: new Date(this.startMs + tick * TICK_MS) });
    await store.scan.extend(fence, PARTNER, [block], number);
    this.blocks.set(number, block);
    this.mined.set(number, included);
    this.head = number;
  }

  /** Removes blocks that are not final. Their transfers are pending again, unless they are dropped. */
  async reorg(depth: number, isLost: (sent: Sent) => boolean): Promise<void> {
    const ancestor = this.head - BigInt(depth);
    await store.scan.rollBack(fence, PARTNER, ancestor);
    for (let number = this.head; number > ancestor; number--) {
      this.waiting.push(...(this.mined.get(number) ?? []).filter((sent) => !isLost(sent)));
      this.mined.delete(number);
      this.blocks.delete(number);
    }
    this.head = ancestor;
  }

  /** Everything that arrived from a payer on the current branch. */
  arrived(payer: Address): bigint {
    return [...this.mined.values()].flat().reduce((sum, sent) => sum + (sent.payer === payer ? sent.amount : 0n), 0n);
  }

  /** The chain as the stages see it: every node agrees. */
  asBridgeChain() {
    const blockAt = async (number: bigint) => {
      const block = this.blocks.get(number);
      const seconds = block === undefined ? 0n : BigInt(Math.floor(block.timestamp.getTime() / 1_000));
      return block === undefined
        ? null
        : { number, hash: block.hash, parentHash: block.hash, timestampSeconds: seconds };
    };
    const finality = {
      head: async () => this.head,
      recentHead: async () => this.head,
      blockAt,
      isFinal: async ({ blockNumber, blockHash }: { blockNumber: bigint; blockHash: Hex }) =>
        this.blocks.get(blockNumber)?.hash === blockHash && this.head - blockNumber + 1n >= BigInt(CONFIRMATIONS),
    };
    return { side: 'partner', chainId: PARTNER, confirmations: CONFIRMATIONS, finality };
  }
}

/** Runs the stages until none of them writes. */
async function settle(chain: Chain): Promise<void> {
  const partner = chain.asBridgeChain();
  const quiet = {
    ...partner,
    side: 'ethereum',
    chainId: ETHEREUM,
    finality: { ...partner.finality, head: async () => 0n, recentHead: async () => 0n },
  };
  const chains = { ethereum: quiet, partner } as never;
  const logger = pino({ level: 'silent' });
  // Everything is accounted for.
  const audits = { last: async () => ({ blockNumber: 2n ** 62n, balance: 0n, nonce: 0n }) };
  const configuration = { addressBook: anAddressBook() };
  const bind = new BindStage(chains, { intents: store.intents, scan: store.scan, audits }, configuration, logger);
  const finalize = new FinalizeStage(chains, store, { holdSeconds: 3_600 }, logger);
  let hasWritten = true;
  while (hasWritten) {
    hasWritten = await bind.run(fence);
    if (await finalize.run(fence)) hasWritten = true;
    const ids = { ethereum: { chainId: ETHEREUM }, partner: { chainId: PARTNER } };
    if ((await failUnmatched(store, fence, partner, ids)).length > 0) hasWritten = true;
  }
}

async function act(player: Player, action: Action, chain: Chain): Promise<void> {
  const { sender, recipients, intents, transactions } = player;
  switch (action.kind) {
    case 'register': {
      const amount = action.amount;
      const terms = anIntent({
        sender,
        recipient: recipients[action.recipient],
        amount,
        fee: 1n,
        outputAmount: amount - 1n,
      });
      const expiresAt = new Date(chain.startMs + action.untilTick * TICK_MS);
      const keys = {
        nonce: aHash(),
        idempotencyKey: aHash(),
        deadlineSeconds: 2_000_000_000n,
        signature: '0x01',
      } as const;
      const intent = { id: terms.id, sender, expiresAt, ...keys, ...CLIENT };
      // A second recipient of an open amount is refused. The script continues without that intent.
      const isStored = await store.intents.register(terms, intent).catch(refusedAmount);
      if (isStored) intents.set(action.intent, terms.id);
      return;
    }
    case 'send': {
      const txHash = action.bundledWith === null ? aHash() : (transactions.get(action.bundledWith) ?? aHash());
      const memo = action.names === null ? null : (intents.get(action.names) ?? aHash());
      const payer = action.byStranger ? anAddress() : sender;
      transactions.set(action.transaction, txHash);
      return chain.send({ player, txHash, callIndex: action.callIndex, payer, amount: action.amount, memo });
    }
    case 'bind': {
      const id = intents.get(action.intent);
      const txHash = transactions.get(action.transaction) ?? aHash();
      if (id !== undefined) await store.intents.proposeOrigin(id, txHash);
      return;
    }
    case 'settle':
      return settle(chain);
  }
}

function refusedAmount(error: unknown): boolean {
  if ((error as { field?: string }).field === 'amountAtomic') return false;
  throw error;
}

/** The result of a script, without ids: the amount for each recipient, and the refunded amount. */
async function readOutcome(player: Player) {
  const { sender, recipients } = player;
  const { operations } = await store.history.page({ address: sender, direction: null, limit: 100, offset: 0 });
  const own = operations.filter((operation) => operation.sender === sender);
  const delivered = own.filter(({ kind, finalizedAt }) => kind === 'INTENT' && finalizedAt !== null);
  const refunds = own.filter(({ refundId }) => refundId !== null);
  const sum = (some: readonly { amount: bigint }[]) => some.reduce((total, { amount }) => total + amount, 0n);
  return {
    delivered: sum(delivered),
    refundable: sum(refunds),
    byRecipient: recipients.map((recipient) => sum(delivered.filter((each) => each.recipient === recipient))),
    open: own.filter(({ status }) => status === 'PENDING_ORIGIN_TX' || status === 'CONFIRMING').length,
    refundIds: refunds.map(({ refundId }) => refundId!),
  };
}

/** Pays a refund with its call, its event and its end. Returns the amount paid, kept for gas, and lost by rounding. */
async function payRefund(id: Hex): Promise<bigint> {
  const refund = (await store.refunds.find(id))!;
  const approval = { kind: 'approve-refund', refundId: id, recipient: refund.payer, requestId: aHash() } as const;
  await store.requests.perform(approval, { action: 'refund-approve' });
  const payment = computePayment(refund, refund.payer, { side: 'partner', gasPrice: 0n, takesData: true });
  if (payment === null) return 0n;
  const wallet = { chainId: PARTNER, address: anAddress('relayer') };
  const nonce = await store.journal.nextNonce(wallet);
  const transaction = { hash: aHash(), raw: '0x02', gas: 1n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n } as const;
  const call = { nonce, to: anAddress('mint'), data: '0x', value: 0n, transaction } as const;
  const subject = { purpose: 'REFUND', ...payment } as const;
  expect(await store.journal.record(fence, wallet, [{ ...call, subject }])).toEqual({ kind: 'recorded' });
  // A repeated call is refused, since a refund has only one call.
  const again = { ...call, nonce: nonce + 1n, transaction: { ...transaction, hash: aHash() }, subject };
  expect(await store.journal.record(fence, wallet, [again])).toMatchObject({ kind: 'ended' });
  const { timestamp } = (await store.scan.latestBlock(PARTNER))!;
  const number = (await store.scan.cursor(PARTNER))!.nextBlock;
  const args = { recipient: refund.payer, amount: `${payment.paidAmount}` };
  const event = { txHash: transaction.hash, logIndex: 0, name: 'Refunded', operationId: id, args } as const;
  const block = aBlock(number, { events: [event], timestamp });
  await store.scan.extend(fence, PARTNER, [block], number);
  const [seen] = await store.refunds.findPaid(PARTNER, number);
  expect(await store.refunds.complete(fence, seen!, PARTNER)).toBe(true);
  const pending = (await store.journal.withNonce(wallet, nonce))!;
  const outcome = { txHash: transaction.hash, block: { number, hash: block.hash }, feePaid: 1n } as const;
  expect(await store.journal.conclude(fence, pending, { state: 'SUCCEEDED', ...outcome }, [])).toBe(true);
  return payment.paidAmount + payment.gasFee + payment.dust;
}

describe(`${SCRIPTS} random scripts`, () => {
  const first = seed();
  for (let from = 0; from < SCRIPTS; from += BATCH) {
    it(`TEST_SEED=${first}, from script ${from}: everything that arrived is delivered or paid back, to the unit`, async () => {
      const scripts = Array.from({ length: BATCH }, (_, index) => planScript((first + from + index) % 2 ** 31));
      const players = scripts.flatMap((script) => [new Player(script, true), new Player(script, false)]);
      const head = (await store.scan.cursor(PARTNER))!.nextBlock - 1n;
      const chain = new Chain(Date.now() + 60_000, head);
      const last = Math.max(...scripts.map(({ ticks }) => ticks.length));
      // There is nothing to confirm below the first block.
      for (let tick = 0; tick < last + QUIET_TICKS; tick++) {
        for (const player of players)
          for (const action of player.script.ticks[tick] ?? [])
            if (player.hasStrangers || !action.byStranger) await act(player, action, chain);
        await chain.mine(tick);
        // A batch has the reorgs of its first script, which are not deeper than the blocks mined in it.
        const reorg = scripts[0]!.reorgs.find((each) => each.tick === tick);
        if (reorg !== undefined && tick >= CONFIRMATIONS)
          await chain.reorg(reorg.depth, ({ player, txHash }) => isDropped(player, txHash));
        await settle(chain);
      }
      let [allDelivered, allRefunded] = [0n, 0n];
      for (const [index, player] of players.entries()) {
        const outcome = await readOutcome(player);
        const arrived = chain.arrived(player.sender);
        const where = `script ${player.script.seed}${player.hasStrangers ? '' : ', without strangers'}`;
        expect({ where, open: outcome.open, sum: outcome.delivered + outcome.refundable }).toEqual({
          where,
          open: 0,
          sum: arrived,
        });
        allDelivered += outcome.delivered;
        allRefunded += outcome.refundable;
        if (index % 2 === 0) continue;
        const twin = await readOutcome(players[index - 1]!);
        const result = ({ delivered, refundable, byRecipient }: typeof twin) => ({
          delivered,
          refundable,
          byRecipient,
        });
        expect({ where, ...result(twin) }).toEqual({ where, ...result(outcome) });
      }
      expect([allDelivered > 0n, allRefunded > 0n]).toEqual([true, true]);
      // One script of the batch pays its refunds to the end.
      const { refundIds, refundable } = await readOutcome(players[0]!);
      let paid = 0n;
      for (const id of refundIds) paid += await payRefund(id);
      expect(paid).toBe(refundable);
    });
  }
});

/** Whether a script and its twin drop the same transfer. */
function isDropped({ script, transactions }: Player, txHash: Hex): boolean {
  const number = [...transactions].find(([, hash]) => hash === txHash)?.[0] ?? 0;
  return script.dropped.has(number);
}
