import type { AgreedBlock } from '@causeway/chain';
import { confirmations } from '@causeway/protocol';
import type { Fence, Finality, Operation, OriginRecord, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Hex } from 'viem';
import type { Configuration } from '../configuration.js';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, STORE } from '../infrastructure.js';
import { forEachParallel, forEachSequential } from '../pipeline/for-each.js';
import { haltedChains } from '../pipeline/halted-chains.js';
import { requiredConfirmations } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';

/**
 * Stage 3. Counts confirmations from the head that a quorum of nodes has reached. An origin with enough of them, whose
 * block a quorum has, is final, and its hold begins.
 */
@Injectable()
export class FinalizeStage implements Stage {
  readonly name = 'finalize';

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(fence: Fence): Promise<boolean> {
    let isAnyFinal = false;
    const touchesHalted = await haltedChains(this.store);
    await forEachParallel(eachChain(this.chains), async (chain) => {
      const confirming = await this.store.operations.findConfirming(chain.chainId);
      if (confirming.length === 0) return;
      const head = await chain.finality.head();
      await this.store.operations.countConfirmations(fence, chain.chainId, head);
      const due = confirming.filter((operation) => !touchesHalted(operation) && isDue(operation, chain, head));
      await askForBlocks(chain, due);
      await forEachSequential(due, async (operation) => {
        if (await this.finalize(fence, chain, operation, head)) isAnyFinal = true;
      });
    });
    return isAnyFinal;
  }

  private async finalize(fence: Fence, chain: BridgeChain, operation: Operation, head: bigint): Promise<boolean> {
    const { id, origin, direction } = operation;
    if (origin === null) return false;
    const required = requiredConfirmations(chain, operation);
    if (!(await chain.finality.isFinal(origin, required))) {
      this.logger.warn({ operationId: id }, 'the nodes do not confirm the origin; the next run retries');
      return false;
    }
    const finalBlock = await chain.finality.blockAt(finalBlockNumber(origin, required));
    if (finalBlock === null) return false;
    const holdSeconds = direction === 'PARTNER_TO_ETHEREUM' ? this.configuration.holdSeconds : null;
    const finality = finalityOf(origin.blockHash, confirmations(head, origin.blockNumber), finalBlock, holdSeconds);
    if (!(await this.store.operations.finalize(fence, id, finality))) return false;
    this.logger.info({ operationId: id, holdUntil: finality.holdUntil }, 'origin is final');
    return true;
  }
}

function isDue(operation: Operation, chain: BridgeChain, head: bigint): boolean {
  const { origin } = operation;
  return origin !== null && confirmations(head, origin.blockNumber) >= requiredConfirmations(chain, operation);
}

/** Asks for all blocks at the same time, so that they travel in few requests. Each operation handles its failure. */
async function askForBlocks(chain: BridgeChain, operations: readonly Operation[]): Promise<void> {
  const numbers = operations.flatMap((operation) => {
    const { origin } = operation;
    if (origin === null) return [];
    return [origin.blockNumber, finalBlockNumber(origin, requiredConfirmations(chain, operation))];
  });
  await Promise.allSettled(numbers.map((number) => chain.finality.blockAt(number)));
}

/** The block that gives an origin its last required confirmation. */
function finalBlockNumber(origin: OriginRecord, required: number): bigint {
  return origin.blockNumber + BigInt(required) - 1n;
}

/**
 * The block that made an origin final gives the time, as the nodes agree on it: the hold runs on the chain's clock, not
 * on this machine's.
 *
 * @param holdSeconds null when there is no hold.
 */
function finalityOf(
  blockHash: Hex,
  seen: number,
  { timestampSeconds }: AgreedBlock,
  holdSeconds: number | null,
): Finality {
  const finalizedAt = new Date(Number(timestampSeconds) * 1000);
  const holdUntil = holdSeconds === null ? null : new Date(finalizedAt.getTime() + holdSeconds * 1000);
  return { blockHash, confirmations: seen, finalizedAt, holdUntil };
}
