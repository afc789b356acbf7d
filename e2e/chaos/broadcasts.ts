import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@causeway/testbed';
import type { Hex } from 'viem';
import type { Database } from './database.ts';
import type { Moment, Side } from './network/service-links.ts';
import type { PublicApi } from './public-api.ts';
import type { Relayers } from './relayers.ts';
import type { Service } from './service.ts';

const SENDS_WITHIN_MS = 120_000;

/** A journalled transaction of a relayer that was killed around its first broadcast. */
interface Promised {
  readonly side: Side;
  readonly txHash: Hex;
  /** Origin transactions of the operations that it pays. */
  readonly origins: readonly Hex[];
}

/** Kills the leader around a broadcast, and checks what becomes of the transaction. */
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
   * Kills the leader when it sends its next transaction on a chain: before the node has the transaction, or when the
   * node's answer is pending. While the hooks are set, nothing that the leader sends reaches a node.
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
        // A transaction that a node already knew is a rebroadcast.
        if (when !== moment || !unsent.has(txHash)) return true;
        // The leader's calls to other nodes are cut off too. The next leader must live.
        for (const other of relayers.all) if (other !== leader) other.links.onBroadcast = null;
        await leader.kill();
        sent.resolve({ leader, txHash });
        return false;
      };
    const killed = await Promise.race([sent.promise, sleep(SENDS_WITHIN_MS, null)]);
    if (killed === null) throw new Error(`No relayer sent a transaction on ${side} for ${SENDS_WITHIN_MS / 1_000} s`);
    if (moment === 'before' && (await this.isKnown(side, killed.txHash)))
      this.problems.push(`${killed.txHash} reached a node, although its relayer was killed before the broadcast`);
    this.promised.push({ side, txHash: killed.txHash, origins: await this.readJournal(killed.txHash) });
    return killed;
  }

  /**
   * Call when all operations have ended. Returns a sentence for each transaction that was not sent after its relayer's
   * death, and for each operation that another transaction paid.
   */
  async findProblems(api: PublicApi): Promise<string[]> {
    const problems = [...this.problems];
    for (const { side, txHash, origins } of this.promised) {
      // Includes replacements with the same nonce and higher fees.
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
          problems.push(`${txHash} should pay the operation of ${origin}, but ${paidBy} paid it`);
      }
    }
    return problems;
  }

  /** Returns the origins of the operations that a transaction pays, and checks that the operations name it. */
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
