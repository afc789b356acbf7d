import { broadcast, estimateFees, FeeCapError, signTransaction, simulate, type Signer } from '@causeway/chain';
import { ASSETS, tokenOfAsset } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Fence, Store, WaitingWithdrawals } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { encodeFunctionData, type Abi, type Address } from 'viem';
import type { Configuration } from '../config/configuration.js';
import { eachInTurn } from '../schedule/each-in-turn.js';
import type { Stage } from '../schedule/stage.js';
import type { BridgeChains } from '../world/bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, SIGNER, STORE } from '../world/tokens.js';
import { doLandmarksStand } from './do-landmarks-stand.js';
import { dueAt } from './due-at.js';
import { FollowRetirements } from './follow-retirements.js';

/** The longest pause between two looks for what may be retired: nobody waits for it. */
const LONGEST_PAUSE_MS = 60_000;
const BRIDGED = ASSETS.filter((asset) => asset !== 'XCN');
const ABI = [...bridgeMintAbi, ...bridgedTokenAbi] as Abi;

/**
 * Stage 8. Destroys on the partner chain what completed withdrawals handed in: in one transaction per token for many, and
 * one at a time. Native XCN has nothing to destroy, since it goes back into the float.
 */
@Injectable()
export class RetireStage implements Stage {
  readonly name = 'retire';
  private nextLookAtMs = 0;

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(SIGNER) private readonly signer: Signer,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(FollowRetirements) private readonly following: FollowRetirements,
  ) {}

  async run(fence: Fence): Promise<void> {
    await this.following.run(fence);
    if (Date.now() < this.nextLookAtMs || (await this.store.halts.list()).length > 0) return;
    this.nextLookAtMs = Date.now() + Math.min(LONGEST_PAUSE_MS, this.configuration.retireAfterMs);
    await eachInTurn(BRIDGED, async (asset) => {
      const waiting = await this.store.retirements.findWaiting(this.chains.partner.chainId, asset);
      if (waiting !== null && dueAt(waiting, this.configuration.retireAfterMs) <= Date.now())
        await this.retire(fence, waiting);
    });
  }

  private async retire(fence: Fence, waiting: WaitingWithdrawals): Promise<void> {
    const { asset, amount } = waiting;
    const { chainId, connection } = this.chains.partner;
    const { addressBook: book, maxFeePerGas } = this.configuration;
    const from = this.signer.address;
    const wallet = { chainId, address: from.toLowerCase() as Address };
    const chainNonce = BigInt(await connection.client.getTransactionCount({ address: from }));
    // Deliveries come first: nothing is put behind what waits for a block, and nothing in front of what follows it.
    if (await this.store.journal.hasUnmined(wallet, chainNonce)) return;
    // Asked again right before it is done, as for a delivery: the scan may lie behind a reorg.
    if (!(await doLandmarksStand(this.store, this.chains, waiting)))
      return this.postpone(waiting, 'the nodes do not confirm the burns or releases');
    if (!(await this.isHeld(waiting))) return;
    const args = [tokenOfAsset(book, 'partner', asset), amount] as const;
    const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'retire', args });
    const call = { to: book.partner.bridgeMint, data, value: 0n };
    const simulation = await simulate(connection.client, { from, ...call }, ABI);
    if (simulation.kind !== 'ok') return this.postpone(waiting, 'it would not succeed now', { simulation });
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
      this.logger.info(
        { ...wordsOf(waiting), chainId, txHash: signed.hash, nonce: signed.nonce.toString(), result: result.kind },
        'retirement broadcast',
      );
    } catch (error) {
      if (!(error instanceof FeeCapError)) throw error;
      return this.postpone(waiting, 'fees are above the cap', { err: error });
    }
  }

  /**
   * Whether the wallet holds all that was handed in and not retired, at the newest block that was read. If not, some of it
   * was retired or given back without our knowledge, and retiring the same again would take what others handed in.
   */
  private async isHeld(waiting: WaitingWithdrawals): Promise<boolean> {
    const { chainId, asset } = waiting;
    const newest = await this.store.scan.latestBlock(chainId);
    if (newest === null) return false;
    const handedIn = await this.store.retirements.unretiredAmount(chainId, asset, newest.number);
    const held = await this.chains.partner.connection.client.readContract({
      address: tokenOfAsset(this.configuration.addressBook, 'partner', asset),
      abi: bridgedTokenAbi,
      functionName: 'balanceOf',
      args: [this.signer.address],
      blockNumber: newest.number,
    });
    if (held >= handedIn) return true;
    this.logger.error(
      { ...wordsOf(waiting), held: held.toString(), handedIn: handedIn.toString() },
      'the wallet holds less than was handed in; nothing of this token is retired until an operator has looked',
    );
    return false;
  }

  private postpone(waiting: WaitingWithdrawals, why: string, details: object = {}): void {
    this.logger.warn({ ...wordsOf(waiting), ...details }, `retirement postponed: ${why}`);
  }
}

function wordsOf({ asset, amount, operationIds }: WaitingWithdrawals) {
  return { asset, amount: amount.toString(), withdrawals: operationIds.length };
}
