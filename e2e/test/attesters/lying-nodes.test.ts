import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { lower } from '@causeway/chain';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { AttestItem } from '@causeway/protocol/attest';
import { reconcile, User } from '@causeway/testbed';
import { anAddress, isLong, seed, waitUntil } from '@causeway/test-kit';
import { attestationDigest } from '@causeway/verifier';
import type { Address, Hex } from 'viem';
import { temporaryEnvironment, type TestEnvironment } from '../temporary-environment.js';
import { AttesterNodes, type Behaviour } from './attester-nodes.js';
import { getDomain, getSide, makeBatch, toCall } from './consent.js';
import { listLies } from './lies.js';
import { deposit, payIntents, sweep, toTransfer, withdrawNative, xcn, type Item } from './origins.js';
import { ThiefsExchange } from './thief.js';
import type { Side } from './transactions.js';

// Three attesters, each with three nodes by two operators for each chain. The relayer shows its deliveries at its
// exchange; a thief shows at another exchange the deliveries that the lies would support.

const PATIENCE = { timeoutMs: 120_000 };
const SIDES = ['ethereum', 'partner'] as const;
const NAMES = ['attester-1', 'attester-2', 'attester-3'] as const;
const AMOUNT = 7_000_000n;
const TERMS = { amount: AMOUNT, forgedAmount: 8_000_000n, forgedFee: 1n };
const BEHAVIOURS: readonly (readonly [string, Behaviour])[] = [
  ...listLies(TERMS),
  ['no connection', 'cut'],
  ['no answer', 'silent'],
];
/** One node of each chain for each attester: six at a time. */
const AT_A_TIME = NAMES.length * SIDES.length;
const ROUNDS = isLong ? Math.ceil(BEHAVIOURS.length / AT_A_TIME) : 1;

let environment: TestEnvironment;
let alice: User;
let records: string;
const thief = new ThiefsExchange();
const nodes = new Map<string, AttesterNodes>();
/** Amounts of the users' signed intents, by id. */
const intents = new Map<Hex, bigint>();
let collateral: Item<'MINT'>;
/** Never registered with the API, so the relayer does not pay it. */
let unregistered: Item<'INTENT'>;
const first = isLong ? 0 : seed() % BEHAVIOURS.length;

beforeAll(async () => {
  environment = await temporaryEnvironment({
    attesters: 3,
    threshold: 2,
    holdSeconds: 1,
    ethereumConfirmations: 2,
    partnerConfirmations: 2,
  });
  alice = new User(environment, environment.accounts.alice);
  records = mkdtempSync(join(tmpdir(), 'causeway-records-'));
  await thief.listen(environment.stack.exchangeUrls![1]!);
  for (const name of NAMES) {
    const own = new AttesterNodes(environment);
    nodes.set(name, own);
    await environment.processes.kill(name);
    await environment.startAttester(name, { ...(await own.start()), DATA_DIRECTORY: join(records, name) });
  }
  [collateral] = (await deposit(environment, [xcn(300_000)], 'XCN')) as [Item<'MINT'>];
  await completed(collateral.origin.transactionHash);
  await environment.killRelayer();
  [unregistered] = (await payIntents(environment, [xcn(6_000)], environment.accounts.policyManager)) as [
    Item<'INTENT'>,
  ];
  // Only the rule on fees prevents its forged form.
  await sweep(environment, environment.accounts.relayer, [toTransfer(unregistered)]);
  await reconcile(environment);
  await environment.restartRelayer();
});
afterEach(() => {
  for (const own of nodes.values()) own.heal();
});
afterAll(async () => {
  thief.stop();
  for (const own of nodes.values()) own.heal();
  await environment?.stop();
  if (records !== undefined) rmSync(records, { recursive: true });
});

/** Waits until operations have completed, and returns their statuses. */
async function completed(...hashes: readonly Hex[]): Promise<(string | undefined)[]> {
  const read = async (hash: Hex) => (await alice.status(hash))?.status;
  for (const hash of hashes)
    await waitUntil(`${hash} is complete`, async () => (await read(hash)) === 'COMPLETED', PATIENCE);
  return Promise.all(hashes.map(read));
}

const ALL_COMPLETED = ['COMPLETED', 'COMPLETED', 'COMPLETED'];

/** Begins a transfer of each kind, and returns forged forms of them. */
async function begin() {
  const amount = xcn(6_000);
  const [[mint], [release], intent] = await Promise.all([
    deposit(environment, [AMOUNT]),
    withdrawNative(environment, [amount]),
    new User(environment, environment.accounts.auditor).withdrawXcn(amount, anAddress(), crypto.randomUUID()),
  ]);
  intents.set(intent.intentId, amount);
  const forged: readonly AttestItem[] = [
    { ...mint!, payment: { ...mint!.payment, amount: TERMS.forgedAmount } },
    { ...release!, payment: { ...release!.payment, amount: release!.payment.amount + release!.payment.fee, fee: 0n } },
    { ...unregistered, fee: TERMS.forgedFee },
    collateral,
  ];
  return { honest: [mint!.origin.transactionHash, release!.origin.transactionHash, intent.originTxHash], forged };
}

/** Shows forged items to all attesters and requests signatures. Returns the verdicts of all. */
async function show(forged: readonly AttestItem[]): Promise<readonly string[]> {
  for (const { id } of forged) thief.verdicts.delete(id);
  thief.show(forged);
  for (const item of forged) {
    const side = getSide(toCall([item]).kind);
    const { timestamp } = await environment[side].client.getBlock();
    const consent = { setNumber: 1n, validUntil: timestamp + 11n };
    thief.ask(makeBatch([item], consent, getDomain(environment.book, side)));
  }
  const answers = () => forged.flatMap(({ id }) => [...(thief.verdicts.get(id)?.values() ?? [])]);
  await waitUntil('each attester answers', () => answers().length === NAMES.length * forged.length, PATIENCE);
  return answers().map(({ kind }) => kind);
}

function behave(name: string, side: Side, index: number, behaviour: Behaviour): void {
  nodes.get(name)?.let(side, index, behaviour);
}

describe('the nodes of attesters', () => {
  it.each(Array.from({ length: ROUNDS }, (_, round) => round))(
    'lie one at a time, and the honest ones deliver: round %i',
    async (round) => {
      const told: string[] = [];
      for (const [place, [name, side]] of NAMES.flatMap((one) => SIDES.map((each) => [one, each] as const)).entries()) {
        const [title, behaviour] = BEHAVIOURS[(first + round * AT_A_TIME + place) % BEHAVIOURS.length]!;
        told.push(title);
        behave(name, side, place % 3, behaviour);
      }
      const { honest, forged } = await begin();
      const [verdicts, statuses] = await Promise.all([show(forged), completed(...honest)]);
      expect(statuses).toEqual(ALL_COMPLETED);
      expect({ told, verdicts }).toEqual({ told, verdicts: verdicts.filter((kind) => kind !== 'SIGN') });
      expect(thief.signatures.size).toBe(0);
    },
  );

  it.each(isLong ? BEHAVIOURS : [BEHAVIOURS[first]!])(
    'lie together while honest ones are cut off, and attesters sign only once these return: %s',
    async (_, behaviour) => {
      const { honest, forged } = await begin();
      for (const name of NAMES)
        for (const side of SIDES) {
          behave(name, side, 0, behaviour);
          behave(name, side, 1, 'cut');
        }
      const verdicts = await show(forged);
      expect(verdicts.filter((kind) => kind === 'SIGN')).toEqual([]);
      expect(thief.signatures.size).toBe(0);
      for (const own of nodes.values()) own.heal();
      expect(await completed(...honest)).toEqual(ALL_COMPLETED);
    },
  );

  it('led to no signature for deliveries that the chains do not owe', async () => {
    const owed = await listOwed();
    const signed = NAMES.flatMap((name) =>
      readFileSync(join(records, name, 'record'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line.slice(line.indexOf('{'))) as { id: Hex; terms: Hex; amount: string }),
    );
    expect(signed.length).toBeGreaterThan(2 * owed.size);
    const wrong = signed.filter(({ id, terms, amount }) =>
      intents.has(id) ? intents.get(id) !== BigInt(amount) : !owed.has(terms),
    );
    expect(wrong).toEqual([]);
  });
});

/** The recorded terms of all numbered deliveries that the honest chains owe. */
async function listOwed(): Promise<ReadonlySet<Hex>> {
  const { book, ethereum, partner } = environment;
  const range = { fromBlock: 0n, toBlock: 'latest', strict: true } as const;
  const [lock, mint] = [book.ethereum.bridgeLock, book.partner.bridgeMint];
  const [deposits, withdrawals] = await Promise.all([
    ethereum.client.getContractEvents({ ...range, address: lock, abi: bridgeLockAbi, eventName: 'Deposit' }),
    partner.client.getContractEvents({ ...range, address: mint, abi: bridgeMintAbi, eventName: 'Withdraw' }),
  ]);
  const toOther = (token: Address, from: Side, to: Side): Address => {
    const symbols = Object.entries(getTokens(from)).find(([, address]) => address === lower(token));
    return getTokens(to)[symbols![0] as 'ETH' | 'USDC' | 'XCN'];
  };
  const none = { setNumber: 0n, validUntil: 0n };
  return new Set([
    ...deposits.map(({ args }) => {
      const { nonce, token, recipient, amount } = args;
      const payment = {
        depositNonce: nonce,
        token: toOther(token, 'ethereum', 'partner'),
        recipient: lower(recipient),
        amount,
      };
      return attestationDigest({ kind: 'MINT_MANY', payments: [payment] }, none, getDomain(book, 'partner'));
    }),
    ...withdrawals.map(({ args }) => {
      const { nonce, token, destination, amount, fee } = args;
      const payment = {
        withdrawNonce: nonce,
        token: toOther(token, 'partner', 'ethereum'),
        recipient: lower(destination),
        amount: amount - fee,
        fee,
      };
      return attestationDigest({ kind: 'RELEASE_MANY', payments: [payment] }, none, getDomain(book, 'ethereum'));
    }),
  ]);
}

function getTokens(side: Side) {
  const coin: Address = '0x0000000000000000000000000000000000000000';
  const { ethereum, partner } = environment.book;
  return side === 'ethereum'
    ? { ETH: coin, USDC: lower(ethereum.tokens.USDC), XCN: lower(ethereum.tokens.XCN) }
    : { ETH: lower(partner.tokens.ETH), USDC: lower(partner.tokens.USDC), XCN: coin };
}
