import { simulate, type Signer } from '@causeway/chain';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { Fence, Operation, Store, UnsweptTransfer } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { encodeFunctionData, type Address } from 'viem';
import type { Configuration } from '../configuration.js';
import type { BridgeChains } from '../bridge-chain.js';
import { CHAINS, CLOCK, CONFIGURATION, LOGGER, SIGNER, STORE, type Clock } from '../infrastructure.js';
import { isSendingHalted } from '../pipeline/halted-chains.js';
import { readFinalBlock } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';
import { Lanes, type RelayerLaneView } from '../wallet/lanes.js';
import { findSweeps, getTransferId, readSwept } from './swept-transfers.js';

/** Pause between two searches for transfers that the wallet could not cover. */
const PAUSE_MS = 2_000;

/**
 * Stage 9. Moves the native XCN that paid for final intents from the wallet into the float of BridgeMint, one
 * transaction at a time. There it leaves by mints only, so a stolen key takes the working balance at most. An intent is
 * released after that, since attesters see its coin in the float only.
 */
@Injectable()
export class SweepStage implements Stage {
  readonly name = 'sweep';
  private nextSearchAtMs = 0;

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
    const unswept = await this.store.sweeps.findUnswept(this.chains.partner.chainId);
    if (unswept.length === 0) return;
    this.nextSearchAtMs = now + PAUSE_MS;
    await this.sweep(fence, unswept);
  }

  private async sweep(fence: Fence, unswept: readonly UnsweptTransfer[]): Promise<void> {
    const { partner } = this.chains;
    const [lane, journal] = [this.lanes.of(partner), this.lanes.journal(fence, partner)];
    const available = await this.readAvailable(await lane.look(journal));
    if (available === null) return;
    const wallet = this.lanes.wallet(partner);
    const { gasReserve } = this.configuration.spendingLimits.partner;
    const free = available - (await this.store.sweeps.keptBack(wallet));
    const covered = findCovered(unswept, { address: wallet.address, free, gasReserve });
    const ids = new Set(covered.map(({ operationId }) => operationId));
    await this.delay(
      fence,
      unswept.filter(({ operationId }) => !ids.has(operationId)),
    );
    if (covered.length === 0 || (await this.recordEarlier(fence, covered))) return;
    const { chainId } = partner;
    const transfers = covered.map((each) => ({ transferId: getTransferId(chainId, each), amount: each.amount }));
    const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'sweep', args: [transfers] });
    const amount = covered.reduce((sum, transfer) => sum + transfer.amount, 0n);
    const call = { to: partner.bridge, data, value: amount };
    const simulation = await simulate(partner.connection.client, { from: this.signer.address, ...call }, bridgeMintAbi);
    if (simulation.kind !== 'ok') return this.logger.warn({ simulation }, 'the simulated sweep fails');
    const subject = { purpose: 'SWEEP', transfers: covered } as const;
    const request = { ...call, gas: simulation.gas, deliveries: 1, isPassedOn: true, subject };
    const [submission] = await lane.submit(journal, [request]);
    const fields = { amount: amount.toString(), transfers: covered.length };
    if (submission?.kind === 'rejected') this.logger.warn({ ...fields, reason: submission.reason }, 'sweep postponed');
    if (submission?.kind === 'sent') this.logger.info({ ...fields, txHash: submission.hash }, 'sweep broadcast');
  }

  /**
   * Reads the coin that no call in flight takes, at the newest scanned block if that has less, so that no transfer
   * counts that was not read. Null before the first block.
   */
  private async readAvailable({ balance, books }: RelayerLaneView): Promise<bigint | null> {
    const { chainId, connection } = this.chains.partner;
    const newest = await this.store.scan.latestBlock(chainId);
    if (newest === null) return null;
    const { address } = this.signer;
    const scanned = await connection.agree((client) => client.getBalance({ address, blockNumber: newest.number }));
    return books.available - (scanned < balance ? balance - scanned : 0n);
  }

  /**
   * Looks for sweeps that the database does not know: it may be an older copy of one that knew them. They are recorded
   * once they are final.
   *
   * @returns whether there are any. Nothing is swept then, so that no transfer is swept twice.
   */
  private async recordEarlier(fence: Fence, transfers: readonly UnsweptTransfer[]): Promise<boolean> {
    const { partner } = this.chains;
    const [newest, final] = [
      await this.store.scan.latestBlock(partner.chainId),
      await readFinalBlock(this.store, partner),
    ];
    if (newest === null) return false;
    const from = transfers.reduce(
      (least, { blockNumber }) => (blockNumber < least ? blockNumber : least),
      newest.number,
    );
    const events = await readSwept(partner, from, newest.number);
    const sweeps = findSweeps(partner.chainId, transfers, events);
    for (const { operationIds, amount, blockNumber } of sweeps) {
      if (final === null || blockNumber > final) continue;
      const sweep = { chainId: partner.chainId, operationIds, amount, at: new Date(this.clock.now()) };
      await this.store.restore.restoreSweep(fence, sweep);
      this.logger.warn(
        { operationIds, blockNumber: `${blockNumber}` },
        'a sweep that was not recorded is on the chain',
      );
    }
    return sweeps.length > 0;
  }

  /** The releases wait for coin of the operators, and say so. */
  private async delay(fence: Fence, uncovered: readonly UnsweptTransfer[]): Promise<void> {
    const operations = await this.store.operations.findByIds(uncovered.map(({ operationId }) => operationId));
    const delays = operations
      .filter(isDueWithoutReason)
      .map(({ id: operationId }) => ({ operationId, reason: 'FLOAT_SHORT', nextAttemptAt: null }) as const);
    await this.store.operations.delayAll(fence, delays);
    for (const { operationId, reason } of delays) this.logger.warn({ operationId, reason }, 'delivery delayed');
  }
}

/** The relayer wallet, in 18-decimal units. */
interface SweepingWallet {
  readonly address: Address;
  /** The coin that may leave it, without that of the transfers; below 0 when it owes more than it holds. */
  readonly free: bigint;
  readonly gasReserve: bigint;
}

function isDueWithoutReason({ holdReleasedAt, delayedReason }: Operation): boolean {
  return holdReleasedAt !== null && delayedReason === null;
}

/**
 * Finds which of the transfers a wallet can pay into the float. Those to itself brought the coin. Coin that came to a
 * former wallet is still there, so the present one pays for it only above its gas reserve. Pure.
 */
export function findCovered(
  transfers: readonly UnsweptTransfer[],
  { address, free, gasReserve }: SweepingWallet,
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
  const others = transfers.filter(({ wallet }) => wallet !== address);
  return [...covered, ...takeWhatFits(others, gasReserve)];
}
