import { simulate, type Signer } from '@causeway/chain';
import type { DelayReason } from '@causeway/protocol';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { Fence, Store, UnsweptTransfer } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { encodeFunctionData, type Address, type Hex } from 'viem';
import type { Configuration } from '../configuration.js';
import type { BridgeChains } from '../bridge-chain.js';
import { CHAINS, CLOCK, CONFIGURATION, LOGGER, SIGNER, STORE, type Clock } from '../infrastructure.js';
import { isSendingHalted } from '../pipeline/halted-chains.js';
import { readFinalBlock } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';
import { getRejectionDelay } from '../wallet/delivery-delay.js';
import { Lanes, type RelayerLaneView } from '../wallet/lanes.js';
import { readKeptCoin } from './kept-coin.js';
import { findSweeps, getTransferId, readSwept } from './swept-transfers.js';

/** Pause between two searches for transfers that the wallet could not cover. */
const PAUSE_MS = 2_000;
/** The same for sweeps that former wallets made: their transfers may be old, and many blocks are searched. */
const WIDE_PAUSE_MS = 60_000;

/**
 * Stage 9. Moves the native XCN that paid for final intents from the wallet into the float of BridgeMint, one
 * transaction at a time. There it leaves by mints only, so a stolen key takes the working balance at most. An intent is
 * released after that, since attesters see its coin in the float only.
 */
@Injectable()
export class SweepStage implements Stage {
  readonly name = 'sweep';
  private nextSearchAtMs = 0;
  private nextWideSearchAtMs = 0;

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(SIGNER) private readonly signer: Signer,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Lanes) private readonly lanes: Lanes,
  ) {}

  async run(fence: Fence): Promise<void> {
    const now = this.clock.now();
    if (now < this.nextSearchAtMs || (await isSendingHalted(this.store))) return;
    const unswept = await this.store.sweeps.findUnswept(
      this.lanes.wallet(this.chains.partner),
      this.configuration.paidForWallets,
    );
    if (unswept.length === 0) return;
    this.nextSearchAtMs = now + PAUSE_MS;
    await this.sweep(fence, unswept);
  }

  private async sweep(fence: Fence, unswept: readonly UnsweptTransfer[]): Promise<void> {
    const { partner } = this.chains;
    const journal = this.lanes.journal(fence, partner);
    const view = await this.lanes.of(partner).look(journal);
    const chosen = await this.chooseCovered(fence, unswept, view);
    const sought = this.isWideSearchDue() ? unswept : chosen;
    const earlier = sought.length === 0 ? [] : await this.recordEarlier(fence, sought, view.head);
    const covered = chosen.filter(({ operationId }) => !earlier.includes(operationId));
    if (covered.length === 0) return;
    const transfers = covered.map((each) => ({
      transferId: getTransferId(partner.chainId, each),
      amount: each.amount,
    }));
    const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'sweep', args: [transfers] });
    const call = { to: partner.bridge, data, value: transfers.reduce((sum, { amount }) => sum + amount, 0n) };
    const simulation = await simulate(partner.connection.client, { from: this.signer.address, ...call }, bridgeMintAbi);
    if (simulation.kind !== 'ok') return this.logger.warn({ simulation }, 'the simulated sweep fails');
    const subject = { purpose: 'SWEEP', transfers: covered } as const;
    const request = { ...call, gas: simulation.gas, deliveries: 1, isPassedOn: true, subject };
    const [submission] = await this.lanes.of(partner).submit(journal, [request]);
    if (submission?.kind === 'rejected') await this.delay(fence, covered, getRejectionDelay(submission));
    if (submission?.kind !== 'sent') return;
    const fields = { amount: call.value.toString(), transfers: transfers.length, txHash: submission.hash };
    this.logger.info(fields, 'sweep broadcast');
  }

  /** Whether transfers are sought, too, that this wallet does not sweep: a former one may have. */
  private isWideSearchDue(): boolean {
    const now = this.clock.now();
    if (now < this.nextWideSearchAtMs) return false;
    this.nextWideSearchAtMs = now + WIDE_PAUSE_MS;
    return true;
  }

  /** The transfers that the wallet can pay for now. The others wait for coin. */
  private async chooseCovered(fence: Fence, unswept: readonly UnsweptTransfer[], view: RelayerLaneView) {
    const wallet = this.lanes.wallet(this.chains.partner);
    const { paidForWallets, spendingLimits } = this.configuration;
    const { gasReserve } = spendingLimits.partner;
    // The coin of others comes into the float also while a refund is owed whose own coin is there already.
    const { all, inFloat } = await readKeptCoin(this.store, this.chains.partner, wallet, view);
    const free = view.books.available - all + inFloat;
    const covered = findCovered(unswept, { address: wallet.address, free, gasReserve, paidForWallets });
    const uncovered = unswept.filter((transfer) => !covered.includes(transfer));
    await this.delay(fence, uncovered, 'FLOAT_SHORT');
    return covered;
  }

  /**
   * Looks for sweeps that the database does not know: it may be an older copy of one that knew them. They are recorded
   * once they are final.
   *
   * @returns the operations of the transfers that they moved: those are not swept again.
   */
  private async recordEarlier(fence: Fence, transfers: readonly UnsweptTransfer[], head: bigint): Promise<Hex[]> {
    const { partner } = this.chains;
    const final = await readFinalBlock(this.store, partner);
    const sweeps = findSweeps(partner.chainId, transfers, await readSwept(partner, transfers, head));
    for (const { operationIds, amount, blockNumber } of sweeps) {
      if (final === null || blockNumber > final) continue;
      const sweep = { chainId: partner.chainId, operationIds, amount, at: new Date(this.clock.now()) };
      await this.store.restore.restoreSweep(fence, sweep);
      this.logger.warn(
        { operationIds, blockNumber: `${blockNumber}` },
        'a sweep that was not recorded is on the chain',
      );
    }
    return sweeps.flatMap(({ operationIds }) => operationIds);
  }

  /** The releases wait for this sweep, and say why. */
  private async delay(fence: Fence, transfers: readonly UnsweptTransfer[], reason: DelayReason): Promise<void> {
    const operations = await this.store.operations.findByIds(transfers.map(({ operationId }) => operationId));
    const delays = operations
      .filter((operation) => operation.holdReleasedAt !== null && operation.delayedReason !== reason)
      .map(({ id: operationId }) => ({ operationId, reason, nextAttemptAt: null }));
    await this.store.operations.delayAll(fence, delays);
    for (const { operationId } of delays) this.logger.warn({ operationId, reason }, 'delivery delayed');
  }
}

/** The relayer wallet, in 18-decimal units. */
interface SweepingWallet {
  readonly address: Address;
  /** The coin that may leave it, without that of the transfers; below 0 when it owes more than it holds. */
  readonly free: bigint;
  readonly gasReserve: bigint;
  /** The former wallets that it pays for. */
  readonly paidForWallets: readonly Address[];
}

/**
 * Finds which of the transfers a wallet pays into the float. Those to itself brought the coin. Coin that came to a
 * former wallet is still there, and its key may be stolen: a thief could have paid for many intents with the same coin.
 * So the present one pays for it only where operators name that wallet, and above its gas reserve. Pure.
 */
export function findCovered(
  transfers: readonly UnsweptTransfer[],
  { address, free, gasReserve, paidForWallets }: SweepingWallet,
): readonly UnsweptTransfer[] {
  const own = transfers.filter(({ wallet }) => wallet === address);
  let left = own.reduce((sum, { amount }) => sum + amount, free);
  const takeWhatFits = (some: readonly UnsweptTransfer[], least: bigint) =>
    some.filter(({ amount }) => {
      if (left - amount < least) return false;
      left -= amount;
      return true;
    });
  const covered = takeWhatFits(own, 0n);
  const others = transfers.filter(({ wallet }) => wallet !== address && paidForWallets.includes(wallet));
  return [...covered, ...takeWhatFits(others, gasReserve)];
}
