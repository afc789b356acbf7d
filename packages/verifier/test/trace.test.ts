import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseEther, toEventSelector, zeroAddress, type Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import {
  checkProof,
  collectProof,
  computeIntentId,
  computeRefundId,
  proveOperation,
  ProofFileError,
  readHead,
  traceBeginning,
  tracePayment,
  tracePolicy,
  traceWallet,
  Ledger,
  NoQuorumError,
  ReplacedError,
  type Dissent,
  type Heads,
  type Side,
  type Intent,
  type IntentDelivery,
  type OperationQuestion,
  type PaymentQuestion,
  type ProofFile,
  type Verifier,
} from '../src/index.js';
import { listAlterations } from './alterations.js';
import { describeCommand } from './command.js';
import { findProblems, readBooks } from './ledger.js';
import { ALICE, BOB, RELAYER, startBridge, type Lie, type TestBridge } from './bridge.js';
import {
  computeTransferId,
  deliver,
  deposit,
  getTokens,
  intentDelivery,
  lower,
  pay as payWallet,
  payAndSweep,
  payRefund,
  payTokens,
  signIntent,
  withdraw,
} from './transfers.js';
import type { Mint, Release } from './transfers.js';

const AMOUNT = parseEther('6000');
const FEE = parseEther('1000');
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const UNKNOWN: Hex = `0x${'77'.repeat(32)}`;

let bridge: TestBridge;
let mint: Mint;
let burn: Release;
let intent: IntentDelivery;

beforeAll(async () => {
  bridge = await startBridge();
  await deliver(bridge, await deposit(bridge, 'XCN', parseEther('20000')));
  mint = await deposit(bridge, 'USDC', 1_000_000_000n);
  await deliver(bridge, mint);
  burn = await withdraw(bridge, 'USDC', 500_000_000n, lower(BOB.address));
  const signed = await signIntent(bridge, ALICE, { amount: AMOUNT, recipient: lower(BOB.address) });
  intent = intentDelivery(bridge, signed, await payAndSweep(bridge, AMOUNT), FEE);
});

afterAll(async () => bridge?.stop());

const readHeads = async (verifier: Verifier): Promise<Heads> => ({
  ethereum: await readHead(verifier, 'ethereum'),
  partner: await readHead(verifier, 'partner'),
});
const begin = async (question: Partial<OperationQuestion>, verifier = bridge.verifier()) =>
  traceBeginning({ id: null, transactionHash: null, ...question }, verifier, await readHeads(verifier));
const pay = async (question: Pick<PaymentQuestion, 'side' | 'name' | 'id'> & Partial<PaymentQuestion>) => {
  const verifier = bridge.verifier();
  return tracePayment({ number: null, transactionHash: null, ...question }, verifier, await readHeads(verifier));
};

describe('the beginning of an operation', () => {
  it('is found by its transaction, by its id, and by its id when another transaction is named', async () => {
    const { id, origin, payment } = mint;
    const { transactionHash, blockNumber } = origin;
    const expected = { kind: 'EVENT', side: 'ethereum', id, transactionHash, blockNumber, amount: payment.amount };
    expect(await begin({ transactionHash })).toMatchObject(expected);
    expect(await begin({ id })).toMatchObject(expected);
    expect(await begin({ id, transactionHash: burn.origin.transactionHash })).toMatchObject(expected);
  });

  it('is a payment for an intent', async () => {
    const { transactionHash } = intent.origin;
    expect(await begin({ id: intent.id, transactionHash })).toMatchObject({
      kind: 'PAYMENT',
      sender: lower(ALICE.address),
      wallet: lower(RELAYER.address),
      amount: AMOUNT,
      transferId: computeTransferId(bridge, intent.origin),
      isOnly: true,
    });
  });

  it('is null for an unknown id, and for a transaction that begins nothing', async () => {
    expect(await begin({ id: UNKNOWN, transactionHash: UNKNOWN })).toBeNull();
    const { transactionHash } = await bridge.send('partner', ALICE, { to: BOB.address, value: 10n ** 10n });
    expect(await begin({ transactionHash })).toBeNull();
  });

  it('is what two of three nodes prove, whatever the third says', async () => {
    const lie: Lie = (method, result) => (method === 'eth_getTransactionReceipt' ? null : result);
    const liars = (count: number) =>
      bridge.verifier({
        ethereum: {
          nodes: bridge.nodes(
            'ethereum',
            Array.from({ length: count }, () => lie),
          ),
          quorum: 2,
          confirmations: 1,
        },
      });
    const { transactionHash } = mint.origin;
    expect(await begin({ transactionHash }, liars(1))).toMatchObject({ id: mint.id });
    expect(await begin({ transactionHash }, liars(2))).toBeNull();
  });

  it('is not read from nodes of another chain', async () => {
    const lie: Lie = (method, result) => (method === 'eth_chainId' ? '0x1' : result);
    const partner = { nodes: bridge.nodes('partner', [lie, lie]), quorum: 2, confirmations: 1 };
    await expect(readHead(bridge.verifier({ partner }), 'partner')).rejects.toThrow(
      'they are of chain 1 instead of 8901',
    );
  });
});

describe('the payment of an operation', () => {
  it('is found with and without the transaction that is said to contain it', async () => {
    const { id, payment, origin } = mint;
    const question = { side: 'partner', name: 'Mint', id } as const;
    const found = await pay({ ...question, number: payment.depositNonce });
    expect(found).toMatchObject({
      amount: payment.amount,
      recipient: payment.recipient,
      isCredited: false,
      intent: null,
    });
    const { transactionHash } = found!;
    expect(await pay({ ...question, transactionHash })).toEqual(found);
    expect(await pay({ ...question, transactionHash: origin.transactionHash })).toEqual(found);
  });

  it('is null until it is made', async () => {
    const question = { side: 'ethereum', name: 'Release', id: burn.id } as const;
    expect(await pay({ ...question, number: burn.payment.withdrawNonce })).toBeNull();
    await deliver(bridge, burn);
    expect(await pay({ ...question, number: burn.payment.withdrawNonce })).toMatchObject({ fee: burn.payment.fee });
  });

  it('has the signed terms of an intent', async () => {
    await deliver(bridge, intent);
    const found = await pay({ side: 'ethereum', name: 'Release', id: intent.id });
    expect(found?.intent).toEqual({ ...intent.intent, transferId: computeTransferId(bridge, intent.origin) });
    expect(computeIntentId(bridge.settings.partner, found!.intent!)).toBe(intent.id);
  });
});

it('the fee policy and the relayer wallet are read from BridgeMint', async () => {
  const verifier = bridge.verifier();
  const policy = await tracePolicy(verifier, zeroAddress, intent.origin.blockNumber);
  expect([policy.bps, policy.toFee(AMOUNT), policy.isSteady]).toEqual([25, FEE, true]);
  expect(await traceWallet(verifier, await readHeads(verifier))).toBe(lower(RELAYER.address));
});

describe('the proof of an operation', () => {
  /** The proof of what an id or a hash names, as it is read from its file. */
  const prove = async (asked: Hex, id: Hex | null = null) => {
    const verifier = bridge.verifier();
    const hint = id === null ? null : { id, isDeposit: false, originHash: null, deliveryHash: null };
    const proof = await collectProof(await proveOperation(asked, hint, verifier), verifier);
    expect(proof?.problems).toEqual([]);
    const file = JSON.parse(JSON.stringify(proof!.file)) as ProofFile;
    expect(await checkProof(file, bridge.settings)).toEqual(proof);
    return file;
  };

  const refunded = async (symbol: 'XCN' | 'USDC') => {
    const amount = symbol === 'XCN' ? AMOUNT : 5_000_000n;
    const origin = symbol === 'XCN' ? await payWallet(bridge, ALICE, amount) : await payTokens(bridge, 'USDC', amount);
    const { transactionHash, callIndex } = origin;
    const { chainId } = bridge.settings.partner;
    const id = computeRefundId({ chainId, transactionHash, asset: symbol, callIndex });
    const { partner: token } = getTokens(bridge.settings, symbol);
    await payRefund(bridge, { id, wallet: lower(RELAYER.address), token, recipient: lower(ALICE.address), amount });
    return prove(transactionHash);
  };

  it('has the terms of each kind', async () => {
    const alice = lower(ALICE.address);
    expect((await prove(mint.id)).statement).toMatchObject({
      kind: 'DEPOSIT',
      number: '1',
      asset: 'USDC',
      amount: '1000000000',
      sender: alice,
    });
    expect((await prove(burn.origin.transactionHash)).statement).toMatchObject({ kind: 'WITHDRAWAL', fee: '5000000' });
    const ofIntent = (await prove(intent.origin.transactionHash, intent.id)).statement;
    expect(ofIntent).toMatchObject({ kind: 'INTENT', amount: `${AMOUNT}`, fee: `${FEE}`, callIndex: 0, sender: alice });
    expect((await refunded('XCN')).statement).toMatchObject({ kind: 'REFUND', amount: `${AMOUNT}`, recipient: alice });
    expect((await refunded('USDC')).statement).toMatchObject({ kind: 'REFUND', asset: 'USDC', amount: '5000000' });
  });

  it('names every altered, missing or added field', async () => {
    const files = [await prove(burn.id), await prove(intent.origin.transactionHash, intent.id), await refunded('USDC')];
    for (const file of files)
      for (const { path, altered } of listAlterations(file)) {
        const named = await checkProof(altered, bridge.settings).then(
          ({ problems }) => problems.map(({ field, why }) => `${field}: ${why}`).join(),
          (error: unknown) => (error instanceof ProofFileError ? error.message : error),
        );
        expect({ path, named }).toEqual({ path, named: expect.stringContaining(path) });
      }
  }, 30_000);
});

// The chains have operations and refunds of each kind.
describe('the books of both chains', () => {
  const dissents = new Map<string, Set<string>>();
  const read = async (partner: readonly (Lie | null)[], count = 3, ledger?: Ledger) => {
    dissents.clear();
    const onDissent = (node: string, kind: Dissent) => {
      dissents.set(node, (dissents.get(node) ?? new Set()).add(kind));
    };
    const nodes = (side: Side, lies: readonly (Lie | null)[]) => ({
      nodes: bridge.nodes(side, lies).slice(0, count),
      quorum: Math.floor(count / 2) + 1,
      confirmations: 1,
      timeoutMs: lies.includes(hang) ? 1_000 : 10_000,
      onDissent,
    });
    const verifier = bridge.verifier({ ethereum: nodes('ethereum', []), partner: nodes('partner', partner) });
    return {
      ...(await readBooks(verifier, ledger)),
      named: Object.fromEntries([...dissents].map(([node, kinds]) => [node, [...kinds]])),
    };
  };
  const hang: Lie = async () => new Promise(() => undefined);
  const huge: Lie = (method, result, [query]) =>
    method === 'eth_getLogs' && !JSON.stringify(query).includes(TRANSFER)
      ? Array.from({ length: 20_001 }, () => (result as object[])[0] ?? {})
      : result;
  /** Removes the log of the mint. */
  const omit: Lie = (method, result) =>
    method === 'eth_getLogs' ? (result as { topics: Hex[] }[]).filter(({ topics }) => topics[1] !== mint.id) : result;

  it('have no finding, agree with the state and close to the unit', async () => {
    expect(await findProblems(bridge.verifier())).toEqual([]);
  });

  it.each<readonly [string, Lie | null, string]>([
    ['omits a log', omit, 'DIFFERS'],
    ['is away', null, 'AWAY'],
    ['never answers', hang, 'AWAY'],
    ['has too many logs', huge, 'AWAY'],
    [
      'is of another chain',
      (method, result) => (method.startsWith('eth_getBlock') ? { ...(result as object), number: '0x1' } : result),
      'DIFFERS',
    ],
    ['has other state', (method, result) => (method === 'eth_getProof' ? {} : result), 'DIFFERS'],
  ])('are right with three nodes of which one %s, which is named', async (_, lie, kind) => {
    const { ledger, state, named } = await read([lie]);
    expect([...ledger.findings, ...ledger.unexplained, ...state.findings]).toEqual([]);
    // An answer that comes after the end of a question can add another kind.
    expect(Object.keys(named)).toEqual(['partner-0']);
    expect(named['partner-0']).toContain(kind);
  });

  it('show by a proof that a single node omits a log', async () => {
    const { ledger, state } = await read([omit], 1);
    expect(ledger.findings).toEqual([]);
    expect(state.findings).toContainEqual(
      expect.objectContaining({
        code: 'BITMAP_DIFFERS',
        why: 'BridgeMint: It marks as delivered, without an event: 1. ',
      }),
    );
    expect(state.findings).toContainEqual(expect.objectContaining({ code: 'STATE_DIFFERS', asset: 'USDC' }));
  });

  it('show a single node that omits a transfer', async () => {
    const hide: Lie = (method, result) =>
      method === 'eth_getLogs'
        ? (result as { topics: Hex[] }[]).filter(({ topics }) => topics[0] !== TRANSFER)
        : result;
    expect((await read([hide], 1)).ledger.findings).toMatchObject([{ code: 'WRONG_REFUND' }, { code: 'WRONG_REFUND' }]);
  });

  it('are read in ranges that nodes answer', async () => {
    const narrow: Lie = (method, result, [query]) => {
      if (method !== 'eth_getLogs') return result;
      const { fromBlock, toBlock } = query as { fromBlock: Hex; toBlock: Hex };
      if (BigInt(toBlock) - BigInt(fromBlock) >= 16n) throw new Error('block range is too large');
      return result;
    };
    const { ledger, state } = await read([narrow, narrow]);
    expect([...ledger.findings, ...ledger.unexplained, ...state.findings]).toEqual([]);
  });

  it('continue after failures at any request', async () => {
    const ledger = Ledger.begin(bridge.settings);
    let [requests, failures] = [0, 0];
    // More requests succeed after each failure, so that it ends.
    const flaky: Lie = (_, result) => {
      requests += 1;
      if (requests <= 20 * (failures + 1)) return result;
      requests = 0;
      throw new Error('connection refused');
    };
    const books = async (): Promise<Awaited<ReturnType<typeof read>>> => {
      try {
        return await read([flaky], 1, ledger);
      } catch (error) {
        expect(error).toBeInstanceOf(NoQuorumError);
        failures += 1;
        return books();
      }
    };
    const { state } = await books();
    expect([...ledger.findings, ...ledger.unexplained, ...state.findings]).toEqual([]);
    expect(failures).toBeGreaterThan(0);
  });

  it('continue where they stopped, unless the block was replaced', async () => {
    const { ledger } = await read([]);
    const saved = ledger.toState();
    await deliver(bridge, await deposit(bridge, 'ETH', 1_000n));
    const { state } = await read([], 3, Ledger.resume(bridge.settings, saved));
    expect(state.findings).toEqual([]);
    const replaced = Ledger.resume(bridge.settings, saved);
    replaced.cursors.ethereum = { number: 3n, hash: UNKNOWN };
    await expect(read([], 3, replaced)).rejects.toThrow(ReplacedError);
  });
});

const verify = describeCommand(
  () => bridge,
  () => ({ mint: mint.id, intent: intent.id, intentPayment: intent.origin.transactionHash }),
);

// The last test: the bridge is wrong after it.
it('books and command name releases of a transfer to another than its payer, and without the signature of its sender', async () => {
  const release = async (account: PrivateKeyAccount, terms: Partial<Intent> = {}) => {
    const [signed, origin] = [await signIntent(bridge, account, { amount: AMOUNT }), await payAndSweep(bridge, AMOUNT)];
    const delivery = intentDelivery(bridge, { ...signed, ...terms }, origin, FEE);
    await deliver(bridge, delivery);
    return [origin.transactionHash, delivery.id];
  };
  const [byBob, unsigned] = [await release(BOB), await release(ALICE, { recipient: lower(BOB.address) })];
  expect((await readBooks(bridge.verifier())).ledger.findings).toMatchObject([
    { code: 'WRONG_INTENT', why: expect.stringContaining('made its transfer') },
    { code: 'WRONG_INTENT', why: expect.stringContaining('did not sign it') },
  ]);
  const ofPayer = expect.stringMatching(/^0x\S+ paid it, and 0x\S+ signed it\.$/);
  expect(await verify(...byBob)).toMatchObject({ code: 11, why: expect.arrayContaining([ofPayer]) });
  const ofSigner = expect.stringContaining('did not sign the intent');
  expect(await verify(...unsigned)).toMatchObject({ code: 11, why: [ofSigner], statement: { kind: 'INTENT' } });
  expect(await verify()).toMatchObject({ code: 11, result: 'wrong', findings: [{}, {}] });
});
