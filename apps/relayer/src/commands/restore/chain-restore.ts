import { setTimeout as sleep } from 'node:timers/promises';
import { QuorumError } from '@causeway/chain';
import { FenceLostError } from '@causeway/store';
import { destination, pino, type Logger } from 'pino';
import type { Address, Hex } from 'viem';
import { AccountStage } from '../../accounting/account-stage.js';
import { eachChain, type BridgeChain } from '../../bridge-chain.js';
import type { Stage } from '../../pipeline/scheduler.js';
import { BindStage } from '../../stages/bind.js';
import { FinalizeStage } from '../../stages/finalize.js';
import { createObserveStage } from '../../stages/observe.js';
import { SettleStage } from '../../stages/settle.js';
import { Lanes } from '../../wallet/lanes.js';
import { CommandRefusedError, type CommandContext } from '../command-context.js';
import { compareEvents } from './compare-events.js';
import type { HeldLease } from './held-lease.js';
import { ProgressPrinter } from './progress.js';
import { restoreCalls } from './restore-calls.js';
import { restoreIntents } from './restore-intents.js';
import { restoreRefunds, type RestoreMode } from './restore-refunds.js';
import { readRelayerWallets, restoreUpkeep } from './restore-upkeep.js';

/** Milliseconds before nodes are asked again: at the head, and after a failure. */
const PAUSE_MS = 1_000;
/** Operations per run of a stage, and the most runs between two counts of the rest. */
const PER_RUN = 500;
const MOST_RUNS = 20;
/** Runs without progress, a second apart, after which a reconciliation lists the rest. */
const MOST_IDLE_RUNS = 60;

/** How many rows were restored, by kind. */
export interface Repaired {
  calls: number;
  transactions: number;
  events: number;
  intents: number;
  refunds: number;
  retirements: number;
  sweeps: number;
}

/**
 * Reads both chains up to their heads, and restores what they prove and the database lacks. It sends no transaction.
 * Every step finds in the database what an earlier run did.
 */
export class ChainRestore {
  private readonly logger: Logger;
  private readonly progress = new ProgressPrinter((line) => void process.stderr.write(`${line}\n`), Date.now);
  /** Releases that belong to no intent, with the reasons. */
  private readonly unknownReleases = new Map<Hex, string>();
  /** The read position of both chains at the last restore of intents. */
  private restoredAt = '';
  /** The parties of restored operations, whose histories are sorted. */
  private readonly parties = new Set<Address>();
  readonly repaired: Repaired = {
    calls: 0,
    transactions: 0,
    events: 0,
    intents: 0,
    refunds: 0,
    retirements: 0,
    sweeps: 0,
  };

  constructor(
    private readonly context: CommandContext,
    private readonly lease: HeldLease,
    private readonly mode: RestoreMode,
  ) {
    this.logger = pino({ level: 'warn', base: { service: 'relayer' } }, destination(2));
  }

  /** @returns warnings for operators. */
  async run(): Promise<string[]> {
    const { store, chains, configuration } = this.context;
    const { fence } = this.lease;
    const { relayer } = configuration.addressBook;
    const wallets = await this.patiently(async () => {
      const head = await chains.partner.finality.head();
      return readRelayerWallets(chains.partner, relayer, head, (done, total) =>
        this.show('searching former wallets, blocks', done, total),
      );
    });
    const observers = this.observers(wallets);
    await Promise.all(eachChain(chains).map((chain) => this.read(chain, observers[chain.side])));
    // A release that is not final yet may pay a lost intent. Since no relayer signs, nothing follows once these blocks
    // are final.
    const heads = await this.heads();
    const callWarnings = this.mode === 'rebuild' ? [] : await this.restoreCalls();
    const eventWarnings = this.mode === 'rebuild' ? [] : await this.compareEvents();
    const settleWarnings = await this.settle(wallets, observers, heads);
    const refunds = await this.patiently(() =>
      restoreRefunds(store, chains, configuration.addressBook, fence, this.mode),
    );
    this.repaired.refunds += refunds.restored;
    const upkeepWarnings = await this.restoreUpkeep();
    const sorted = this.mode === 'rebuild' ? null : [...this.parties];
    for (let last: string | null = ''; last !== null;) {
      this.lease.assertRunning();
      last = await store.rebuild.sortHistories(fence, last, sorted);
    }
    const unknown = await store.reconcile.deliveriesWithoutOperation();
    return [
      ...callWarnings,
      ...eventWarnings,
      ...settleWarnings,
      ...[...this.unknownReleases].map(([id, why]) => `The release ${id} is not restored: ${why}.`),
      ...unknown
        .filter(({ name }) => name === 'Mint')
        .map(({ operationId, txHash }) => `The mint ${operationId} in ${txHash} has no deposit.`),
      ...refunds.warnings,
      ...upkeepWarnings,
    ];
  }

  /** Concludes the journal's calls. Returns warnings for operators. */
  private async restoreCalls(): Promise<string[]> {
    const { store, chains, signer, configuration } = this.context;
    const lanes = new Lanes(chains, store, signer, configuration, { now: Date.now }, this.logger, {
      maySign: () => false,
    });
    const warnings: string[] = [];
    for (const chain of eachChain(chains)) {
      const { concluded, listed, unreadable } = await this.patiently(async () => {
        const final = (await this.heads())[chain.side] - BigInt(chain.confirmations) + 1n;
        return restoreCalls({ store, lanes, chain }, this.lease.fence, final, (done, total) =>
          this.show(`searching transactions of the wallet on ${chain.side}`, done, total),
        );
      });
      this.repaired.calls += concluded;
      this.repaired.transactions += listed;
      if (unreadable.length > 0)
        warnings.push(
          `The nodes of ${chain.side} do not show the wallet's transactions with the nonces ${unreadable.join(', ')}: ` +
            'use a node that keeps old state and run this again. Refunds on Ethereum wait for them.',
        );
    }
    return warnings;
  }

  /** Compares the events of both contracts. Returns warnings for operators. */
  private async compareEvents(): Promise<string[]> {
    const { store, chains, configuration } = this.context;
    const warnings: string[] = [];
    for (const chain of eachChain(chains)) {
      const context = { book: configuration.addressBook, side: chain.side, timing: configuration };
      const { restored, listed } = await this.patiently(async () => {
        const final = (await this.heads())[chain.side] - BigInt(chain.confirmations) + 1n;
        return compareEvents({ store, chain, context }, this.lease.fence, final, (done, total) =>
          this.show(`comparing ${chain.side}, blocks`, done, total),
        );
      });
      this.repaired.events += restored;
      warnings.push(...listed);
    }
    return warnings;
  }

  private observers(wallets: readonly Address[]): Record<BridgeChain['side'], Stage> {
    const setting = { ...this.context, logger: this.logger, wallets };
    return { ethereum: createObserveStage('ethereum', setting), partner: createObserveStage('partner', setting) };
  }

  /** Reads a chain up to its head. */
  private async read(chain: BridgeChain, observer: Stage): Promise<void> {
    const { store } = this.context;
    const { chainId, side, deployedAtBlock: first } = chain;
    let isBehind = true;
    while (isBehind) {
      isBehind = await this.patiently(async () => {
        await observer.run(this.lease.fence);
        const cursor = await store.scan.cursor(chainId);
        if (cursor === null) return true;
        const [done, total] = [Number(cursor.nextBlock - first), Number(cursor.headBlock - first) + 1];
        this.show(`reading ${side}, blocks`, done, total);
        return cursor.nextBlock <= (await chain.finality.head());
      });
      await this.assertNotHalted();
    }
  }

  /**
   * Restores intents, and marks everything as final and settled that is so on the chains. Returns warnings for
   * operators.
   */
  private async settle(
    wallets: readonly Address[],
    observers: Record<BridgeChain['side'], Stage>,
    heads: Heads,
  ): Promise<string[]> {
    const { chains, store, configuration } = this.context;
    const logger = this.logger;
    const { fence } = this.lease;
    const book = configuration.addressBook;
    const finalize = new FinalizeStage(chains, store, configuration, logger);
    const settle = new SettleStage(chains, store, configuration, logger);
    const bind = new BindStage(chains, store, configuration, logger);
    const account = new AccountStage({ ...this.context, logger, wallets, clock: { now: Date.now }, metrics: null });
    const intents = { store, chains, book, partnerConfirmations: configuration.partnerConfirmations };
    let [most, before, idleRuns] = [0, 0, 0];
    for (;;) {
      const isDone = await this.patiently(async () => {
        for (const chain of eachChain(chains)) await observers[chain.side].run(fence);
        await this.assertNotHalted();
        const position = await this.position();
        if (position !== this.restoredAt) {
          await this.findInternalTransfers(account);
          const onRestored = (parties: readonly Address[]) => {
            this.repaired.intents += 1;
            if (this.mode === 'reconcile') for (const party of parties) this.parties.add(party);
          };
          await restoreIntents(intents, fence, this.unknownReleases, onRestored, (done, total) =>
            this.show('restoring released intents', done, total),
          );
          // After the releases, which name their transfers.
          while (await bind.run(fence)) this.lease.assertRunning();
          this.restoredAt = position;
        }
        const open = await this.unsettled();
        const left = open.origins + open.deliveries;
        let hasSettled = false;
        for (let run = 0; run <= Math.min(left / PER_RUN, MOST_RUNS); run++) {
          await finalize.run(fence);
          if (open.origins === 0) hasSettled = await settle.run(fence);
        }
        most = Math.max(most, left);
        // No progress: the nodes need time.
        const isIdle = left > 0 && left === before && !hasSettled;
        if (isIdle) await sleep(PAUSE_MS);
        idleRuns = isIdle ? idleRuns + 1 : 0;
        before = left;
        if (most > 0) this.show('settling operations, steps', most - left, most);
        const isEnd = this.mode === 'reconcile' && idleRuns >= MOST_IDLE_RUNS;
        return (left === 0 || isEnd) && !hasSettled && (await this.isQuiet(wallets, heads));
      });
      if (isDone)
        return before === 0
          ? []
          : [
              `${before} origins or deliveries in final blocks are not as the nodes have them; the lines above name their ` +
                'operations. Somebody edited the database, or the nodes disagree.',
            ];
    }
  }

  /**
   * Smart accounts pay their intents by internal calls. Without these transfers their releases would look like theft.
   */
  private async findInternalTransfers(account: AccountStage): Promise<void> {
    const { fence } = this.lease;
    while ((await account.run(fence)) || account.waitingMs > 0) {
      this.lease.assertRunning();
      if (account.waitingMs > 0) await sleep(PAUSE_MS);
    }
  }

  /** The read position of both chains. */
  private async position(): Promise<string> {
    const { chains, store } = this.context;
    const cursors = await Promise.all(eachChain(chains).map(({ chainId }) => store.scan.cursor(chainId)));
    return cursors.map((cursor) => `${cursor?.nextBlock}`).join(' ');
  }

  private async unsettled(): Promise<{ origins: number; deliveries: number }> {
    const { chains, store } = this.context;
    const counts = await Promise.all(
      eachChain(chains).map(async ({ chainId, confirmations }) => {
        const newest = await store.scan.latestBlock(chainId);
        if (newest === null) return { origins: 0, deliveries: 0 };
        const finalBlock = newest.number - BigInt(confirmations) + 1n;
        return store.rebuild.countUnsettled(chainId, finalBlock);
      }),
    );
    return {
      origins: counts.reduce((sum, { origins }) => sum + origins, 0),
      deliveries: counts.reduce((sum, { deliveries }) => sum + deliveries, 0),
    };
  }

  /** Whether everything up to these heads is final and read, and no transaction of the wallets is pending. */
  private async isQuiet(wallets: readonly Address[], heads: Heads): Promise<boolean> {
    const { chains, store } = this.context;
    for (const { side, chainId, confirmations, connection } of eachChain(chains)) {
      const cursor = await store.scan.cursor(chainId);
      const left = heads[side] + BigInt(confirmations) - (cursor?.nextBlock ?? 0n);
      if (left > 0n) {
        this.show(`waiting for final blocks of ${side}`, confirmations - Number(left), confirmations);
        await sleep(PAUSE_MS);
        return false;
      }
      // Another relayer would add more without end: `relayer reconcile finish` checks the nonces.
      for (const address of this.mode === 'rebuild' ? wallets : []) {
        const [mined, pending] = await Promise.all([
          connection.client.getTransactionCount({ address }),
          connection.client.getTransactionCount({ address, blockTag: 'pending' }),
        ]);
        if (pending <= mined) continue;
        this.show(`waiting for transactions of ${address} on ${side} to be mined`, mined, pending);
        await sleep(PAUSE_MS);
        return false;
      }
    }
    return true;
  }

  private async restoreUpkeep(): Promise<readonly string[]> {
    const { chains, store, configuration } = this.context;
    const { partner } = chains;
    return this.patiently(async () => {
      const final = (await this.heads()).partner - BigInt(partner.confirmations) + 1n;
      const { partner: contracts, relayer: address } = configuration.addressBook;
      const context = { store, partner, tokens: contracts.tokens, address };
      const found = await restoreUpkeep(context, this.lease.fence, final, (done, total) =>
        this.show('searching retirements and sweeps, blocks', done, total),
      );
      this.repaired.retirements += found.retirements;
      this.repaired.sweeps += found.sweeps;
      return found.warnings;
    });
  }

  private async heads(): Promise<Heads> {
    const { ethereum, partner } = this.context.chains;
    return this.patiently(async () => ({
      ethereum: await ethereum.finality.head(),
      partner: await partner.finality.head(),
    }));
  }

  /**
   * Repeats some work until the nodes answer. A rebuild cannot finish without them.
   *
   * @throws CommandRefusedError after Ctrl-C; FenceLostError.
   */
  private async patiently<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      this.lease.assertRunning();
      try {
        return await work();
      } catch (error) {
        if (error instanceof FenceLostError || error instanceof CommandRefusedError) throw error;
        this.logger.warn({ err: error }, error instanceof QuorumError ? 'the nodes do not answer' : 'a step failed');
        await sleep(PAUSE_MS);
      }
    }
  }

  private async assertNotHalted(): Promise<void> {
    const [halt] = await this.context.store.halts.list();
    if (halt === undefined) return;
    throw new CommandRefusedError(
      `Chain ${halt.chainId} is halted: ${halt.reason} Run \`relayer resume\` when its nodes are right, then continue`,
    );
  }

  /** @throws CommandRefusedError after Ctrl-C. */
  private show(what: string, done: number, total: number): void {
    this.lease.assertRunning();
    this.progress.show(what, done, total);
  }
}

/** The head of each chain when both were read. */
interface Heads {
  readonly ethereum: bigint;
  readonly partner: bigint;
}
