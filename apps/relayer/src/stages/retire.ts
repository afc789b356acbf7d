import { broadcast, estimateFees, FeeCapError, signTransaction, simulate, type Signer } from '@causeway/chain';
import { ASSETS, tokenOfAsset } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Fence, RetirementEntry, Store, WaitingWithdrawals } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { encodeFunctionData, type Abi, type Address } from 'viem';
import type { Configuration } from '../configuration.js';
import type { BridgeChains } from '../bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, SIGNER, STORE } from '../infrastructure.js';
import { forEachSequential } from '../pipeline/for-each.js';
import { isAnyChainHalted } from '../pipeline/halted-chains.js';
import { isEvidenceFinal } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';
import { FollowUpkeep, type Upkeep } from '../wallet/follow-upkeep.js';

/** Longest pause between two searches for tokens to retire. No user waits for it. */
const LONGEST_PAUSE_MS = 60_000;
const BRIDGED = ASSETS.filter((asset) => asset !== 'XCN');
const ABI = [...bridgeMintAbi, ...bridgedTokenAbi] as Abi;

/**
 * Stage 8. Destroys the bridged tokens of completed withdrawals on the partner chain: one transaction per token for
 * many withdrawals, one at a time. Native XCN returns to the float and is not retired.
 */
@Injectable()
export class RetireStage implements Stage {
  readonly name = 'retire';
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
    this.nextSearchAtMs = Date.now() + Math.min(LONGEST_PAUSE_MS, this.configuration.retireAfterMs);
    await forEachSequential(BRIDGED, async (asset) => {
      const waiting = await this.store.retirements.findWaiting(this.chains.partner.chainId, asset);
      if (waiting !== null && retirementDueAtMs(waiting, this.configuration.retireAfterMs) <= Date.now())
        await this.retire(fence, waiting);
    });
  }

  private upkeep(fence: Fence): Upkeep<RetirementEntry> {
    const { retirements } = this.store;
    return {
      name: 'retirement',
      purpose: 'RETIREMENT',
      pending: (chainId) => retirements.pending(chainId),
      judge: (entry) => this.judge(entry),
      replace: (previous, signed, isCancellation) =>
        retirements.replace(fence, previous, signed, isCancellation ? 'CANCELLATION' : 'RETIREMENT'),
      conclude: (entry, use) => retirements.conclude(fence, entry, use),
      logFields: ({ retirementId }) => ({ retirementId: retirementId.toString() }),
    };
  }

  /** A retirement that lost a burn or release in an accepted reorg is cancelled, since no user waits for it. */
  private async judge({ retirementId, hash }: RetirementEntry): Promise<'send' | 'withhold' | 'cancel'> {
    const evidence = await this.store.retirements.evidence(retirementId);
    if (evidence === null) return 'cancel';
    if (await isEvidenceFinal(this.store, this.chains, evidence)) return 'send';
    const fields = { retirementId: retirementId.toString(), txHash: hash };
    this.logger.warn(fields, 'the nodes do not confirm the burns or releases; the retirement is withheld');
    return 'withhold';
  }

  private async retire(fence: Fence, waiting: WaitingWithdrawals): Promise<void> {
    const { chainId, connection } = this.chains.partner;
    const { addressBook: book, maxFeePerGas } = this.configuration;
    const from = this.signer.address;
    const wallet = { chainId, address: from.toLowerCase() as Address };
    const chainNonce = BigInt(await connection.client.getTransactionCount({ address: from }));
    // Deliveries have priority: a retirement must not queue behind a pending transaction, nor ahead of its successors.
    if ((await this.store.journal.unmined(wallet, chainNonce)).length > 0) return;
    // Checked again right before the retirement, as for a delivery: the scan may lag behind a reorg.
    if (!(await isEvidenceFinal(this.store, this.chains, waiting)))
      return this.postpone(waiting, 'the nodes do not confirm the burns or releases');
    if (!(await this.doesWalletHoldBurns(waiting))) return;
    const args = [tokenOfAsset(book, 'partner', waiting.asset), waiting.amount] as const;
    const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'retire', args });
    const call = { to: book.partner.bridgeMint, data, value: 0n };
    const simulation = await simulate(connection.client, { from, ...call }, ABI);
    if (simulation.kind !== 'ok') return this.postpone(waiting, 'the simulated retirement fails', { simulation });
    const { gas } = simulation;
    try {
      const fees = await estimateFees(connection.client, maxFeePerGas);
      if ((await connection.client.getBalance({ address: from })) < gas * fees.maxFeePerGas)
        return this.postpone(waiting, 'the wallet cannot pay its gas');
      const signed = await this.store.retirements.record(fence, waiting, wallet, chainNonce, (nonce) =>
        signTransaction(this.signer, chainId, call, { ...fees, gas, nonce }),
      );
      if (signed === null) return;
      const result = await broadcast(connection.client, signed.raw);
      const transaction = { chainId, txHash: signed.hash, nonce: signed.nonce.toString(), result: result.kind };
      this.logger.info({ ...logFields(waiting), ...transaction }, 'retirement broadcast');
    } catch (error) {
      if (!(error instanceof FeeCapError)) throw error;
      return this.postpone(waiting, 'the fees are above the cap', { err: error });
    }
  }

  /**
   * Compares the token balance of the wallet at the newest scanned block with the sum of all unretired burns. When it
   * is lower, tokens were retired or refunded outside this database. Then retiring again would destroy the tokens of
   * other withdrawals.
   */
  private async doesWalletHoldBurns(waiting: WaitingWithdrawals): Promise<boolean> {
    const { chainId, asset } = waiting;
    const newest = await this.store.scan.latestBlock(chainId);
    if (newest === null) return false;
    const unretired = await this.store.retirements.unretiredAmount(chainId, asset, newest.number);
    const balance = await this.chains.partner.connection.client.readContract({
      address: tokenOfAsset(this.configuration.addressBook, 'partner', asset),
      abi: bridgedTokenAbi,
      functionName: 'balanceOf',
      args: [this.signer.address],
      blockNumber: newest.number,
    });
    if (balance >= unretired) return true;
    this.logger.error(
      { ...logFields(waiting), balance: balance.toString(), unretired: unretired.toString() },
      'the wallet holds less than the unretired burns; nothing of this token is retired until an operator has acted',
    );
    return false;
  }

  private postpone(waiting: WaitingWithdrawals, why: string, details: object = {}): void {
    this.logger.warn({ ...logFields(waiting), ...details }, `retirement postponed: ${why}`);
  }
}

/**
 * Computes when waiting withdrawals are due for retirement, in epoch milliseconds: the wait counts from the oldest one,
 * and from the last failed retirement, so that a failing one costs gas rarely.
 */
export function retirementDueAtMs(
  { oldestSettledAt, lastFailedAt }: Pick<WaitingWithdrawals, 'oldestSettledAt' | 'lastFailedAt'>,
  retireAfterMs: number,
): number {
  return Math.max(oldestSettledAt.getTime(), lastFailedAt?.getTime() ?? 0) + retireAfterMs;
}

function logFields({ asset, amount, operationIds }: WaitingWithdrawals) {
  return { asset, amount: amount.toString(), withdrawals: operationIds.length };
}
