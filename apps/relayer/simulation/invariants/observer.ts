import { canTransition, isTerminal } from '@causeway/protocol';
import type { Hex } from 'viem';
import { BOOK } from '../bridge.ts';
import { ViolationError } from '../outcome.ts';
import type { OperationRow } from '../store/rows.ts';
import type { World } from '../world/world.ts';

/** What must hold after every event. */
export class Observer {
  private readonly world: World;
  private readonly seen = new Map<string, OperationRow>();
  /** Transactions of the wallet that a node got before the journal. */
  private readonly unjournalled: Hex[] = [];

  constructor(world: World) {
    this.world = world;
    this.watchBroadcasts();
  }

  /** @throws ViolationError */
  look(): void {
    const unjournalled = this.unjournalled.find((hash) => !this.world.forgeries.has(hash));
    if (unjournalled !== undefined) throw new ViolationError('journal before broadcast', unjournalled);
    for (const row of this.world.database.operations.all()) {
      const before = this.seen.get(row.id);
      if (before === row) continue;
      this.seen.set(row.id, row);
      if (before !== undefined) this.compare(before, row);
    }
  }

  private compare(before: OperationRow, after: OperationRow): void {
    if (before.status !== after.status)
      this.world.tell(`  ${after.id.slice(0, 10)} ${before.status} -> ${after.status}`);
    if (isTerminal(before.status))
      throw new ViolationError('a terminal operation never changes', `${after.id} was ${before.status}`);
    if (before.status !== after.status && !canTransition(before.status, after.status))
      throw new ViolationError('statuses follow the table', `${after.id}: ${before.status} -> ${after.status}`);
  }

  /** A transaction of the wallet is in the journal before any node has it. */
  private watchBroadcasts(): void {
    const { bridge, database } = this.world;
    for (const side of ['ethereum', 'partner'] as const) {
      const { pool } = bridge[side];
      const add = pool.add.bind(pool);
      pool.add = (transaction, ...rest) => {
        const { from, hash, to } = transaction;
        const isOurs = from === BOOK.relayer && to !== BOOK.relayer;
        const journalled = () =>
          database.calls.filter(({ transactions }) => transactions.some((each) => each.hash === hash)).length > 0;
        // Thrown here it would be the failure of a node.
        if (isOurs && !journalled()) this.unjournalled.push(hash);
        add(transaction, ...rest);
      };
    }
  }
}
