import { simulate, type Signer } from '@causeway/chain';
import { assetInfo } from '@causeway/protocol';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { Fence, Store, UnsweptTransfers } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { encodeFunctionData } from 'viem';
import type { Configuration } from '../configuration.js';
import type { BridgeChains } from '../bridge-chain.js';
import { CHAINS, CLOCK, CONFIGURATION, LOGGER, SIGNER, STORE, type Clock } from '../infrastructure.js';
import { isSendingHalted } from '../pipeline/halted-chains.js';
import type { Stage } from '../pipeline/scheduler.js';
import { Lanes } from '../wallet/lanes.js';

/** Pause between two searches. Until then the coin is in the wallet, which a delivery can pay from as well. */
const PAUSE_MS = 10_000;

/**
 * Stage 9. Moves the native XCN that paid for final intents from the wallet into the float of BridgeMint, one
 * transaction at a time. There it leaves by mints only, so a stolen key takes the working balance at most.
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
    this.nextSearchAtMs = now + PAUSE_MS;
    const unswept = await this.store.sweeps.findUnswept(this.lanes.wallet(this.chains.partner));
    if (unswept !== null) await this.sweep(fence, unswept);
  }

  private async sweep(fence: Fence, unswept: UnsweptTransfers): Promise<void> {
    const { partner } = this.chains;
    const [lane, journal] = [this.lanes.of(partner), this.lanes.journal(fence, partner)];
    const view = await lane.look(journal);
    // Deliveries have priority: a sweep must not queue behind a pending transaction, nor ahead of its successors.
    if (view.unmined.length > 0) return;
    const scanned = await this.scannedBalance();
    if (scanned === null) return;
    const balance = scanned < view.balance ? scanned : view.balance;
    const amount = sweepableAmount(unswept, balance, this.configuration.spendingLimits.partner.gasReserve);
    if (amount === 0n) return;
    const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'topUp' });
    const call = { to: partner.bridge, data, value: amount };
    const simulation = await simulate(partner.connection.client, { from: this.signer.address, ...call }, bridgeMintAbi);
    if (simulation.kind !== 'ok') return this.logger.warn({ simulation }, 'the simulated sweep fails');
    const subject = { purpose: 'SWEEP', unswept, amount } as const;
    const [submission] = await lane.submit(journal, [{ ...call, gas: simulation.gas, deliveries: 1, subject }]);
    const fields = { amount: amount.toString() };
    if (submission?.kind === 'rejected') this.logger.warn({ ...fields, reason: submission.reason }, 'sweep postponed');
    if (submission?.kind === 'sent') this.logger.info({ ...fields, txHash: submission.hash }, 'sweep broadcast');
  }

  /** Reads the balance of the wallet at the newest scanned block, so that no transfer counts that was not read. */
  private async scannedBalance(): Promise<bigint | null> {
    const { chainId, connection } = this.chains.partner;
    const newest = await this.store.scan.latestBlock(chainId);
    if (newest === null) return null;
    const { address } = this.signer;
    return connection.agree((client) => client.getBalance({ address, blockNumber: newest.number }));
  }
}

/**
 * Computes how much to sweep, in 18-decimal units: what final intents brought, as far as the wallet holds it above its
 * gas reserve and above all that may have to be returned.
 *
 * @returns a multiple of the granularity of XCN; 0 when there is nothing to sweep.
 */
export function sweepableAmount(
  { amount, keptBack }: Pick<UnsweptTransfers, 'amount' | 'keptBack'>,
  balance: bigint,
  gasReserve: bigint,
): bigint {
  const surplus = balance - gasReserve - keptBack;
  if (surplus <= 0n) return 0n;
  const most = amount < surplus ? amount : surplus;
  return most - (most % assetInfo('XCN').granularity);
}
