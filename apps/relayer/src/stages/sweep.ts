import { broadcast, estimateFees, FeeCapError, signTransaction, simulate, type Signer } from '@causeway/chain';
import { assetInfo } from '@causeway/protocol';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { Fence, Store, SweepEntry, UnsweptTransfers } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { encodeFunctionData, type Address } from 'viem';
import type { Configuration } from '../configuration.js';
import type { BridgeChains } from '../bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, SIGNER, STORE } from '../infrastructure.js';
import { isAnyChainHalted } from '../pipeline/halted-chains.js';
import type { Stage } from '../pipeline/scheduler.js';
import { FollowUpkeep, type Upkeep } from '../wallet/follow-upkeep.js';
import { callOf } from '../wallet/replace-transaction.js';

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
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(FollowUpkeep) private readonly following: FollowUpkeep,
  ) {}

  async run(fence: Fence): Promise<void> {
    await this.following.run(this.upkeep(fence));
    if (Date.now() < this.nextSearchAtMs || (await isAnyChainHalted(this.store))) return;
    this.nextSearchAtMs = Date.now() + PAUSE_MS;
    const address = this.signer.address.toLowerCase() as Address;
    const unswept = await this.store.sweeps.findUnswept({ chainId: this.chains.partner.chainId, address });
    if (unswept !== null) await this.sweep(fence, unswept);
  }

  private upkeep(fence: Fence): Upkeep<SweepEntry> {
    const { sweeps } = this.store;
    return {
      name: 'sweep',
      purpose: 'SWEEP',
      pending: (chainId) => sweeps.pending(chainId),
      judge: (entry) => this.judge(entry),
      replace: (previous, signed, isCancellation) =>
        sweeps.replace(fence, previous, signed, isCancellation ? 'CANCELLATION' : 'SWEEP'),
      conclude: (entry, use) => sweeps.conclude(fence, entry, use),
      logFields: ({ sweepId }) => ({ sweepId: sweepId.toString() }),
    };
  }

  /**
   * A sweep that the wallet cannot pay any more is cancelled: no block would take it, and its nonce would hold up
   * deliveries. Otherwise the coin is the bridge's in the wallet and in the float, so a late broadcast does no harm.
   */
  private async judge(entry: SweepEntry): Promise<'send' | 'cancel'> {
    const balance = await this.chains.partner.connection.client.getBalance({ address: this.signer.address });
    return balance < callOf(entry).value + entry.gas * entry.maxFeePerGas ? 'cancel' : 'send';
  }

  private async sweep(fence: Fence, unswept: UnsweptTransfers): Promise<void> {
    const { chainId, connection, bridge } = this.chains.partner;
    const { client } = connection;
    const from = this.signer.address;
    const chainNonce = BigInt(await client.getTransactionCount({ address: from }));
    // Deliveries have priority: a sweep must not queue behind a pending transaction, nor ahead of its successors.
    if ((await this.store.journal.unmined(unswept.wallet, chainNonce)).length > 0) return;
    const balance = await this.settledBalance();
    if (balance === null) return;
    const amount = sweepableAmount(unswept, balance, this.configuration.workingBalance);
    if (amount === 0n) return;
    const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'topUp' });
    const call = { to: bridge, data, value: amount };
    const simulation = await simulate(client, { from, ...call }, bridgeMintAbi);
    if (simulation.kind !== 'ok') return this.logger.warn({ simulation }, 'the simulated sweep fails');
    try {
      const fees = await estimateFees(client, this.configuration.maxFeePerGas);
      const signed = await this.store.sweeps.record(fence, unswept, amount, chainNonce, (nonce) =>
        signTransaction(this.signer, chainId, call, { ...fees, gas: simulation.gas, nonce }),
      );
      if (signed === null) return;
      const result = await broadcast(client, signed.raw);
      const transaction = { chainId, txHash: signed.hash, nonce: signed.nonce.toString(), result: result.kind };
      this.logger.info({ amount: amount.toString(), ...transaction }, 'sweep broadcast');
    } catch (error) {
      if (!(error instanceof FeeCapError)) throw error;
      this.logger.warn({ err: error }, 'sweep postponed: the fees are above the cap');
    }
  }

  /**
   * Reads the balance of the wallet at the newest scanned block, so that no transfer counts that was not read. It is
   * never more than the present balance.
   */
  private async settledBalance(): Promise<bigint | null> {
    const { chainId, connection } = this.chains.partner;
    const newest = await this.store.scan.latestBlock(chainId);
    if (newest === null) return null;
    const { address } = this.signer;
    const [scanned, present] = await Promise.all([
      connection.client.getBalance({ address, blockNumber: newest.number }),
      connection.client.getBalance({ address }),
    ]);
    return scanned < present ? scanned : present;
  }
}

/**
 * Computes how much to sweep, in 18-decimal units: what final intents brought, as far as the wallet holds it above its
 * working balance and above all that may have to be returned.
 *
 * @returns a multiple of the granularity of XCN; 0 when there is nothing to sweep.
 */
export function sweepableAmount(
  { amount, keptBack }: Pick<UnsweptTransfers, 'amount' | 'keptBack'>,
  balance: bigint,
  workingBalance: bigint,
): bigint {
  const surplus = balance - workingBalance - keptBack;
  if (surplus <= 0n) return 0n;
  const most = amount < surplus ? amount : surplus;
  return most - (most % assetInfo('XCN').granularity);
}
