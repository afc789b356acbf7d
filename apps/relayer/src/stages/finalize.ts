import { QuorumError, type AgreedBlock } from '@causeway/chain';
import { confirmations } from '@causeway/protocol';
import type { Fence, Finality, Operation, OriginRecord, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Hex } from 'viem';
import type { Configuration } from '../configuration.js';
import { eachChain, type BridgeChain } from '../bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, STORE } from '../infrastructure.js';
import { forEachParallel, inOneStep } from '../pipeline/for-each.js';
import { haltedChains } from '../pipeline/halted-chains.js';
import { requiredConfirmations } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';

type FinalizeChain = Pick<BridgeChain, 'chainId' | 'confirmations' | 'finality'>;

interface FinalizeStore {
  readonly halts: Pick<Store['halts'], 'list'>;
  readonly operations: Pick<Store['operations'], 'findConfirming' | 'countConfirmations' | 'finalizeAll'>;
}

/**
 * Stage 3. Counts confirmations from the head that a quorum of nodes has reached. An origin is final when it has enough
 * confirmations and a quorum has its block. Then its hold begins.
 */
@Injectable()
export class FinalizeStage implements Stage {
  readonly name = 'finalize';

  constructor(
    @Inject(CHAINS) private readonly chains: Readonly<Record<BridgeChain['side'], FinalizeChain>>,
    @Inject(STORE) private readonly store: FinalizeStore,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'holdSeconds'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(fence: Fence): Promise<boolean> {
    let isAnyFinal = false;
    await forEachParallel(eachChain(this.chains), async (chain) => {
      const confirming = await this.store.operations.findConfirming(chain.chainId);
      if (confirming.length === 0) return;
      const [touchesHalted, head] = await Promise.all([haltedChains(this.store), chain.finality.head()]);
      const due = confirming.filter((operation) => !touchesHalted(operation) && isDue(operation, chain, head));
      const [seen] = await Promise.all([
        Promise.all(due.map((operation) => this.readFinality(chain, operation, head))),
        this.store.operations.countConfirmations(fence, chain.chainId, head),
      ]);
      const origins = seen.filter((origin) => origin !== null);
      await inOneStep(origins, async (part) => {
        const written = await this.store.operations.finalizeAll(fence, part);
        if (written.size > 0) isAnyFinal = true;
        for (const { operationId, holdUntil } of part)
          if (written.has(operationId)) this.logger.info({ operationId, holdUntil }, 'origin is final');
      });
    });
    return isAnyFinal;
  }

  /** Asks the nodes about an origin. Null when they do not confirm it or do not answer. */
  private async readFinality(chain: FinalizeChain, operation: Operation, head: bigint): Promise<Finality | null> {
    const { id: operationId, origin, direction } = operation;
    if (origin === null) return null;
    const required = requiredConfirmations(chain, operation);
    try {
      const [isFinal, finalBlock] = await Promise.all([
        chain.finality.isFinal(origin, required),
        chain.finality.blockAt(finalBlockNumber(origin, required)),
      ]);
      if (isFinal && finalBlock !== null) {
        const holdSeconds = direction === 'PARTNER_TO_ETHEREUM' ? this.configuration.holdSeconds : null;
        return decideFinality(operation.id, origin, confirmations(head, origin.blockNumber), finalBlock, holdSeconds);
      }
      this.logger.warn({ operationId }, 'the nodes do not confirm the origin; the next run retries');
    } catch (error) {
      if (!(error instanceof QuorumError)) throw error;
      this.logger.warn({ operationId, err: error }, 'the nodes do not agree on the origin; the next run retries');
    }
    return null;
  }
}

function isDue(operation: Operation, chain: FinalizeChain, head: bigint): boolean {
  const { origin } = operation;
  return origin !== null && confirmations(head, origin.blockNumber) >= requiredConfirmations(chain, operation);
}

/** The block that adds an origin's last required confirmation. */
function finalBlockNumber(origin: OriginRecord, required: number): bigint {
  return origin.blockNumber + BigInt(required) - 1n;
}

/**
 * Takes the time from the block that made the origin final, as the nodes agree on it: the hold runs on the chain's
 * clock, not on this machine's.
 *
 * @param holdSeconds null when there is no hold.
 */
function decideFinality(
  operationId: Hex,
  { blockHash }: OriginRecord,
  seen: number,
  { timestampSeconds }: AgreedBlock,
  holdSeconds: number | null,
): Finality {
  const finalizedAt = new Date(Number(timestampSeconds) * 1000);
  const holdUntil = holdSeconds === null ? null : new Date(finalizedAt.getTime() + holdSeconds * 1000);
  return { operationId, blockHash, confirmations: seen, finalizedAt, holdUntil };
}
