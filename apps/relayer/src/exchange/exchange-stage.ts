import { isTerminal } from '@causeway/protocol';
import type { Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import { eachChain, type BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, STORE } from '../infrastructure.js';
import type { Stage } from '../pipeline/scheduler.js';
import { Attesters } from './attesters.js';

/** The most operations of each stage that are shown at a time. The deliver stage shows due ones in any case. */
const MOST_SHOWN = 1_000;

/**
 * Shows the operations to the attesters: when they are accepted, and again when their origin is final, so that verdicts
 * are there before the hold ends. Writes nothing: the board is in memory.
 */
@Injectable()
export class ExchangeStage implements Stage {
  readonly name = 'attest';

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(Attesters) private readonly attesters: Attesters,
  ) {}

  async run(): Promise<boolean> {
    if (this.configuration.exchange === null) return false;
    const asking = new Set<number>();
    for (const chain of eachChain(this.chains)) if (await this.attesters.isAsking(chain)) asking.add(chain.chainId);
    const isAttested = ({ destinationChainId, kind }: Operation) =>
      kind !== 'TRANSFER' && asking.has(destinationChainId);
    const { attestable } = this.store;
    const [final, accepted] =
      asking.size === 0
        ? [[], []]
        : await Promise.all([attestable.findFinal(MOST_SHOWN), attestable.findAccepted(MOST_SHOWN)]);
    await this.attesters.show('FINAL', final.filter(isAttested));
    await this.attesters.show('ACCEPTED', accepted.filter(isAttested));
    await this.removeEnded(new Set([...final, ...accepted].filter(isAttested).map(({ id }) => id)));
    return false;
  }

  /** Ends the showing of items that are paid, have failed or need no consent any more. */
  private async removeEnded(open: ReadonlySet<string>): Promise<void> {
    const { board } = this.attesters;
    const doubtful = board.list().filter(({ id }) => !open.has(id));
    const refunds = doubtful.filter(({ kind }) => kind === 'REFUND');
    const operations = doubtful.filter(({ kind }) => kind !== 'REFUND').map(({ id }) => id);
    const found = await this.store.operations.findByIds(operations);
    const alive = new Set(found.filter(({ status }) => !isTerminal(status)).map(({ id }) => id));
    const ended = operations.filter((id) => !alive.has(id));
    for (const { id } of refunds) {
      const status = (await this.store.refunds.find(id))?.status;
      if (status !== 'APPROVED' && status !== 'PENDING') ended.push(id);
    }
    if (ended.length > 0) board.remove(ended);
  }
}
