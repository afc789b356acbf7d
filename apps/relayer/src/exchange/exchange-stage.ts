import { isTerminal } from '@causeway/protocol';
import type { AttesterAnswer, Fence, Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Hex } from 'viem';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, STORE } from '../infrastructure.js';
import type { Stage } from '../pipeline/scheduler.js';
import { Attesters } from './attesters.js';

/** Maximum operations shown per stage. The deliver stage shows due operations in any case. */
const MOST_SHOWN = 1_000;

/** An operation or refund that waits for the attesters of a contract. */
interface Waiting {
  readonly id: Hex;
  readonly chain: BridgeChain;
}

interface ExchangeStore {
  readonly attestable: Pick<Store['attestable'], 'findFinal' | 'findAccepted' | 'replaceAnswers'>;
  readonly operations: Pick<Store['operations'], 'findByIds'>;
  readonly refunds: Pick<Store['refunds'], 'find'>;
}

/**
 * Shows operations to the attesters when they are accepted, and again when their origin is final, so that verdicts
 * arrive before the hold ends. The board is in memory. The answers about items that wait for attesters are stored, for
 * people who ask why.
 */
@Injectable()
export class ExchangeStage implements Stage {
  readonly name = 'attest';
  /** The stored answers as text by subject id, and the lease under which they were written. */
  private readonly written = new Map<Hex, string>();
  private fenceToken: bigint | null = null;

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: ExchangeStore,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'exchange'>,
    @Inject(Attesters)
    private readonly attesters: Pick<Attesters, 'board' | 'show' | 'isAsking' | 'isLate' | 'listAnswers'>,
  ) {}

  async run(fence: Fence): Promise<boolean> {
    if (this.configuration.exchange === null) {
      await this.writeAnswers(fence, []);
      return false;
    }
    const asking = new Map<number, BridgeChain>();
    for (const chain of eachChain(this.chains))
      if (await this.attesters.isAsking(chain)) asking.set(chain.chainId, chain);
    const isAttested = ({ destinationChainId, kind }: Operation) =>
      kind !== 'TRANSFER' && asking.has(destinationChainId);
    const { attestable } = this.store;
    const [final, accepted] =
      asking.size === 0
        ? [[], []]
        : await Promise.all([attestable.findFinal(MOST_SHOWN), attestable.findAccepted(MOST_SHOWN)]);
    const due = final.filter(isAttested);
    await this.attesters.show('FINAL', due);
    await this.attesters.show('ACCEPTED', accepted.filter(isAttested));
    const refunds = await this.removeEnded(new Set([...due, ...accepted.filter(isAttested)].map(({ id }) => id)));
    const waiting = due.flatMap(({ id, delayedReason, destinationChainId }) => {
      const chain = asking.get(destinationChainId);
      return delayedReason?.startsWith('ATTESTERS_') === true && chain !== undefined ? [{ id, chain }] : [];
    });
    await this.writeAnswers(fence, [...waiting, ...refunds]);
    return false;
  }

  /**
   * Removes items that are paid, have failed or need no consent, and unpaid intents beyond MOST_SHOWN, so that the
   * attesters' list stays bounded.
   *
   * @returns the refunds that wait for attesters.
   */
  private async removeEnded(open: ReadonlySet<string>): Promise<readonly Waiting[]> {
    const { board } = this.attesters;
    const doubtful = board.list().filter(({ id }) => !open.has(id));
    const refunds = doubtful.filter(({ kind }) => kind === 'REFUND');
    const operations = doubtful.filter(({ kind }) => kind !== 'REFUND').map(({ id }) => id);
    const found = await this.store.operations.findByIds(operations);
    const isAlive = ({ status }: Operation) => !isTerminal(status) && status !== 'PENDING_ORIGIN_TX';
    const alive = new Set(found.filter(isAlive).map(({ id }) => id));
    const ended = operations.filter((id) => !alive.has(id));
    const waiting: Waiting[] = [];
    for (const { id } of refunds) {
      const status = (await this.store.refunds.find(id))?.status;
      if (status !== 'APPROVED' && status !== 'PENDING') ended.push(id);
      // Only refunds on the partner chain are shown.
      else if (status === 'APPROVED' && this.attesters.isLate(id)) waiting.push({ id, chain: this.chains.partner });
    }
    if (ended.length > 0) board.remove(ended);
    return waiting;
  }

  /** Writes changed answers, and deletes answers about items that do not wait. */
  private async writeAnswers(fence: Fence, waiting: readonly Waiting[]): Promise<void> {
    // Another relayer may have written since this one last held the lease.
    const isFirst = this.fenceToken !== fence.token;
    if (isFirst) this.written.clear();
    const ids = new Set(waiting.map(({ id }) => id));
    const replaced = [...this.written.keys()].filter((id) => !ids.has(id));
    const changed = new Map<Hex, string>();
    const answers: AttesterAnswer[] = [];
    for (const { id, chain } of waiting) {
      const current = await this.attesters.listAnswers(chain, id);
      const text = JSON.stringify(current);
      if (this.written.get(id) === text) continue;
      answers.push(...current);
      changed.set(id, text);
    }
    if (!isFirst && replaced.length + changed.size === 0) return;
    await this.store.attestable.replaceAnswers(fence, isFirst ? 'all' : [...replaced, ...changed.keys()], answers);
    this.fenceToken = fence.token;
    for (const id of replaced) this.written.delete(id);
    for (const [id, text] of changed) this.written.set(id, text);
  }
}
