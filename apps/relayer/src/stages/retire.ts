import { simulate, type Signer } from '@causeway/chain';
import { getToken } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Fence, Store, WaitingWithdrawals } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { encodeFunctionData, type Abi } from 'viem';
import type { Configuration } from '../configuration.js';
import type { BridgeChains } from '../bridge-chain.js';
import { CHAINS, CLOCK, CONFIGURATION, LOGGER, SIGNER, STORE, type Clock } from '../infrastructure.js';
import { forEachSequential } from '../pipeline/for-each.js';
import { isSendingHalted } from '../pipeline/halted-chains.js';
import { isEvidenceFinal } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';
import { Lanes } from '../wallet/lanes.js';

/** Longest delay between two searches for tokens to retire. No user waits for it. */
const LONGEST_PAUSE_MS = 60_000;
const ABI = [...bridgeMintAbi, ...bridgedTokenAbi] as Abi;

/**
 * Stage 8. Destroys the bridged tokens of completed withdrawals on the partner chain, with one transaction per token
 * for many withdrawals, one at a time. Native XCN returns to the float instead.
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
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Lanes) private readonly lanes: Lanes,
  ) {}

  async run(fence: Fence): Promise<void> {
    const now = this.clock.now();
    if (now < this.nextSearchAtMs || (await isSendingHalted(this.store))) return;
    const { retireAfterMs } = this.configuration;
    this.nextSearchAtMs = now + Math.min(LONGEST_PAUSE_MS, retireAfterMs);
    await forEachSequential(Object.keys(this.configuration.addressBook.partner.tokens), async (asset) => {
      const waiting = await this.store.retirements.findWaiting(this.chains.partner.chainId, asset);
      if (waiting !== null && retirementDueAtMs(waiting, retireAfterMs) <= now) await this.retire(fence, waiting);
    });
  }

  private async retire(fence: Fence, waiting: WaitingWithdrawals): Promise<void> {
    const { partner } = this.chains;
    const [lane, journal] = [this.lanes.of(partner), this.lanes.journal(fence, partner)];
    // Deliveries have priority: a retirement must neither queue behind a pending transaction nor block later ones.
    if ((await lane.look(journal)).unmined.length > 0) return;
    // Rechecked right before the retirement, since the scan may lag behind a reorg.
    if (!(await isEvidenceFinal(this.chains, waiting)))
      return this.postpone(waiting, 'the nodes do not confirm the burns or releases');
    if (!(await this.doesWalletHoldBurns(waiting))) return;
    const { addressBook: book } = this.configuration;
    const args = [getToken(book, 'partner', waiting.asset), waiting.amount] as const;
    const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'retire', args });
    const call = { to: book.partner.bridgeMint, data, value: 0n };
    const simulation = await simulate(partner.connection.client, { from: this.signer.address, ...call }, ABI);
    if (simulation.kind !== 'ok') return this.postpone(waiting, 'the simulated retirement failed', { simulation });
    const { gas } = simulation;
    const subject = { purpose: 'RETIREMENT', waiting } as const;
    const [submission] = await lane.submit(journal, [{ ...call, gas, deliveries: 1, subject }]);
    if (submission?.kind === 'rejected') return this.postpone(waiting, submission.reason);
    if (submission?.kind === 'sent')
      this.logger.info({ ...logFields(waiting), txHash: submission.hash }, 'retirement broadcast');
  }

  /**
   * Compares the wallet's token balance at the newest scanned block with the sum of all unretired burns. A lower
   * balance means that tokens were retired or refunded outside this database. Retiring again would then destroy the
   * tokens of other withdrawals.
   */
  private async doesWalletHoldBurns(waiting: WaitingWithdrawals): Promise<boolean> {
    const { chainId, asset } = waiting;
    const newest = await this.store.scan.latestBlock(chainId);
    if (newest === null) return false;
    const unretired = await this.store.retirements.unretiredAmount(chainId, asset, newest.number);
    const balance = await this.chains.partner.connection.client.readContract({
      address: getToken(this.configuration.addressBook, 'partner', asset),
      abi: bridgedTokenAbi,
      functionName: 'balanceOf',
      args: [this.signer.address],
      blockNumber: newest.number,
    });
    if (balance >= unretired) return true;
    this.logger.error(
      { ...logFields(waiting), balance: balance.toString(), unretired: unretired.toString() },
      'the wallet holds less than the unretired burns; this token is not retired until an operator has acted',
    );
    return false;
  }

  private postpone(waiting: WaitingWithdrawals, why: string, details: object = {}): void {
    this.logger.warn({ ...logFields(waiting), ...details }, `retirement postponed: ${why}`);
  }
}

/**
 * Computes when waiting withdrawals are due for retirement, in epoch milliseconds. The wait counts from the oldest one,
 * and from the last failed retirement, so that repeated failures rarely cost gas.
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
