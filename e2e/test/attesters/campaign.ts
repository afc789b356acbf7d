import { join } from 'node:path';
import { lower } from '@causeway/chain';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import type { AttestItem } from '@causeway/protocol/attest';
import { testKey, waitUntil } from '@causeway/test-kit';
import { attestationDigest, REFUSAL_REASONS, type Consent } from '@causeway/verifier';
import type { Address, Hex, TransactionReceipt } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';
import type { TestEnvironment } from '../temporary-environment.js';
import { AnswerLog } from './answer-log.js';
import { encodePayment, getDomain, getSide, makeBatch, toCall, toCompact, type Attestation } from './consent.js';
import type { Forged, Forgery } from './forgery.js';
import { ThiefsExchange } from './thief.js';
import { sendAll, type Call, type Side } from './transactions.js';

/** Keeps the end of these tests' attestations before the attesters' limit. */
const AHEAD_SECONDS = 10n;
/** Transient answers, after which a batch is requested again. */
const OF_THE_MOMENT = /It ended at|do not agree|The hold|is not final|was not shown|did not answer|quorum/;
type Compact = Attestation['signatures'][number];
const PATIENCE = { timeoutMs: 60_000, intervalMs: 100 };
const ATTESTERS = ['attester-1', 'attester-2', 'attester-3'] as const;
/** Calls collected at a time, and attempts to send failed calls. */
const [AT_A_TIME, ROUNDS] = [6, 3];
/** Index of the first attester's account on development nodes. */
const FIRST_ATTESTER = 13;

/** A thief with the keys of the relayer and of one of three attesters, who serves the exchange to all attesters. */
export class Campaign {
  /** Members in the order of the set. */
  readonly members: readonly Address[];
  readonly stolen: { readonly address: Address; readonly privateKey: Hex };
  readonly exchange = new ThiefsExchange();
  /** All transactions of the relayer key. */
  readonly sent: Record<Side, TransactionReceipt[]> = { ethereum: [], partner: [] };
  private readonly setNumber: bigint;
  private readonly answers: readonly AnswerLog[];

  private constructor(
    private readonly environment: TestEnvironment,
    [setNumber, members]: readonly [bigint, readonly Address[], bigint],
  ) {
    const privateKey = testKey(FIRST_ATTESTER);
    this.stolen = { address: lower(privateKeyToAccount(privateKey).address), privateKey };
    this.members = members.map(lower);
    this.setNumber = setNumber;
    this.answers = ATTESTERS.map((name) => new AnswerLog(join(environment.stack.logs, `${name}.log`)));
  }

  /** Stops the relayer and takes its place. */
  static async begin(environment: TestEnvironment): Promise<Campaign> {
    const lock = { address: environment.book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
    const set = await environment.ethereum.client.readContract({ ...lock, functionName: 'attesters' });
    const campaign = new Campaign(environment, set);
    await environment.killRelayer();
    await campaign.exchange.listen(environment.stack.exchangeUrls![0]!);
    return campaign;
  }

  /** Members whose keys are not stolen. */
  get honest(): readonly Address[] {
    return this.members.filter((member) => member !== this.stolen.address);
  }

  async makeConsent(side: Side, seconds: bigint = AHEAD_SECONDS): Promise<Consent> {
    const { timestamp } = await this.environment[side].client.getBlock();
    return { setNumber: this.setNumber, validUntil: timestamp + seconds };
  }

  /** Requests a forged consent until each attester has answered, and returns the answers. */
  async ask(
    { shown, asked, batch: over = {}, consent: changes = {}, domain }: Forged,
    refusal: RegExp,
  ): Promise<string[]> {
    const side = getSide(over.call ?? toCall(asked).kind);
    let answers: string[] = [];
    await waitUntil(
      `the attesters refuse: ${refusal}`,
      async () => {
        const { setNumber, validUntil } = await this.makeConsent(side, BigInt(changes.aheadSeconds ?? AHEAD_SECONDS));
        const consent = { setNumber: changes.setNumber ?? setNumber, validUntil };
        const batch = makeBatch(asked, consent, domain ?? getDomain(this.environment.book, side), over);
        this.exchange.show(shown ?? asked);
        this.exchange.ask(batch);
        answers = await waitUntil('each has answered', () => this.findAnswers(batch.digest), PATIENCE);
        return answers.every((answer) => refusal.test(answer)) || !answers.some((answer) => OF_THE_MOMENT.test(answer));
      },
      PATIENCE,
    );
    return answers;
  }

  /** The answers of all attesters on a batch; null until all have answered. */
  private findAnswers(digest: Hex): string[] | null {
    const signed = [...(this.exchange.signatures.get(digest)?.keys() ?? [])].map((who) => `${who} SIGNED`);
    const refused = this.answers.flatMap((log) => log.find(digest) ?? []);
    return signed.length + refused.length >= this.answers.length ? [...signed, ...refused] : null;
  }

  /**
   * Collects honest attesters' consent to honest items, and adds the signature of the stolen key.
   *
   * @param from attesters that must sign; one of them signs the attestation.
   */
  async collect(items: readonly AttestItem[], from: readonly Address[] = []): Promise<Attestation> {
    const call = toCall(items);
    const side = getSide(call.kind);
    const [only] = from.length === 1 ? from : [];
    this.exchange.show(items, only);
    return waitUntil(
      `honest attesters sign ${call.kind}`,
      async () => {
        const consent = await this.makeConsent(side);
        const batch = makeBatch(items, consent, getDomain(this.environment.book, side));
        this.exchange.ask(batch, only);
        const find = () => {
          const signatures = this.exchange.signatures.get(batch.digest) ?? new Map<Address, Hex>();
          const isEnough = from.every((one) => signatures.has(one));
          return isEnough ? this.honest.find((member) => signatures.has(member)) : undefined;
        };
        const member = await waitUntil('they sign', find, { timeoutMs: 8_000, intervalMs: 50 }).catch(() => null);
        if (member === null) return null;
        const signature = this.exchange.signatures.get(batch.digest)!.get(member)!;
        const own = await this.signStolen(batch.digest);
        return this.attest(consent, new Map([[this.stolen.address, own] as const, [member, signature] as const]));
      },
      PATIENCE,
    );
  }

  /** An attestation with signatures in the order of the set. */
  attest(consent: Consent, signatures: ReadonlyMap<Address, Hex>): Attestation {
    const found = this.members.flatMap((member) => signatures.get(member) ?? []);
    return { ...consent, attesters: this.members, signatures: found.map(toCompact) };
  }

  async signStolen(digest: Hex): Promise<Hex> {
    return sign({ hash: digest, privateKey: this.stolen.privateKey, to: 'hex' });
  }

  /** Signatures of the development keys of as many attesters as must sign, in the order of the set. */
  private async signAsQuorum(digest: Hex): Promise<readonly Compact[]> {
    const signed = new Map<Address, Hex>();
    for (let index = 0; index < this.environment.options.threshold; index += 1) {
      const privateKey = testKey(FIRST_ATTESTER + index);
      const signature = await sign({ hash: digest, privateKey, to: 'hex' });
      signed.set(lower(privateKeyToAccount(privateKey).address), signature);
    }
    return this.members.flatMap((member) => signed.get(member) ?? []).map(toCompact);
  }

  /**
   * Encodes the thief's attempt at a forged payment.
   *
   * @param combine makes the signatures from the one of the stolen key, or from those of as many as must sign.
   */
  async encodeAttempt(
    { asked, consent: changes = {}, domain }: Forged,
    combine: (own: Compact, quorum: readonly Compact[]) => readonly Compact[],
  ): Promise<{ readonly side: Side; readonly call: Call }> {
    const call = toCall(asked);
    const side = getSide(call.kind);
    const fresh = await this.makeConsent(side, BigInt(changes.aheadSeconds ?? 300));
    const consent = { ...fresh, setNumber: changes.setNumber ?? fresh.setNumber };
    const digest = attestationDigest(call, consent, domain ?? getDomain(this.environment.book, side));
    const signatures = combine(toCompact(await this.signStolen(digest)), await this.signAsQuorum(digest));
    const attestation = { ...consent, attesters: this.members, signatures };
    return { side, call: encodePayment(asked, attestation, this.environment.book) };
  }

  /** Sends calls as the relayer, without a simulation. */
  async send(side: Side, calls: readonly Call[]): Promise<readonly TransactionReceipt[]> {
    const receipts = await sendAll(this.environment, side, this.environment.accounts.relayer, calls);
    this.sent[side].push(...receipts);
    return receipts;
  }

  /**
   * Pays honest items, each list in its own call.
   *
   * @param from the attesters that must have signed.
   */
  async pay(batches: readonly (readonly AttestItem[])[], from: readonly Address[] = []): Promise<Attestation[]> {
    const paid = new Map<readonly AttestItem[], Attestation>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const left = batches.filter((items) => !paid.has(items));
      for (let first = 0; first < left.length; first += AT_A_TIME)
        await this.payTogether(left.slice(first, first + AT_A_TIME), from, paid);
    }
    return batches.map((items) => paid.get(items) ?? fail(`${toCall(items).kind} was not paid`));
  }

  /** On a slow machine, an attestation can end before it is sent. */
  private async payTogether(
    batches: readonly (readonly AttestItem[])[],
    from: readonly Address[],
    paid: Map<readonly AttestItem[], Attestation>,
  ): Promise<void> {
    const collected = await Promise.all(
      batches.map(async (items) => ({ items, attestation: await this.collect(items, from) })),
    );
    for (const side of ['ethereum', 'partner'] as const) {
      const own = collected.filter(({ items }) => getSide(toCall(items).kind) === side);
      const calls = own.map(({ items, attestation }) => encodePayment(items, attestation, this.environment.book));
      const receipts = await this.send(side, calls);
      for (const [index, { items, attestation }] of own.entries())
        if (receipts[index]?.status === 'success') paid.set(items, attestation);
    }
  }
}

function fail(message: string): never {
  throw new Error(message);
}

/** Matches the start of a refusal. */
export function toPattern({ refusal }: Pick<Forgery, 'refusal'>): RegExp {
  if (refusal instanceof RegExp) return refusal;
  return new RegExp(`^${REFUSAL_REASONS[refusal].replaceAll('.', '\\.')}`);
}
