import type { Side } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import type { AttestStage } from '@causeway/protocol/attest';
import type { AdminRequest, AttesterAnswer, Operation, PayableRefund, Refund, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Address, Hex } from 'viem';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CLOCK, CONFIGURATION, LOGGER, STORE, type Clock } from '../infrastructure.js';
import { attestationDigest, toAttestation, type Attestation, type AttestedTerms } from './attestation.js';
import { Board, type VerdictListener } from './board.js';
import { makeItems, makeRefund } from './items.js';
import { groupByQuorum, isMajority, judgeStanding, type AttesterSet, type Standing } from './quorum.js';

/** How long a batch waits for its signatures. */
const SIGN_MS = 4_000;
/** How long an operation waits for verdicts before it counts as delayed, so that short waits do not show as delays. */
const VERDICT_MS = 4_000;

/** The attesters' consent to the calls of one contract, while its threshold is above 0. */
export interface Consent {
  /** Whether enough members accept an item. `LATE`: too few answered in time. */
  readonly judge: (id: Hex) => Standing | 'LATE';
  /** Divides accepted operations into groups that the same members accept. */
  readonly group: <T extends { readonly id: Hex }>(items: readonly T[]) => T[][];
  /** Requests the signatures of a call. Null when too few arrive in time. */
  readonly gather: (ids: readonly Hex[], terms: AttestedTerms) => Promise<Attestation | null>;
}

/**
 * The attesters of both contracts: their sets from the chains, their verdicts and signatures from the board. Without an
 * exchange the board is never read, so that no attestation exists.
 */
@Injectable()
export class Attesters {
  readonly board: Board;
  private readonly sets = new Map<number, { readonly head: bigint; readonly set: AttesterSet }>();

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Pick<Store, 'intents' | 'attestable'>,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'addressBook' | 'exchange'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'info' | 'error'>,
  ) {
    this.board = new Board(() => clock.now());
  }

  /** The members of both sets, as last read. */
  async members(): Promise<ReadonlySet<Address>> {
    return new Set([...(await this.readSets()).values()].flatMap((set) => set.members));
  }

  onVerdicts(listener: VerdictListener): void {
    this.board.onVerdicts(listener);
  }

  /** The sets of both contracts; the last known set while a chain's nodes are unavailable. */
  async readSets(): Promise<ReadonlyMap<Side, AttesterSet>> {
    const sets = await Promise.all(
      eachChain(this.chains).map(async (chain) => {
        const set = await this.readKnownSet(chain);
        return set === undefined ? [] : [[chain.side, set] as const];
      }),
    );
    return new Map(sets.flat());
  }

  /**
   * Reads the set of a contract, once per block.
   *
   * @throws QuorumError
   */
  async readSet(chain: BridgeChain): Promise<AttesterSet> {
    const { chainId } = chain;
    const head = await chain.finality.recentHead();
    const known = this.sets.get(chainId);
    if (known?.head === head) return known.set;
    const set = await readSetAt(chain, head);
    this.sets.set(chainId, { head, set });
    if (known?.set.setNumber !== set.setNumber) this.report(chainId, set);
    return set;
  }

  /** Returns the last known set while the nodes are unavailable. */
  private async readKnownSet(chain: BridgeChain): Promise<AttesterSet | undefined> {
    return this.readSet(chain).catch(() => this.sets.get(chain.chainId)?.set);
  }

  private report(chainId: number, set: AttesterSet): void {
    const { members, threshold } = set;
    const facts = { chainId, setNumber: set.setNumber.toString(), members, threshold };
    if (threshold === 0 || isMajority(set)) this.logger.info(facts, 'read the attester set of the contract');
    else
      this.logger.error(facts, 'no deliveries: the threshold is not a majority of the attester set; set a higher one');
  }

  /**
   * The consent that the calls of a contract need. Null while its threshold is 0.
   *
   * @throws QuorumError
   */
  async consentOn(chain: BridgeChain): Promise<Consent | null> {
    const set = await this.readSet(chain);
    if (set.threshold === 0) return null;
    const { board } = this;
    return {
      judge: (id) => {
        const standing = judgeStanding(set, board.getVerdicts(id));
        return standing === 'OPEN' && this.isLate(id) ? 'LATE' : standing;
      },
      group: (items) => groupByQuorum(items, set, ({ id }) => board.getVerdicts(id)),
      gather: async (ids, terms) => this.gather(chain, set, ids, terms),
    };
  }

  /** Whether a contract requires attestations; by the last known set while its nodes are unavailable. */
  async isAsking(chain: BridgeChain): Promise<boolean> {
    return ((await this.readKnownSet(chain))?.threshold ?? 0) > 0;
  }

  /** The answer of each member of a contract's set about a shown operation or refund. */
  async listAnswers(chain: BridgeChain, subjectId: Hex): Promise<readonly AttesterAnswer[]> {
    const members = (await this.readKnownSet(chain))?.members ?? [];
    const verdicts = this.board.getVerdicts(subjectId);
    return members.map((attester) => {
      const given = verdicts.get(attester);
      return {
        subjectId,
        attester,
        verdict: given?.kind ?? null,
        reason: given?.kind === 'REFUSE' ? given.reason : null,
        why: given === undefined || given.kind === 'SIGN' ? null : given.why,
        answeredAt: given === undefined ? null : new Date(given.atMs),
      };
    });
  }

  /** Whether an item has been shown for so long that missing verdicts count as a delay. */
  isLate(id: Hex): boolean {
    return this.board.shownFor(id) >= VERDICT_MS;
  }

  /** Shows operations at a stage. Items that are already shown cost little. */
  async show(stage: AttestStage, operations: readonly Operation[]): Promise<void> {
    if (operations.length === 0) return;
    for (const item of await makeItems(this.store, this.configuration.addressBook, operations))
      this.board.show(stage, item);
  }

  /** Shows an approved refund with its payment. */
  async showRefund(refund: Refund, payment: PayableRefund, request: AdminRequest): Promise<void> {
    const { operationId } = refund;
    const arrival = (await this.store.attestable.findTransfers([operationId])).get(operationId);
    if (arrival === undefined) return;
    const item = makeRefund({ refund, payment, request, arrival }, this.configuration.addressBook);
    if (item !== null) this.board.show('FINAL', item);
  }

  private async gather(
    { chainId, bridge }: BridgeChain,
    set: AttesterSet,
    ids: readonly Hex[],
    terms: AttestedTerms,
  ): Promise<Attestation | null> {
    const { exchange } = this.configuration;
    // Without an exchange no attester can sign.
    if (exchange === null) return null;
    const validUntil = BigInt(Math.floor(this.clock.now() / 1_000) + exchange.validSeconds);
    const consent = { setNumber: set.setNumber, validUntil };
    const digest = attestationDigest(terms, consent, { chainId, address: bridge });
    const batch = { digest, call: terms.call, ids: [...ids], ...consent };
    const signatures = await this.board.collect(batch, set, SIGN_MS);
    return signatures === null ? null : toAttestation(consent, set.members, signatures);
  }
}

/**
 * Reads the attester set of a contract at a block.
 *
 * @throws QuorumError
 */
export async function readSetAt(
  { bridge: address, connection }: Pick<BridgeChain, 'bridge' | 'connection'>,
  blockNumber: bigint,
): Promise<AttesterSet> {
  const read = { address, abi: bridgeLockAbi, functionName: 'attesters', blockNumber } as const;
  const [setNumber, members, threshold] = await connection.agree((client) => client.readContract(read));
  return {
    setNumber,
    members: members.map((member) => member.toLowerCase() as Address),
    threshold: Number(threshold),
  };
}
