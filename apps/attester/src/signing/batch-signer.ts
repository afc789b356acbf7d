import type { Signer } from '@causeway/chain/signers';
import type { AttestBatch, AttestItem, AttestVerdict } from '@causeway/protocol/attest';
import { attestationDigest, type Side, type Until, type Verdict, type Verifier } from '@causeway/verifier';
import type { Address, Hex } from 'viem';
import type { AssetLimits } from '../configuration/configuration.js';
import type { AttestRecord } from '../record/attest-record.js';
import { findConflict } from '../record/conflict.js';
import { toTransferText } from '../record/entry.js';
import { findSetProblem, readAttesterSet, readHead, type Head } from './chain-state.js';
import { getSide, judgeItem, mergeCalls, toPayment, type Payment, type SignVerdict } from './judge-item.js';
import { findExcess } from './limits.js';
import type { StartWait } from './start-wait.js';
import { makeTypedData } from './typed-data.js';

/** The verdict on the item that prevents the signature. `until`: when it can change, if known. */
interface CausingVerdict {
  readonly id: Hex;
  readonly verdict: AttestVerdict;
  readonly until?: Until;
}

/** The outcome of a batch. LATER: retried until the batch ends. */
export type BatchOutcome =
  | { readonly kind: 'SIGNED'; readonly signature: Hex }
  | {
      readonly kind: 'LATER' | 'REFUSED';
      readonly why: string;
      readonly verdict?: CausingVerdict;
    };

/** Aborts a batch without a signature. */
class NotSigned extends Error {
  constructor(readonly outcome: Exclude<BatchOutcome, { kind: 'SIGNED' }>) {
    super(outcome.why);
  }
}

/** The parts of an attester that a signature needs. */
interface SigningParts {
  readonly verifier: Verifier;
  readonly record: AttestRecord;
  readonly signer: Pick<Signer, 'signTypedData'>;
  readonly address: Address;
  readonly limits: ReadonlyMap<string, AssetLimits>;
  readonly validitySeconds: number;
  readonly wait: StartWait;
  /** Why the contracts' state prevents every signature; null when it does not. */
  readonly findObstacle: () => string | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Unix seconds by a monotonic clock. */
  readonly monotonic: () => number;
}

/** An item shown by an exchange. */
export interface JudgedItem {
  readonly item: AttestItem;
  /** This process's SIGN verdict; null without one. */
  readonly judged: {
    readonly verdict: SignVerdict;
    /** When the judgement began, in epoch milliseconds. */
    readonly atMs: number;
    /** Number of entries that the record had forgotten by then. */
    readonly forgotten: number;
  } | null;
}

/** Items of a batch judged concurrently. */
const PARALLEL = 8;
/**
 * How long a verdict is reused. Verdicts are about final blocks, which lag further behind the head than this, so a new
 * verdict would know no more about payments in flight. The record has those that this attester has signed.
 */
const FRESH_MS = 5_000;

/**
 * Signs batches whose every item this process has judged within seconds. The digest is computed from its own
 * judgements, and must equal the requested one. The record is on the disk before the signature is sent.
 */
export class BatchSigner {
  /** Serializes counting and recording, one batch at a time. */
  private turn: Promise<unknown> = Promise.resolve();
  /** When the wait after the start was found to be over, in epoch milliseconds. */
  private openedAtMs: number | null = null;

  constructor(private readonly parts: SigningParts) {}

  /**
   * @param items the items shown by the same exchange, by id.
   * @throws NoQuorumError, SignerError, RecordFailedError
   */
  async sign(batch: AttestBatch, items: ReadonlyMap<Hex, JudgedItem>): Promise<BatchOutcome> {
    try {
      return { kind: 'SIGNED', signature: await this.trySign(batch, items) };
    } catch (error) {
      if (error instanceof NotSigned) return error.outcome;
      throw error;
    }
  }

  /** Why nothing at all can be signed at present; null when signing is possible. */
  findObstacle(): string | null {
    const { wait, monotonic, findObstacle } = this.parts;
    return findObstacle() ?? wait.findReason(monotonic());
  }

  private async trySign(batch: AttestBatch, items: ReadonlyMap<Hex, JudgedItem>): Promise<Hex> {
    const { verifier, record, signer } = this.parts;
    const side = getSide(batch.call);
    const shown = batch.ids.map((id) => items.get(id) ?? postpone(`The item ${id} was not shown.`));
    if (new Set(batch.ids).size !== batch.ids.length) return refuse('It names an item twice.');
    const head = await readHead(verifier, side);
    await this.checkConsent(batch, side, head);
    // Read before the judgements, so that they see the same or a newer final block.
    const isKnown = batch.ids.some((id) => record.signedAs(id).length > 0);
    const finalSeconds = isKnown ? await readFinalSeconds(verifier, side) : 0n;
    const { forgotten } = record;
    const verdicts = await this.judgeAll(shown);
    const calls = verdicts.map(({ call }) => call);
    const call = mergeCalls(batch.call, calls) ?? refuse(`Its items are not of the call ${batch.call}.`);
    const { setNumber, validUntil } = batch;
    const consent = { setNumber, validUntil };
    const domain = verifier.settings[side];
    if (attestationDigest(call, consent, domain) !== batch.digest) return refuse('Its digest is another one.');
    const data = makeTypedData(call, consent, domain);
    const payments = shown.map(({ item }, index) => toPayment(item, pick(verdicts, index), verifier.settings));
    await this.inTurn(async () => {
      // An earlier judgement does not cover the payments of forgotten signatures.
      if (record.forgotten !== forgotten) postpone('Signatures were forgotten meanwhile.');
      await this.write(payments, validUntil, finalSeconds);
    });
    return signer.signTypedData(data);
  }

  /**
   * Forgets entries that no judgement needs. Runs between signatures, so that no entry is forgotten between a
   * signature's check and its record.
   *
   * @throws NoQuorumError, RecordFailedError
   */
  async forget(): Promise<void> {
    const { verifier, record, now } = this.parts;
    const released = await verifier.histories.ethereum.at(await verifier.finality.finalBlock('ethereum'));
    const ethereum = await readFinalSeconds(verifier, 'ethereum');
    const partner = await readFinalSeconds(verifier, 'partner');
    record.acceptances.forget(partner, (id) => released.findPaid(id).length > 0);
    await this.inTurn(async () => record.forget({ ethereum, partner }, now()));
  }

  /** Checks the contract's attester set, the end of validity, and the wait after the start. */
  private async checkConsent({ setNumber, validUntil }: AttestBatch, side: Side, head: Head): Promise<void> {
    const { verifier, address, validitySeconds } = this.parts;
    const obstacle = this.findObstacle() ?? (await this.findWait());
    if (obstacle !== null) postpone(obstacle);
    if (validUntil <= head.timestamp) refuse(`It ended at ${validUntil}, and the chain is at ${head.timestamp}.`);
    if (validUntil > head.timestamp + BigInt(validitySeconds))
      postpone(`It ends at ${validUntil}, more than ${validitySeconds} s after the chain's ${head.timestamp}.`);
    const set = await readAttesterSet(verifier, side, head);
    if (set.number !== setNumber) postpone(`The contract has the attester set ${set.number}.`);
    const problem = findSetProblem(set, address);
    if (problem !== null) postpone(problem);
  }

  /** Waits until the final blocks of both chains include all payments by signatures of an earlier process. */
  private async findWait(): Promise<string | null> {
    const { verifier, wait, monotonic, now } = this.parts;
    if (this.openedAtMs !== null) return null;
    const ethereum = await readFinalSeconds(verifier, 'ethereum');
    const partner = await readFinalSeconds(verifier, 'partner');
    const reason = wait.findReason(monotonic(), ethereum < partner ? ethereum : partner);
    if (reason === null) this.openedAtMs = now();
    return reason;
  }

  /** Judges all items, and throws for the first one that must not be signed. */
  private async judgeAll(items: readonly JudgedItem[]): Promise<readonly SignVerdict[]> {
    const verdicts: SignVerdict[] = [];
    for (let from = 0; from < items.length; from += PARALLEL) {
      const some = items.slice(from, from + PARALLEL);
      const judged = await Promise.all(some.map(async (each) => ({ each, verdict: await this.judge(each) })));
      for (const { each, verdict } of judged) {
        const why = verdict.kind === 'SIGN' ? '' : verdict.why.slice(0, 500);
        const { id } = each.item;
        if (verdict.kind === 'SIGN') verdicts.push(verdict);
        else if (verdict.kind === 'NOT_YET')
          postpone(why, { id, verdict: { kind: 'NOT_YET', why }, until: verdict.until });
        else refuse(why, { id, verdict: { kind: 'REFUSE', reason: verdict.reason, why } });
      }
    }
    return verdicts;
  }

  /**
   * Rejudges an item that was signed before, because other terms need a state after the earlier signature. Also
   * rejudges an item that was judged before the wait after the start was over, or before entries were forgotten.
   */
  private async judge({ item, judged }: JudgedItem): Promise<Verdict> {
    const { verifier, record, now } = this.parts;
    const { openedAtMs } = this;
    const isFresh =
      judged !== null &&
      openedAtMs !== null &&
      judged.atMs >= openedAtMs &&
      now() - judged.atMs <= FRESH_MS &&
      judged.forgotten === record.forgotten;
    return isFresh && record.signedAs(item.id).length === 0 ? judged.verdict : judgeItem(item, verifier);
  }

  /** Checks the payments against all earlier signatures and the limits, and records them. */
  private async write(payments: readonly Payment[], validUntil: bigint, finalSeconds: bigint): Promise<void> {
    const { record, limits, now } = this.parts;
    if (new Set(payments.map(({ transfer }) => toTransferText(transfer))).size !== payments.length)
      refuse('Two of its items have the same transfer.');
    for (const payment of payments) {
      const earlier = findConflict(record, payment, finalSeconds);
      if (earlier === null) continue;
      const isSame = earlier.id === payment.id && earlier.kind === payment.kind;
      const why = `It was signed for ${earlier.id}, until ${earlier.validUntil}.`;
      const isTransfer = toTransferText(earlier.transfer) === toTransferText(payment.transfer);
      if (isSame && isTransfer) postpone(why, { id: payment.id, verdict: { kind: 'NOT_YET', why } });
      const reason = isTransfer ? 'TRANSFER_USED' : 'ID_USED';
      refuse(why, { id: payment.id, verdict: { kind: 'REFUSE', reason, why } });
    }
    const excess = findExcess(limits, record, payments, now());
    if (excess !== null) {
      const { payment, why, isFinal } = excess;
      if (isFinal) refuse(why, { id: payment.id, verdict: { kind: 'REFUSE', reason: 'ABOVE_OWN_LIMIT', why } });
      postpone(why, { id: payment.id, verdict: { kind: 'NOT_YET', why } });
    }
    const signedAtMs = now();
    await record.add(
      payments.map(({ kind, id, transfer, terms, side, asset, amount }) => ({
        kind,
        id,
        transfer,
        terms,
        side,
        asset,
        amount,
        validUntil,
        proof: 'RECEIPT' as const,
        signedAtMs,
      })),
    );
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }
}

function refuse(why: string, verdict?: CausingVerdict): never {
  throw new NotSigned({ kind: 'REFUSED', why, ...(verdict === undefined ? {} : { verdict }) });
}

function postpone(why: string, verdict?: CausingVerdict): never {
  throw new NotSigned({ kind: 'LATER', why, ...(verdict === undefined ? {} : { verdict }) });
}

function pick<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`There is no verdict ${index}`);
  return found;
}

async function readFinalSeconds({ finality, readers }: Verifier, side: Side): Promise<bigint> {
  return (await readers[side].headerAt(await finality.finalBlock(side))).timestamp;
}
