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

/** Delay between two searches for transfers that the wallet could not cover. */
const PAUSE_MS = 2_000;
/**
 * Delay between two searches for sweeps by former wallets: their transfers may be old, and many blocks are searched.
 */
const WIDE_PAUSE_MS = 60_000;

/**
 * Stage 9. Moves the native XCN that paid for final intents from the wallet into BridgeMint's float, one transaction at
 * a time. Only mints take coin from the float, so a stolen key gets at most the working balance. Intents are released
 * after the sweep, since attesters accept only coin in the float.
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
    if (simulation.kind !== 'ok') return this.logger.warn({ simulation }, 'the simulated sweep failed');
    const subject = { purpose: 'SWEEP', transfers: covered } as const;
    const request = { ...call, gas: simulation.gas, deliveries: 1, isPassedOn: true, subject };
    const [submission] = await this.lanes.of(partner).submit(journal, [request]);
    if (submission?.kind === 'rejected') await this.delay(fence, covered, getRejectionDelay(submission));
    if (submission?.kind !== 'sent') return;
    const fields = { amount: call.value.toString(), transfers: transfers.length, txHash: submission.hash };
    this.logger.info(fields, 'sweep broadcast');
  }

  /**
   * Whether to also search for transfers that this wallet does not sweep, since a former wallet may have swept them.
   */
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
    // Coin of others can enter the float while a refund is owed whose own coin is already there.
    const { all, inFloat } = await readKeptCoin(this.store, this.chains.partner, wallet, view);
    const free = view.books.available - all + inFloat;
    const covered = findCovered(unswept, { address: wallet.address, free, gasReserve, paidForWallets });
    const uncovered = unswept.filter((transfer) => !covered.includes(transfer));
    await this.delay(fence, uncovered, 'FLOAT_SHORT');
    return covered;
  }

  /**
   * Finds sweeps that the database does not know, for example after an old backup was restored. Records them once they
   * are final.
   *
   * @returns the operations of the transfers that these sweeps moved, which are not swept again.
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
        'recorded a sweep that was missing in the database',
      );
    }
    return sweeps.flatMap(({ operationIds }) => operationIds);
  }

  /** The releases wait for this sweep, and show why. */
  private async delay(fence: Fence, transfers: readonly UnsweptTransfer[], reason: DelayReason): Promise<void> {
    const operations = await this.store.operations.findByIds(transfers.map(({ operationId }) => operationId));
    const delays = operations
      .filter((operation) => operation.holdReleasedAt !== null && operation.delayedReason !== reason)
      .map(({ id: operationId }) => ({ operationId, reason, nextAttemptAt: null }));
    await this.store.operations.delayAll(fence, delays);
    for (const { operationId } of delays) this.logger.warn({ operationId, reason }, 'delivery delayed');
  }
}

/** The relayer wallet. Amounts in 18-decimal units. */
interface SweepingWallet {
  readonly address: Address;
  /** The coin that may leave it, without the transfers' coin; negative when it owes more than it holds. */
  readonly free: bigint;
  readonly gasReserve: bigint;
  /** The former wallets that it pays for. */
  readonly paidForWallets: readonly Address[];
}

/**
 * Finds which of the transfers a wallet pays into the float. Transfers to this wallet brought their own coin. Coin that
 * a former wallet received is still there, and its key may be stolen: a thief could have paid for many intents with the
 * same coin. So the current wallet pays for such a transfer only if operators list its wallet, and only above the gas
 * reserve. Pure.
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
