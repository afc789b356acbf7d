import { canTransition, isTerminal } from '@causeway/protocol';
import { parseEther, type Hex } from 'viem';
import { BOOK } from '../bridge.ts';
import { ViolationError } from '../outcome.ts';
import type { OperationBook } from '../database/books.ts';
import type { Simulation } from '../environment/simulation.ts';

/** From the check of the balance to the journal entry. */
const ADMITTED_MS = 10_000;
/** The fees of a few calls, for which the reserve exists. */
const FEES = parseEther('1');

/** Checks the invariants that hold after every event. */
export class Observer {
  private readonly simulation: Simulation;
  private readonly seen = new Map<string, OperationBook>();
  private readonly seenCalls = new Set<bigint>();
  /** Transactions of the wallet that reached a node before the journal. */
  private readonly unjournalled: Hex[] = [];

  constructor(simulation: Simulation) {
    this.simulation = simulation;
    this.watchBroadcasts();
  }

  /** @throws ViolationError */
  check(): void {
    const { forgeries, useless } = this.simulation;
    const unjournalled = this.unjournalled.find((hash) => !forgeries.has(hash) && !useless.has(hash));
    if (unjournalled !== undefined) throw new ViolationError('journal before broadcast', unjournalled);
    const [staleWrite] = this.simulation.database.staleWrites;
    if (staleWrite !== undefined) throw new ViolationError('only the leader writes', staleWrite);
    for (const row of this.simulation.database.operations) {
      const before = this.seen.get(row.id);
      if (before === row) continue;
      this.seen.set(row.id, row);
      if (before !== undefined) this.compare(before, row);
    }
    this.checkReserve();
  }

  /**
   * Payments of the wallet's own coin keep the reserve, even when all its pending calls are mined. The coin of a sweep
   * arrived for that purpose.
   */
  private checkReserve(): void {
    const { bridge, database, kernel, partnerLimits, shortSinceMs, isDatabaseSlow } = this.simulation;
    const { partner } = bridge;
    for (const { id, chainId, value, purpose } of database.calls) {
      if (value === 0n || purpose === 'SWEEP' || chainId !== partner.input.chainId || this.seenCalls.has(id)) continue;
      this.seenCalls.add(id);
      // Skip calls that were admitted earlier.
      if (shortSinceMs === null || isDatabaseSlow || kernel.now() < shortSinceMs + ADMITTED_MS) continue;
      const { number } = partner.head;
      const nonce = BigInt(partner.nonceAt(BOOK.relayer, number));
      const flying = database.calls.filter((call) => call.chainId === chainId && call.nonce >= nonce);
      const left = flying.reduce((sum, call) => sum - call.value, partner.balanceAt(BOOK.relayer, number));
      if (left < partnerLimits.gasReserve - FEES)
        throw new ViolationError('the wallet keeps its reserve', `${left} of ${partnerLimits.gasReserve}`);
    }
  }

  private compare(before: OperationBook, after: OperationBook): void {
    if (before.status !== after.status)
      this.simulation.tell(`  ${after.id.slice(0, 10)} ${before.status} -> ${after.status}`);
    if (isTerminal(before.status))
      throw new ViolationError('a terminal operation never changes', `${after.id} was ${before.status}`);
    if (before.status !== after.status && !canTransition(before.status, after.status))
      throw new ViolationError('statuses follow the table', `${after.id}: ${before.status} -> ${after.status}`);
    const isSameHold = before.holdUntil !== null && before.originBlockHash === after.originBlockHash;
    if (isSameHold && before.holdUntil.getTime() !== after.holdUntil?.getTime())
      throw new ViolationError('a hold keeps its end', `${after.id} was held until ${before.holdUntil.toISOString()}`);
  }

  /** A transaction of the wallet is in the journal before any node has it. */
  private watchBroadcasts(): void {
    const { bridge, database } = this.simulation;
    for (const side of ['ethereum', 'partner'] as const) {
      const { pool } = bridge[side];
      const add = pool.add.bind(pool);
      pool.add = (transaction, ...rest) => {
        const { from, hash, to } = transaction;
        const isOurs = from === BOOK.relayer && to !== BOOK.relayer;
        const journalled = () => database.calls.some(({ hashes }) => hashes.includes(hash));
        // Recorded instead of thrown, since an error here would look like a node's failure.
        if (isOurs && !journalled()) this.unjournalled.push(hash);
        add(transaction, ...rest);
      };
    }
  }
}
