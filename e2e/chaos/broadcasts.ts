import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@causeway/testbed';
import type { Hex } from 'viem';
import type { Database } from './database.ts';
import type { Moment, Side } from './network/service-links.ts';
import type { PublicApi } from './public-api.ts';
import type { Relayers } from './relayers.ts';
import type { Service } from './service.ts';

const SENDS_WITHIN_MS = 120_000;

/** A transaction in the journal of a relayer that was killed around its first broadcast. */
interface Promised {
  readonly side: Side;
  readonly txHash: Hex;
  /** The transactions of the operations that it pays. */
  readonly origins: readonly Hex[];
}

/** Kills of the leader around a broadcast, and what must become of the transaction. */
export class Broadcasts {
  private readonly environment: Environment;
  private readonly relayers: Relayers;
  private readonly database: Database;
  private readonly problems: string[] = [];
  private readonly promised: Promised[] = [];

  constructor(environment: Environment, relayers: Relayers, database: Database) {
    this.environment = environment;
    this.relayers = relayers;
    this.database = database;
  }

  /**
   * Kills the leader when it sends its next transaction on a chain, to whichever of its nodes: before that has it, or
   * when its answer is on the way. Until its links have no hook any more, nothing that it sent reaches a node.
   */
  async killAtNext(side: Side, moment: Moment): Promise<{ readonly leader: Service; readonly txHash: Hex }> {
    const { relayers } = this;
    await relayers.ready();
    const unsent = new Set<Hex>();
    const sent = Promise.withResolvers<{ readonly leader: Service; readonly txHash: Hex }>();
    for (const leader of relayers.all)
      leader.links.onBroadcast = async (at, when, txHash) => {
        if (at !== side) return true;
        if (when === 'before' && !(await this.isKnown(side, txHash))) unsent.add(txHash);
        // One that a node knew already is sent again.
        if (when !== moment || !unsent.has(txHash)) return true;
        // Its calls to other nodes are cut off, too. The next leader lives.
        for (const other of relayers.all) if (other !== leader) other.links.onBroadcast = null;
        await leader.kill();
        sent.resolve({ leader, txHash });
        return false;
      };
    const killed = await Promise.race([sent.promise, sleep(SENDS_WITHIN_MS, null)]);
    if (killed === null) throw new Error(`No relayer sent anything on ${side} for ${SENDS_WITHIN_MS / 1_000} s`);
    if (moment === 'before' && (await this.isKnown(side, killed.txHash)))
      this.problems.push(`${killed.txHash} had reached a node when its relayer was killed before that`);
    this.promised.push({ side, txHash: killed.txHash, origins: await this.readJournal(killed.txHash) });
    return killed;
  }

  /**
   * Once everything is drained: returns a sentence for each transaction that was not sent after the death of its
   * relayer, and for each operation that another one paid.
   */
  async findProblems(api: PublicApi): Promise<string[]> {
    const problems = [...this.problems];
    for (const { side, txHash, origins } of this.promised) {
      // Beside it those of the same nonce with higher fees.
      const signed = await this.database.query<{ hash: Hex }>(
        `SELECT s.tx_hash AS hash FROM signed_transaction t JOIN signed_transaction s USING (call_id)
         WHERE t.tx_hash = $1`,
        [txHash],
      );
      const mined: Hex[] = [];
      for (const { hash } of signed) if (await this.isMined(side, hash)) mined.push(hash);
      if (mined.length !== 1) problems.push(`${txHash} was in the journal at a kill, and ${mined.length} are mined`);
      for (const origin of origins) {
        const paidBy = (await api.operation(origin))?.settlement?.txHash;
        if (paidBy === undefined || paidBy !== mined[0])
          problems.push(`${txHash} was to pay the operation of ${origin}, which ${paidBy} paid`);
      }
    }
    return problems;
  }

  /** Returns the transactions of the operations that a transaction pays. They must say so. */
  private async readJournal(txHash: Hex): Promise<readonly Hex[]> {
    const rows = await this.database.query<{ origin: Hex | null; status: string; named: Hex }>(
      `SELECT o.origin_tx_hash AS origin, o.status, o.destination_tx_hash AS named
       FROM signed_transaction t LEFT JOIN call_operation c ON c.call_id = t.call_id AND c.freed_at IS NULL
       LEFT JOIN operation o ON o.id = c.operation_id WHERE t.tx_hash = $1`,
      [txHash],
    );
    if (rows.length === 0) this.problems.push(`${txHash} was sent before it was in the journal`);
    for (const { origin, status, named } of rows)
      if (origin !== null && (status !== 'PROCESSING_DESTINATION' || named !== txHash))
        this.problems.push(`The operation of ${origin} was ${status} by ${named} when ${txHash} was sent`);
    return rows.flatMap(({ origin }) => origin ?? []);
  }

  private async isKnown(side: Side, hash: Hex): Promise<boolean> {
    return this.environment[side].client.getTransaction({ hash }).then(
      () => true,
      () => false,
    );
  }

  private async isMined(side: Side, hash: Hex): Promise<boolean> {
    const receipt = await this.environment[side].client.getTransactionReceipt({ hash }).catch(() => null);
    return receipt?.status === 'success';
  }
}
