import { ChainError } from '@causeway/chain';
import type { DelayReason } from '@causeway/protocol';
import type { Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import { BaseError } from 'viem';
import type { Configuration } from '../configuration.js';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import { CHAINS, CONFIGURATION, STORE } from '../infrastructure.js';
import { areDeliveriesHalted, haltedChains } from '../pipeline/halted-chains.js';
import { isOriginFinal, readFinalBlock } from '../pipeline/origin.js';
import { CLEARED_BY_A_READ } from '../wallet/delivery-delay.js';
import { judgeDelivery } from '../watch/judge-delivery.js';
import { readSignatureState } from './intent-signature.js';

/** Maximum operations of one chain per run. */
const MAX_OPERATIONS = 100;
/** How often to recheck whether a delay has cleared. A recheck costs a few reads. */
const RECHECK_MS = 2_000;

/** An operation that is not paid now. */
export interface Unpaid {
  readonly operation: Operation;
  readonly reason: DelayReason;
  /** When it is due again, if the plan knows that. */
  readonly nextAttemptAt?: Date;
  /** Why it cannot be sent, for operators. */
  readonly why?: string;
}

interface CheckedDeliveries {
  readonly owed: readonly Operation[];
  readonly unpaid: readonly Unpaid[];
  /** Intents whose smart account has revoked their signature. */
  readonly revoked: readonly Operation[];
}

/** The first step of the stage `deliver`: finds due operations, and checks that they are owed. Writes nothing. */
@Injectable()
export class OwedDeliveries {
  /** When to recheck the causes of delays, by chain, in epoch milliseconds. */
  private readonly nextRecheckAt = new Map<number, number>();

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** Makes the next run recheck delayed operations, of one chain or of both. */
  recheck(chain?: BridgeChain): void {
    if (chain === undefined) this.nextRecheckAt.clear();
    else this.nextRecheckAt.delete(chain.chainId);
  }

  /** Finds due operations of a chain that are not paid yet and not stopped by a halt. */
  async find(chain: BridgeChain, nowMs: number): Promise<Operation[]> {
    const due = await this.withoutPaid(chain, await this.findDue(chain, nowMs));
    if (due.length === 0) return [];
    const [isHalted, touchesHalted] = await Promise.all([areDeliveriesHalted(this.store), haltedChains(this.store)]);
    return isHalted ? [] : due.filter((operation) => !touchesHalted(operation));
  }

  /** Finds due operations and, every RECHECK_MS, delayed ones whose cause a read can show to have cleared. */
  private async findDue(chain: BridgeChain, nowMs: number): Promise<Operation[]> {
    const { chainId } = chain;
    const finalBlock = await readFinalBlock(this.store, chain);
    if (finalBlock === null) return [];
    const isRecheck = nowMs >= (this.nextRecheckAt.get(chainId) ?? 0);
    if (isRecheck) this.nextRecheckAt.set(chainId, nowMs + RECHECK_MS);
    const causes = isRecheck ? CLEARED_BY_A_READ : [];
    return this.store.operations.findDue(chainId, finalBlock, new Date(nowMs), MAX_OPERATIONS, causes);
  }

  /**
   * Excludes operations that were paid with their own terms before their number was reopened, whatever the contract now
   * reports. Settle completes them.
   */
  private async withoutPaid({ chainId, side }: BridgeChain, due: readonly Operation[]): Promise<Operation[]> {
    const ids = due.map(({ id }) => id);
    const deliveries = await this.store.verdicts.deliveriesFor(chainId, ids);
    const paid = deliveries.filter(
      (entry) => judgeDelivery(entry, this.configuration.addressBook, side).kind === 'matched',
    );
    const paidIds = new Set(paid.map(({ delivery }) => delivery.operationId));
    return due.filter(({ id }) => !paidIds.has(id));
  }

  /** Rechecks the basis of due operations right before money moves, since the scan may lag behind a reorg. */
  async check(due: readonly Operation[]): Promise<CheckedDeliveries> {
    const obstacles = await Promise.all(due.map((operation) => this.findObstacle(operation)));
    return {
      owed: due.filter((_, index) => obstacles[index] === null),
      unpaid: due.flatMap((operation, index) => {
        const reason = obstacles[index] ?? null;
        return reason === null || reason === 'REVOKED' ? [] : [{ operation, reason }];
      }),
      revoked: due.filter((_, index) => obstacles[index] === 'REVOKED'),
    };
  }

  /** Why an operation is not owed now; null when its origin is final and its signature valid. */
  private async findObstacle(operation: Operation): Promise<DelayReason | 'REVOKED' | null> {
    const origin = eachChain(this.chains).find(({ chainId }) => chainId === operation.originChainId);
    if (origin === undefined)
      throw new Error(`Operation ${operation.id} has an unknown origin chain ${operation.originChainId}`);
    try {
      return (await isOriginFinal(origin, operation))
        ? await this.signatureObstacle(operation)
        : 'ORIGIN_NOT_CONFIRMED';
    } catch (error) {
      if (!isNodeFailure(error)) throw error;
      return 'ORIGIN_NOT_CONFIRMED';
    }
  }

  private async signatureObstacle(operation: Operation): Promise<DelayReason | 'REVOKED' | null> {
    const intent = operation.kind === 'INTENT' ? await this.store.intents.find(operation.id) : null;
    if (intent === null) return null;
    const state = await readSignatureState(this.chains.partner.connection, operation, intent);
    if (state === 'valid') return null;
    return state === 'revoked' ? 'REVOKED' : 'ORIGIN_NOT_CONFIRMED';
  }
}

/** Whether nodes did not answer or disagreed, so that the affected operations are retried. */
export function isNodeFailure(error: unknown): boolean {
  return error instanceof ChainError || error instanceof BaseError;
}
