import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lower } from '@causeway/chain';
import { getToken } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { AttestItem } from '@causeway/protocol/attest';
import { isLong, seed } from '@causeway/test-kit';
import { formatUnits, parseEther, type Address } from 'viem';
import { temporaryEnvironment, type TestEnvironment } from '../temporary-environment.js';
import { Campaign, toPattern } from './campaign.js';
import { encodePayment, type Attestation } from './consent.js';
import { listDirectCalls } from './direct-calls.js';
import { FORGED_CONSENTS } from './forged-consents.js';
import { FORGED_DELIVERIES } from './forged-deliveries.js';
import { FORGED_REFUNDS } from './forged-refunds.js';
import { BASES, choose, type Base, type Forgery, type Honest, type Scene } from './forgery.js';
import { compareHoldings, nameCoin, readHoldings } from './holdings.js';
import { approveRefund, pay, payIntents, signIntent, sweep, toIntentItem, toTransfer, xcn } from './origins.js';
import { prepare, type Prepared } from './prepare.js';
import { reopen } from './reopen.js';
import { sendAll, sumGas, type Call, type Side } from './transactions.js';

// A thief has the relayer's key and machine, and one of three attester keys. Two attesters must sign.

const ALL = [...FORGED_DELIVERIES, ...FORGED_REFUNDS, ...FORGED_CONSENTS];
/** Number of forgeries in a short run. */
const SOME = 20;
/** Requests at a time; attesters keep 64. */
const AT_A_TIME = 48;

const SEED = seed();
const forgeries = isLong ? ALL : choose(ALL, SOME, SEED);
let environment: TestEnvironment;
let campaign: Campaign;
let prepared: Prepared;
let scene: Scene;
/** Consents that paid the first honest item of each kind. */
let used: Readonly<Record<Base, Attestation>>;
/** A consent to an honest release, which the thief keeps. */
let unsent: Attestation;

/** The honest items at an index, one of each kind. */
const pick = (place: number): Honest =>
  Object.fromEntries(BASES.map((base) => [base, prepared.honest[base][place]!])) as unknown as Honest;

/** The honest items of a forgery. Its forged item is used by no other forgery, and paid later. */
const findHonest = ({ base }: Forgery, index: number): Honest => {
  const place = 2 + forgeries.slice(0, index).filter((one) => one.base === base).length;
  return { ...scene.others, [base]: prepared.honest[base][place]! };
};

beforeAll(async () => {
  environment = await temporaryEnvironment({
    attesters: 3,
    threshold: 2,
    firstDeposits: true,
    holdSeconds: 1,
    ethereumConfirmations: 2,
    partnerConfirmations: 2,
  });
  campaign = await Campaign.begin(environment);
  const mallory = environment.accounts.auditor;
  const counts = Object.fromEntries(
    BASES.map((base) => [base, 2 + forgeries.filter((one) => one.base === base).length]),
  ) as Record<Base, number>;
  prepared = await prepare(environment, mallory, counts);
  scene = { environment, mallory, others: pick(1), made: prepared.made };
  const paid = await campaign.pay(BASES.map((base) => [pick(0)[base]]));
  used = Object.fromEntries(BASES.map((base, index) => [base, paid[index]!])) as typeof used;
});
afterAll(async () => {
  campaign?.exchange.stop();
  await environment?.stop();
});

/** The thief's call with the relayer key. */
interface Attempt {
  readonly side: Side;
  readonly call: Call;
}

/** The outcome of attempts that fail. */
const NOTHING = { statuses: ['reverted'], moved: {} };

/** Makes attempts, and returns the holdings that they moved, to the unit, except the relayer wallet's gas. */
async function attempt(attempts: readonly Attempt[]) {
  const { book, accounts } = environment;
  const watched: Record<string, Address> = {
    ...Object.fromEntries(Object.entries(accounts).map(([name, { address }]) => [name, address])),
    lock: book.ethereum.bridgeLock,
    mint: book.partner.bridgeMint,
  };
  const before: Record<string, bigint> = { ...(await readHoldings(environment, watched)) };
  const statuses = new Set<string>();
  for (const side of ['ethereum', 'partner'] as const) {
    const calls = attempts.filter((one) => one.side === side).map(({ call }) => call);
    const receipts = calls.length === 0 ? [] : await campaign.send(side, calls);
    for (const { status } of receipts) statuses.add(status);
    const coin = nameCoin('relayer', side);
    before[coin] = (before[coin] ?? 0n) - sumGas(receipts, side);
  }
  return { statuses: [...statuses], moved: compareHoldings(before, await readHoldings(environment, watched)) };
}

const askFor = async (item: AttestItem, refusal: RegExp) => campaign.ask({ asked: [item] }, refusal);
const all = (refusal: RegExp) => [1, 2, 3].map(() => expect.stringMatching(refusal));

/** Splits items into batches that attesters can judge before an attestation ends. */
function cut(items: readonly AttestItem[]): readonly (readonly AttestItem[])[] {
  const size = 5;
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

describe('a thief with the keys of the relayer and of one attester', () => {
  it('has 60 kinds of forged deliveries and refunds', () => {
    expect(ALL.length).toBeGreaterThanOrEqual(60);
    expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  });

  it(`gets no consent to any of them, and moves no funds (TEST_SEED=${SEED})`, async () => {
    const forged = await Promise.all(
      forgeries.map(async (forgery, index) => ({
        forgery,
        request: await forgery.forge(findHonest(forgery, index), scene),
      })),
    );
    for (let from = 0; from < forged.length; from += AT_A_TIME)
      await Promise.all(
        forged.slice(from, from + AT_A_TIME).map(async ({ forgery, request }) => {
          const refusal = toPattern(forgery);
          const answers = [1, 2, 3].map(() => expect.stringMatching(refusal));
          const found = { name: forgery.name, answers: await campaign.ask(request, refusal) };
          expect(found).toEqual({ name: forgery.name, answers });
        }),
      );
    const [one, other] = used.MINT.signatures;
    const attempts = await Promise.all(
      forged.map(async ({ request }, index) =>
        campaign.encodeAttempt(
          request,
          (own) => [[own, own], [own, other!], [one!, own], [own], [one!, other!], []][index % 6]!,
        ),
      ),
    );
    expect(await attempt(attempts)).toEqual(NOTHING);
  });

  it('moves no funds by any other function of contracts and tokens', async () => {
    expect(await attempt(listDirectCalls(scene))).toEqual(NOTHING);
  });

  it('can pay the honest form of each, with the consent of one honest attester', async () => {
    const items = forgeries.map((forgery, index) => findHonest(forgery, index)[forgery.base]);
    const of = (kind: AttestItem['kind']) => items.filter((item) => item.kind === kind);
    const batches = [
      ...cut(of('MINT')),
      ...cut(of('RELEASE')),
      ...[...of('INTENT'), ...of('REFUND')].map((item) => [item]),
    ];
    await campaign.pay(batches);
    expect(await Promise.all(items.map(readPaid))).toEqual(items.map(() => true));
  });

  it('needs two consents for these payments: in order, in time, and each once', async () => {
    const { MINT, RELEASE } = scene.others;
    const attestation = await campaign.collect([MINT]);
    unsent = await campaign.collect([RELEASE]);
    const [first, second] = attestation.signatures as [Attestation['signatures'][0], Attestation['signatures'][0]];
    const { payment } = MINT;
    const changed: readonly (readonly [AttestItem, Partial<Attestation>])[] = [
      [MINT, { signatures: [second, first] }],
      [MINT, { signatures: [first] }],
      [MINT, { signatures: [second] }],
      [MINT, { signatures: [first, first] }],
      [MINT, { signatures: [first, second, second] }],
      [MINT, { setNumber: attestation.setNumber + 1n }],
      [MINT, { validUntil: attestation.validUntil + 60n }],
      [MINT, { validUntil: attestation.validUntil + 6_000n }],
      [MINT, { attesters: attestation.attesters.slice(1) }],
      [MINT, { attesters: [...attestation.attesters, lower(scene.mallory.address)] }],
      [{ ...MINT, payment: { ...payment, amount: payment.amount + 1n } }, {}],
      [{ ...MINT, payment: { ...payment, recipient: lower(scene.mallory.address) } }, {}],
      [{ ...MINT, payment: { ...payment, depositNonce: payment.depositNonce + 77n } }, {}],
    ];
    const attempts = changed.map(([item, change]) => ({
      side: 'partner' as const,
      call: encodePayment([item], { ...attestation, ...change }, environment.book),
    }));
    const elsewhere = encodePayment([RELEASE], attestation, environment.book);
    expect(await attempt([...attempts, { side: 'ethereum', call: elsewhere }])).toEqual(NOTHING);
    await campaign.pay([[MINT]]);
    expect(await readPaid(MINT)).toBe(true);
  });
});

/** Waits until the chain's newest block is after the end of an attestation. */
async function untilExpired({ validUntil }: Attestation, side: Side): Promise<void> {
  const { client } = environment[side];
  const isOver = async () => (await client.getBlock()).timestamp > validUntil;
  while (!(await isOver())) await new Promise((next) => setTimeout(next, 200));
}

/** Whether an honest item is paid, by its recipient's balance or the refund's record. */
async function readPaid(item: AttestItem): Promise<boolean> {
  const { book, ethereum, partner } = environment;
  if (item.kind === 'REFUND') {
    const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
    return partner.client.readContract({ ...mint, functionName: 'isRefunded', args: [item.id] });
  }
  const { client } = item.kind === 'MINT' ? partner : ethereum;
  const [owner, token, amount] =
    item.kind === 'INTENT'
      ? [item.intent.recipient, getToken(book, 'ethereum', 'XCN'), item.intent.amount - item.fee]
      : [item.payment.recipient, item.payment.token, item.payment.amount];
  const read = { address: token, abi: bridgedTokenAbi, functionName: 'balanceOf', args: [owner] } as const;
  return (await client.readContract(read)) === amount;
}

describe('a payment', () => {
  const PAID_BEFORE = /^(A delivery of this id with these terms is final|The refund of the same transfer is paid)/;

  it('is made once: it gets no new consent, and the old one pays nothing', async () => {
    const answers = await Promise.all(BASES.map(async (base) => askFor(pick(0)[base], PAID_BEFORE)));
    expect(answers).toEqual(BASES.map(() => all(PAID_BEFORE)));
    const again = BASES.map((base) => ({
      side: base === 'RELEASE' || base === 'INTENT' ? ('ethereum' as const) : ('partner' as const),
      call: encodePayment([pick(0)[base]], used[base], environment.book),
    }));
    expect(await attempt(again)).toEqual(NOTHING);
  });

  it('is not made for a number or id that the admin has reopened', async () => {
    const { MINT, RELEASE, INTENT, REFUND } = pick(0);
    await Promise.all([
      reopen(environment, 'ethereum', RELEASE.payment.withdrawNonce, INTENT.id),
      reopen(environment, 'partner', MINT.payment.depositNonce, REFUND.id),
    ]);
    const items = [MINT, RELEASE, INTENT, REFUND];
    const answers = await Promise.all(items.map(async (item) => askFor(item, PAID_BEFORE)));
    expect(answers).toEqual(items.map(() => all(PAID_BEFORE)));
  });

  it('is not made by an expired consent, but by a new one', async () => {
    const { RELEASE } = scene.others;
    await untilExpired(unsent, 'ethereum');
    const late = encodePayment([RELEASE], unsent, environment.book);
    expect(await attempt([{ side: 'ethereum', call: late }])).toEqual(NOTHING);
    await campaign.pay([[RELEASE]]);
    expect(await readPaid(RELEASE)).toBe(true);
  });

  it('is made once for a transfer claimed by two intents, or an intent and a refund: the first signed', async () => {
    const { alice } = environment.accounts;
    const amounts = [xcn(7_001), xcn(7_002), xcn(7_003)] as const;
    const origins = await pay(environment, alice, amounts);
    const transfers = amounts.map((amount, index) => ({ origin: origins[index]!, amount }));
    await sweep(environment, environment.accounts.relayer, transfers);
    const makeIntent = async (index: 0 | 1 | 2) =>
      toIntentItem(environment, await signIntent(environment, alice, amounts[index]), origins[index]!);
    const makeRefund = async (index: 0 | 1 | 2) => {
      const arrival = { arrival: origins[index]!, asset: 'XCN', payer: lower(alice.address) } as const;
      return approveRefund(environment, { ...arrival, amount: amounts[index] });
    };
    const first = [await makeIntent(0), await makeIntent(1), await makeRefund(2)];
    const second = [await makeIntent(0), await makeRefund(1), await makeIntent(2)];
    await campaign.pay(
      first.map((item) => [item]),
      campaign.members,
    );
    const refusal = /^The transfer of the origin was signed for another operation or refund/;
    const answers = await Promise.all(second.map(async (item) => askFor(item, refusal)));
    expect(answers).toEqual(second.map(() => all(refusal)));
    expect(await Promise.all([...first, ...second].map(readPaid))).toEqual([true, true, true, false, false, false]);
  });
});

describe('a transfer for which each honest attester is asked to sign a different payment', () => {
  /** Makes a swept transfer of Alice. */
  const payTransfer = async (amount: bigint) => {
    const { alice, relayer } = environment.accounts;
    const [origin] = await pay(environment, alice, [amount]);
    await sweep(environment, relayer, [{ origin: origin!, amount }]);
    return origin!;
  };
  /** Collects consents of one honest attester each. */
  const collectEach = async (items: readonly AttestItem[]) =>
    Promise.all(items.map(async (item, index) => campaign.collect([item], [campaign.honest[index]!])));

  it('pays one of two intents', async () => {
    const amount = xcn(7_004);
    const { alice } = environment.accounts;
    const intents = [await signIntent(environment, alice, amount), await signIntent(environment, alice, amount)];
    const origin = await payTransfer(amount);
    const items = await Promise.all(intents.map(async (intent) => toIntentItem(environment, intent, origin)));
    const attestations = await collectEach(items);
    const calls = items.map((item, index) => encodePayment([item], attestations[index]!, environment.book));
    const receipts = await campaign.send('ethereum', calls);
    expect(receipts.map(({ status }) => status)).toEqual(['success', 'reverted']);
    expect(await Promise.all(items.map(readPaid))).toEqual([true, false]);
  });

  it("pays an intent, and the refund beside it is the wallet's own coin", async () => {
    const amount = xcn(7_006);
    const { alice } = environment.accounts;
    const intent = await signIntent(environment, alice, amount);
    const arrival = await payTransfer(amount);
    const item = await toIntentItem(environment, intent, arrival);
    const refund = await approveRefund(environment, { arrival, asset: 'XCN', payer: lower(alice.address), amount });
    const [toIntent, toRefund] = await collectEach([item, refund]);
    const outcome = await attempt([
      { side: 'ethereum', call: encodePayment([item], toIntent!, environment.book) },
      { side: 'partner', call: encodePayment([refund], toRefund!, environment.book) },
    ]);
    const moved = {
      'XCN of lock on ethereum': item.fee - amount,
      [nameCoin('relayer', 'partner')]: -amount,
      [nameCoin('alice', 'partner')]: amount,
    };
    expect(outcome).toEqual({ statuses: ['success'], moved });
  });
});

describe("the wallet's own", () => {
  const NOT_SWEPT = /^The coin of the transfer is not in the float/;

  /** Makes a paid intent of the thief. */
  const payOwn = async (amount: bigint) => {
    const [item] = await payIntents(environment, [amount], scene.mallory);
    return item!;
  };
  const readOwn = async () => readHoldings(environment, { thief: scene.mallory.address });

  it("is all that the thief can take, even in a circle during others' intents", async () => {
    const { relayer, alice } = environment.accounts;
    const others = await payIntents(environment, [xcn(7_010), xcn(7_011)], alice);
    const before = await readOwn();
    const read = async (side: Side) => environment[side].client.getBalance({ address: relayer.address });
    const held = { ethereum: await read('ethereum'), partner: await read('partner') };
    const takeAll = async (side: Side) => {
      const value = (await read(side)) - parseEther('10');
      const call = { to: scene.mallory.address, value, gas: 3_000_000n };
      const [receipt] = await sendAll(environment, side, relayer, [call]);
      expect(receipt?.status).toBe('success');
      return value;
    };
    const taken = { ethereum: await takeAll('ethereum'), partner: await takeAll('partner') };
    // Sent in a circle, the coin is released once it has moved from the wallet to the float.
    const first = await payOwn(xcn(7_005));
    expect(await askFor(first, NOT_SWEPT)).toEqual(all(NOT_SWEPT));
    await sweep(environment, relayer, [toTransfer(first)]);
    await campaign.pay([[first]]);
    expect(await readPaid(first)).toBe(true);
    const second = await payOwn(xcn(7_006));
    await takeAll('partner');
    // No further intent is paid, neither by the first sweep nor by others' coin.
    await sweep(environment, relayer, [{ ...toTransfer(first), amount: 10n ** 10n }]);
    for (const item of [second, ...others]) expect(await askFor(item, NOT_SWEPT)).toEqual(all(NOT_SWEPT));
    const moved = compareHoldings(before, await readOwn());
    const [left, released] = [moved[nameCoin('thief', 'partner')] ?? 0n, first.intent.amount - first.fee];
    expect(left + released).toBeLessThanOrEqual(held.partner);
    const unswept = others.reduce((sum, { intent }) => sum + intent.amount, 0n);
    const format = (amount: bigint) => formatUnits(amount, 18);
    process.stdout.write(
      `A thief takes from the relayer wallet ${format(taken.ethereum)} of ${format(held.ethereum)} ETH and ` +
        `${format(taken.partner)} of ${format(held.partner)} XCN, of which intents brought ${format(unswept)} that was ` +
        `not swept yet. In a circle it has ${format(left)} XCN, and ${format(released)} that Ethereum released.\n`,
    );
    expect(taken.partner).toBeGreaterThan(unswept);
  });
});
