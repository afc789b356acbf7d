import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import { formatEther, type Address } from 'viem';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CLOCK, CONFIGURATION, STORE, type Clock } from '../infrastructure.js';
import { RelayerMetrics } from '../metrics/relayer-metrics.js';
import { forEachParallel } from '../pipeline/for-each.js';

/** Milliseconds between two readings. */
const PAUSE_MS = 15_000;
/** Fees are summed over this time, like for the daily cap. */
const DAY_MS = 86_400_000;
/** The outflow of the float is averaged over this time. */
const OUTFLOW_MS = 7 * DAY_MS;

/** Reads the balances of wallet and float, and how long the float lasts. Used only for metrics. */
@Injectable()
export class WalletGauges {
  private nextAtMs = 0;

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly metrics: RelayerMetrics,
  ) {}

  async run(): Promise<void> {
    if (this.clock.now() < this.nextAtMs) return;
    this.nextAtMs = this.clock.now() + PAUSE_MS;
    await forEachParallel(eachChain(this.chains), (chain) => this.readWallet(chain));
    await this.readFloat(this.chains.partner);
  }

  private async readWallet({ side, chainId, connection }: BridgeChain): Promise<void> {
    const address = this.configuration.addressBook.relayer.toLowerCase() as Address;
    const since = new Date(this.clock.now() - DAY_MS);
    const fees = await this.store.journal.feesPaidSince({ chainId, address }, since);
    this.metrics.feesLastDay.set({ chain: side }, Number(formatEther(fees)));
    const balance = await connection.client.getBalance({ address });
    this.metrics.walletBalance.set({ chain: side }, Number(formatEther(balance)));
  }

  private async readFloat({ connection, bridge }: BridgeChain): Promise<void> {
    const contract = { address: bridge, abi: bridgeMintAbi } as const;
    const float = await connection.client.readContract({ ...contract, functionName: 'float' });
    const perDay = await this.store.xcnTotals.outflowPerDay(new Date(this.clock.now() - OUTFLOW_MS));
    this.metrics.float.set(Number(formatEther(float)));
    this.metrics.floatDaysLeft.set(daysLeft(float, perDay));
  }
}

/** How many days a float lasts at the recent outflow; infinite without an outflow. */
export function daysLeft(float: bigint, perDay: bigint | null): number {
  return perDay === null || perDay === 0n ? Infinity : Number(float) / Number(perDay);
}
