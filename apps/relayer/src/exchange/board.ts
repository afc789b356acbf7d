import {
  encodeAttest,
  type AttestBatch,
  type AttestItem,
  type AttestStage,
  type AttestVerdict,
  type AttesterSignature,
  type VerdictsRequest,
  type WorkAnswer,
} from '@causeway/protocol/attest';
import type { Address, Hex } from 'viem';
import type { ReservesProposal } from '@causeway/protocol';
import type { AttesterSet } from './quorum.js';
import { ReservesRound } from './reserves-round.js';

/** An item that is shown to the attesters. */
interface Shown {
  readonly position: number;
  readonly stage: AttestStage;
  readonly item: AttestItem;
  /** The encoded item, to detect changes. */
  readonly text: string;
  /** When the item was first shown at this stage, in epoch milliseconds. */
  readonly sinceMs: number;
  readonly verdicts: Map<Address, GivenVerdict>;
}

/** A verdict, and when its attester first gave it, in epoch milliseconds. */
type GivenVerdict = AttestVerdict & { readonly atMs: number };

/** A batch that waits for signatures, or has enough. */
interface Round {
  readonly position: number;
  readonly batch: AttestBatch;
  readonly set: AttesterSet;
  readonly signatures: Map<Address, Hex>;
  /** Ends the wait, with signatures or null. Null after it ended. */
  end: ((signatures: readonly AttesterSignature[] | null) => void) | null;
}

/** The part of the board that is new to an attester. */
type News = Pick<WorkAnswer, 'after' | 'items' | 'gone' | 'batches' | 'reserves'>;

/** Receives an attester's verdicts that differ from its previous ones. */
export type VerdictListener = (attester: Address, verdicts: VerdictsRequest['verdicts']) => void;

/** Maximum items per answer. The next answer continues. */
const MOST_ITEMS = 64;
/** How many ids of removed items are kept. */
const MOST_GONE = 10_000;

const NO_VERDICTS: ReadonlyMap<Address, GivenVerdict> = new Map();

/**
 * The list that all attesters read: items to judge and batches to sign, by position, with the attesters' answers. In
 * memory only: after a restart everything is shown again, and the attesters remember their answers.
 */
export class Board {
  private readonly items = new Map<Hex, Shown>();
  private readonly rounds = new Map<Hex, Round>();
  private reservesRound: ReservesRound | null = null;
  private gone: { readonly position: number; readonly id: Hex }[] = [];
  /** Starts at the process's start time, so that a new process's positions are above those of the previous one. */
  private position: number;
  private readonly newsListeners = new Set<() => void>();
  private readonly verdictListeners = new Set<VerdictListener>();

  /** @param now Injectable clock, in epoch milliseconds. */
  constructor(private readonly now: () => number) {
    this.position = now();
  }

  /** Shows an item, or shows it again when it or its stage has changed. Verdicts about other terms are dropped. */
  show(stage: AttestStage, item: AttestItem): void {
    const text = encodeAttest(item);
    const before = this.items.get(item.id);
    if (before?.text === text && before.stage === stage) return;
    this.items.delete(item.id);
    const verdicts = before?.text === text ? before.verdicts : new Map<Address, GivenVerdict>();
    this.items.set(item.id, { position: this.advance(), stage, item, text, sinceMs: this.now(), verdicts });
    this.announce();
  }

  /** The ids and kinds of the shown items. */
  list(): readonly Pick<AttestItem, 'id' | 'kind'>[] {
    return [...this.items.values()].map(({ item: { id, kind } }) => ({ id, kind }));
  }

  /** Finds a shown item by its id; null when it is not shown. */
  find(id: Hex): AttestItem | null {
    return this.items.get(id)?.item ?? null;
  }

  /** Removes items that need no more judgement. */
  remove(ids: Iterable<Hex>): void {
    for (const id of ids) if (this.items.delete(id)) this.gone.push({ position: this.advance(), id });
    if (this.gone.length > MOST_GONE) this.gone = this.gone.slice(-MOST_GONE);
    this.announce();
  }

  getVerdicts(id: Hex): ReadonlyMap<Address, GivenVerdict> {
    return this.items.get(id)?.verdicts ?? NO_VERDICTS;
  }

  /** How long an item has been shown at its stage, in milliseconds; 0 when it is not shown. */
  shownFor(id: Hex): number {
    const since = this.items.get(id)?.sinceMs;
    return since === undefined ? 0 : this.now() - since;
  }

  /** Records the verdicts of a member. Verdicts about items that are not shown are dropped. */
  judge(attester: Address, verdicts: VerdictsRequest['verdicts']): void {
    const atMs = this.now();
    const changed = verdicts.filter(({ id, verdict }) => {
      const shown = this.items.get(id);
      const before = shown?.verdicts.get(attester);
      const given = { ...verdict, atMs };
      const isKnown = before !== undefined && encodeAttest({ ...before, atMs }) === encodeAttest(given);
      if (shown === undefined || isKnown) return false;
      shown.verdicts.set(attester, given);
      return true;
    });
    if (changed.length === 0) return;
    const ids = changed.map(({ id }) => id);
    for (const round of this.rounds.values()) if (isHopeless(round, ids, this.items)) this.close(round, null);
    for (const listener of this.verdictListeners) listener(attester, changed);
  }

  /**
   * Asks the members of a set to sign a batch.
   *
   * @returns the first signatures, as many as the threshold; null when they do not arrive in time, or when needed
   * members withdraw their acceptance of an item.
   */
  async collect(batch: AttestBatch, set: AttesterSet, patienceMs: number): Promise<AttesterSignature[] | null> {
    const ended = Promise.withResolvers<readonly AttesterSignature[] | null>();
    const round = { position: this.advance(), batch, set, signatures: new Map<Address, Hex>(), end: ended.resolve };
    for (const { batch: old } of this.rounds.values())
      if (1_000n * old.validUntil < BigInt(this.now())) this.rounds.delete(old.digest);
    this.rounds.set(batch.digest, round);
    this.announce();
    const timer = setTimeout(() => this.close(round, null), patienceMs);
    const signatures = await ended.promise;
    clearTimeout(timer);
    return signatures === null ? null : [...signatures];
  }

  /** The proposed reserves; null while nothing is proposed. */
  get reserves(): ReservesRound | null {
    return this.reservesRound;
  }

  /** Asks the members of a set to state the reserves, instead of those proposed before. */
  proposeReserves(proposal: ReservesProposal, set: AttesterSet): void {
    this.reservesRound = new ReservesRound(this.advance(), proposal, set, this.now());
    this.announce();
  }

  endReserves(): void {
    this.reservesRound = null;
  }

  /** Finds a batch that an attester may sign; null when it is unknown or of another set. */
  findBatch(attester: Address, digest: Hex): AttestBatch | null {
    const round = this.rounds.get(digest);
    return round !== undefined && round.set.members.includes(attester) ? round.batch : null;
  }

  /** Records a verified signature. Signatures beyond the threshold are ignored. */
  sign(attester: Address, digest: Hex, signature: Hex): void {
    const round = this.rounds.get(digest);
    if (round === undefined || round.end === null) return;
    round.signatures.set(attester, signature);
    if (round.signatures.size < round.set.threshold) return;
    this.close(
      round,
      [...round.signatures].map(([one, given]) => ({ attester: one, signature: given })),
    );
  }

  /** The news for an attester after a position. A position from an earlier process counts as the start. */
  read(attester: Address, asked: number): News {
    const after = asked > this.position ? 0 : asked;
    const newer = [...this.items.values()].filter(({ position }) => position > after);
    const page = newer.slice(0, MOST_ITEMS);
    const until = page.length < newer.length ? (page.at(-1)?.position ?? after) : this.position;
    const round = this.reservesRound;
    const isNew = round !== null && round.position > after && round.position <= until;
    const rounds = [...this.rounds.values()].filter(({ position, end }) => end !== null && position > after);
    return {
      after: until,
      items: page.map(({ stage, item }) => ({ stage, item })),
      gone: this.gone.filter(({ position }) => position > after && position <= until).map(({ id }) => id),
      batches: rounds
        .filter(({ set, signatures }) => set.members.includes(attester) && !signatures.has(attester))
        .map(({ batch }) => batch),
      reserves: isNew && round.isAsking(attester) ? round.proposal : null,
    };
  }

  /** Resolves when something new is shown, after `waitMs`, or when the signal aborts. */
  async untilNews(waitMs: number, signal: AbortSignal): Promise<void> {
    const ended = Promise.withResolvers<void>();
    const timer = setTimeout(ended.resolve, waitMs);
    this.newsListeners.add(ended.resolve);
    signal.addEventListener('abort', () => ended.resolve(), { once: true });
    if (signal.aborted) ended.resolve();
    await ended.promise;
    clearTimeout(timer);
    this.newsListeners.delete(ended.resolve);
  }

  onVerdicts(listener: VerdictListener): void {
    this.verdictListeners.add(listener);
  }

  private advance(): number {
    this.position += 1;
    return this.position;
  }

  private announce(): void {
    for (const listener of this.newsListeners) listener();
  }

  private close(round: Round, signatures: readonly AttesterSignature[] | null): void {
    round.end?.(signatures);
    round.end = null;
  }
}

/** Whether fewer members than the threshold have signed the batch or accept each of its items. */
function isHopeless(
  { batch, set, signatures }: Round,
  ids: readonly Hex[],
  items: ReadonlyMap<Hex, Pick<Shown, 'verdicts'>>,
): boolean {
  const judged = batch.ids.filter((id) => ids.includes(id)).map((id) => items.get(id)?.verdicts ?? NO_VERDICTS);
  if (judged.length === 0) return false;
  const canSign = (member: Address) =>
    signatures.has(member) || judged.every((verdicts) => verdicts.get(member)?.kind === 'SIGN');
  return set.members.filter(canSign).length < set.threshold;
}
