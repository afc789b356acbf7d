import { describe, expect, it } from '@jest/globals';
import { NodeUnavailableError, type CallRequest, type Submission } from '@causeway/chain';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { RequestSnapshot } from '@causeway/protocol/admin';
import type { AdminRequest, CallSubject, Fence, Refund, SeenRefund } from '@causeway/store';
import { anIntent, anOperation } from '@causeway/store/test';
import { aHash, anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { pino } from 'pino';
import { encodeErrorResult, RpcRequestError, zeroAddress, type Hex } from 'viem';
import type { Consent } from '../../exchange/attesters.js';
import {
  book,
  operators,
  AMOUNT,
  aRefund,
  signed,
  makeState,
  approval,
  approved,
} from '../../../test/approved-refund.js';
import { RefundStage } from './refund-stage.js';

const FENCE: Fence = { name: 'relayer', token: 1n };
/** The gas of a transfer on Ethereum with the id of its refund, at 1 gwei. */
const GAS_FEE = 22_280n * 10n ** 9n;
const ON_ETHEREUM = { chainId: ETHEREUM, asset: 'ETH' } as const;

interface Script {
  readonly refund: Refund;
  /** The request that the refund, or the rejected intent, names. */
  readonly request?: AdminRequest;
  readonly isFinal?: boolean;
  /** Whether the block of the event `refunded` is final. */
  readonly isFinalPayment?: boolean;
  readonly isHalted?: boolean;
  readonly isUnread?: boolean;
  readonly refusesCoin?: boolean;
  readonly wasPaid?: boolean;
  readonly isAway?: boolean;
  /** The coin of its transfer is in the float, and the wallet has this much that it does not keep for others. */
  readonly spare?: bigint;
  readonly submission?: Submission;
  readonly seen?: readonly SeenRefund[];
  /** The arguments of a Refunded event with its id that the journal does not know. */
  readonly refunded?: Readonly<Record<string, string>>;
  readonly rejected?: Hex;
  /** An objection to the approval: a release may have paid out the transfer. */
  readonly objection?: string;
  readonly consent?: Consent;
}

/** The transfer's block on the current branch. */
const ARRIVAL = { blockNumber: 90n, blockHash: aHash() };

/** The stage between a scripted chain, a scripted store and a lane with scripted answers. */
function setUp(script: Script) {
  const written: string[] = [];
  const requests: CallRequest<CallSubject>[] = [];
  const shown: bigint[] = [];
  const clock = { at: 1_000_000, now: () => clock.at };
  const reverted = (data: string) =>
    new RpcRequestError({ body: {}, url: '', error: { code: 3, message: 'reverted', data } });
  const answer = async ({ data }: { data: string }) => {
    if (script.isAway === true) throw new NodeUnavailableError('a test');
    if (data === '0x' && script.refusesCoin === true) throw reverted('0x08c379a0');
    if (data !== '0x' && script.wasPaid === true)
      throw reverted(encodeErrorResult({ abi: bridgeMintAbi, errorName: 'AlreadyRefunded', args: [script.refund.id] }));
    return 100_000n;
  };
  const client = {
    getBlock: async () => ({ baseFeePerGas: 5n * 10n ** 8n }),
    getFeeHistory: async () => ({ baseFeePerGas: [5n * 10n ** 8n], gasUsedRatio: [1], reward: [[10n ** 15n]] }),
    getCode: async () => undefined,
    getBalance: async () => 0n,
    getTransactionCount: async () => 0,
    estimateGas: answer,
    call: async (request: { data: string }) => ({ data: (await answer(request), '0x') }),
  };
  const connection = { client, agree: (read: (one: typeof client) => Promise<unknown>) => read(client) };
  const head = async () => 100n;
  // The operation keeps the block of a branch that may be gone.
  const isFinal = async (block: object) =>
    'minedAt' in block
      ? script.isFinalPayment === true
      : (script.isFinal ?? (block === ARRIVAL || 'refundId' in block));
  const finality = { head, recentHead: head, isFinal, blockAt: async () => null };
  const chain = (side: string, chainId: number) => ({ side, chainId, connection, confirmations: 3, finality });
  const store = {
    halts: { list: async () => [], deliveries: async () => (script.isHalted === true ? { reason: '' } : null) },
    scan: {
      cursor: async () => ({ nextBlock: script.isUnread === true ? 1n : 101n }),
      latestBlock: async () => ({ number: 100n }),
    },
    operations: { findById: async (id: string) => anOperation(anIntent({ id: id as Refund['id'] })) },
    verdicts: {
      deliveriesFor: async () =>
        script.refunded === undefined
          ? []
          : [{ delivery: { name: 'Refunded', args: script.refunded, minedAt: new Date(0) } }],
    },
    requests: { find: async () => script.request ?? null, findObjection: async () => script.objection ?? null },
    restore: {
      restoreRefund: async (_: Fence, { recipient }: { readonly recipient: string }) =>
        written.push(`paid ${recipient}`) > 0,
    },
    journal: { nextNonce: async () => 0n },
    unjournaled: { unknownNonces: async () => [], paymentsTo: async () => [] },
    sweeps: {
      isInFloat: async () => script.spare !== undefined,
      keptBack: async () => ({ all: 1_000n + script.refund.amount, inFloat: script.refund.amount }),
    },
    refunds: {
      findUnmatched: async () => [],
      findRejected: async () => (script.rejected === undefined ? [] : [{ id: script.rejected, requestId: aHash() }]),
      findApproved: async () => (script.refund.status === 'APPROVED' ? [script.refund] : []),
      find: async () => script.refund,
      arrival: async () => ARRIVAL,
      findPaid: async () => script.seen ?? [],
      complete: async () => written.push('complete') > 0,
      failIntent: async (_: Fence, id: string, reason: string) => written.push(`${id} ${reason}`) > 0,
    },
  };
  const sent: Submission = { kind: 'sent', hash: aHash(), nonce: 0n, result: { kind: 'accepted' } };
  const lane = {
    look: async () => ({ balance: 0n, books: { available: 1_000n + (script.spare ?? 0n) } }),
    submit: async (_: unknown, given: CallRequest<CallSubject>[]) => {
      requests.push(...given);
      return [script.submission ?? sent];
    },
  };
  const stage = new RefundStage(
    { ethereum: chain('ethereum', ETHEREUM), partner: chain('partner', PARTNER) } as never,
    store as never,
    { address: anAddress('relayer') } as never,
    {
      addressBook: book,
      approvals: { operators, rootAdmins: [], oneApprovalUpTo: { ETH: 0n, USDC: 0n, XCN: 0n } },
    } as never,
    clock,
    pino({ level: 'silent' }),
    { of: () => lane, journal: () => ({}), wallet: () => ({}) } as never,
    {
      consentOn: async () => script.consent ?? null,
      showRefund: async (_, { paidAmount }) => void shown.push(paidAmount),
      onVerdicts: () => undefined,
    },
  );
  return { run: () => stage.run(FENCE), written, requests, clock, shown };
}

describe('the stage refund', () => {
  it('pays the whole amount on the partner chain, when two operators approved it', async () => {
    const script = await approved();
    const { refund } = script;
    const { run, requests } = setUp(script);
    expect(await run()).toBe(true);
    expect(requests).toMatchObject([
      {
        to: book.partner.bridgeMint,
        value: AMOUNT,
        deliveries: 1,
        gas: 120_000n + 870_000n,
        subject: {
          purpose: 'REFUND',
          refundId: refund.id,
          recipient: refund.payer,
          paidAmount: AMOUNT,
          gasFee: 0n,
        },
      },
    ]);
  });

  it('pays ETH on Ethereum less the gas, at a price that no node can invent', async () => {
    const { run, requests } = setUp(await approved(ON_ETHEREUM));
    expect(await run()).toBe(true);
    expect(requests).toMatchObject([{ value: AMOUNT - GAS_FEE, subject: { gasFee: GAS_FEE } }]);
  });

  it('pays nothing that only one operator approved, or that a stranger wrote into the database', async () => {
    const { refund, request } = await approved({}, { count: 1 });
    const whole = await approved();
    const forged = { ...request.approvals[0]!, operator: operators[1]! };
    const thief = anAddress();
    const scripts: readonly Script[] = [
      { refund, request },
      { refund, request: { ...request, approvals: [...request.approvals, forged] } },
      { refund },
      { refund: { ...refund, approvedBy: null } },
      // Signed approvals of another recipient, of another refund, and of something else.
      { refund: { ...whole.refund, recipient: thief }, request: whole.request },
      {
        refund: { ...whole.refund, recipient: thief },
        request: { ...whole.request, terms: approval(whole.refund, thief) },
      },
      { refund: whole.refund, request: (await approved()).request },
      {
        refund: whole.refund,
        request: await signed({ kind: 'REFUND_REFUSE', refundId: whole.refund.id }, makeState(whole.refund)),
      },
    ];
    for (const script of scripts) {
      const { run, written, requests } = setUp(script);
      expect([await run(), written, requests]).toEqual([false, [], []]);
    }
  });

  it('pays only the signed terms, whatever the database says afterwards', async () => {
    const { refund, request } = await approved();
    const state = makeState(refund);
    const scripts: readonly Script[] = [
      // The refund has another asset, chain or payer than the signed state.
      { refund: { ...refund, asset: 'ETH' }, request },
      { refund: { ...refund, chainId: ETHEREUM }, request },
      { refund: { ...refund, payer: anAddress() }, request },
      // The state of the request differs, also together with its hash.
      { refund, request: { ...request, decidedOn: { ...state, status: 'APPROVED' } } },
      { refund, request: { ...request, decidedOn: { ...state, recipient: anAddress() }, version: aHash() } },
      { refund, request: { ...request, reason: 'another' } },
      { refund, request: { ...request, validUntil: 60_000 } },
    ];
    for (const script of scripts) {
      const { run, requests } = setUp(script);
      expect([await run(), requests]).toEqual([false, []]);
    }
    // A field that does not affect the signed text is not compared.
    const { run } = setUp({ refund, request: { ...request, version: aHash() } });
    expect(await run()).toBe(true);
  });

  it('pays a refund whose coin was swept from coin that the wallet does not keep for others', async () => {
    const { run, requests } = setUp({ ...(await approved()), spare: AMOUNT });
    await run();
    expect(requests).toHaveLength(1);
  });

  it.each<[string, Partial<Script> & { arrived?: Partial<Refund> }]>([
    ['its transfer is not final', { isFinal: false }],
    ['the recipient does not accept the coin', { refusesCoin: true }],
    ['the contract has already paid it', { wasPaid: true }],
    ['the gas costs as much as the amount', { arrived: { ...ON_ETHEREUM, amount: GAS_FEE } }],
    ['the nodes do not answer', { isAway: true }],
    ['the deliveries are halted', { isHalted: true }],
    ['a release may have paid it out', { objection: 'name it' }],
    ['the final blocks are not read', { isUnread: true }],
    ['its coin was swept, and the wallet keeps the rest for others', { spare: AMOUNT - 1n }],
  ])('signs nothing while %s', async (_, { arrived, ...over }) => {
    const { run, requests } = setUp({ ...(await approved(arrived)), ...over });
    await run();
    expect(requests).toEqual([]);
  });

  it('retries after a delay when the wallet cannot pay', async () => {
    const submission: Submission = { kind: 'rejected', reason: 'balance-short' };
    const { run, requests, clock } = setUp({ ...(await approved()), submission });
    await run();
    await run();
    expect(requests).toHaveLength(1);
    clock.at += 30_000;
    await run();
    expect(requests).toHaveLength(2);
  });

  it('never repays what the chain shows as paid, even if the id was reopened since', async () => {
    const token = book.partner.tokens.USDC.toLowerCase();
    const coin = await approved();
    const usdc = await approved({ asset: 'USDC', amount: 700n });
    const attempt = async (script: Awaited<ReturnType<typeof approved>>, refunded: Record<string, string>) => {
      const { run, requests } = setUp({ ...script, refunded });
      await run();
      return requests.length;
    };
    const paidCoin = { token: zeroAddress, recipient: coin.refund.payer, amount: `${AMOUNT}` };
    const paidUsdc = { token, recipient: usdc.refund.payer, amount: '700' };
    expect([await attempt(coin, paidCoin), await attempt(usdc, paidUsdc)]).toEqual([0, 0]);
    for (const other of [{ recipient: anAddress('thief') }, { amount: '1' }, { token: anAddress() }])
      expect([await attempt(coin, { ...paidCoin, ...other }), await attempt(usdc, { ...paidUsdc, ...other })]).toEqual([
        1, 1,
      ]);
  });

  it('closes an approved refund that the chain shows as paid, once that is final', async () => {
    const { refund, request } = await approved();
    const close = async (recipient: string, isFinal: boolean) => {
      const refunded = { token: zeroAddress, recipient, amount: `${AMOUNT}` };
      const { run, written, requests } = setUp({ refund, request, refunded, isFinalPayment: isFinal });
      await run();
      return [written, requests.length];
    };
    expect(await close(refund.payer, true)).toEqual([[`paid ${refund.payer}`], 0]);
    expect(await close(refund.payer, false)).toEqual([[], 0]);
  });

  it('completes a refund only by an event with its terms', async () => {
    const payment = { recipient: anAddress(), paidAmount: 5n, gasFee: 1n, dust: 0n };
    const refund = aRefund({ status: 'PENDING', payment });
    const block = { blockNumber: 1n, blockHash: aHash(), settledAt: new Date(0) };
    const args = { token: zeroAddress, recipient: payment.recipient, amount: '5' };
    const place = { refundId: refund.id, txHash: aHash(), chainId: PARTNER, name: 'Refunded' as const };
    const right: SeenRefund = { ...place, ...block, args };
    const settled = async (event: SeenRefund, isFinal = true) => {
      const { run, written } = setUp({ refund, seen: [event], isFinal });
      await run();
      return written;
    };
    expect(await settled(right)).toEqual(['complete']);
    expect(await settled(right, false)).toEqual([]);
    for (const wrong of [
      { amount: '6' },
      { recipient: anAddress() },
      { token: book.partner.tokens.USDC.toLowerCase() },
    ])
      expect(await settled({ ...right, args: { ...args, ...wrong } })).toEqual([]);
  });

  it('fails an intent that two operators rejected', async () => {
    const id = aHash();
    const rejection = { kind: 'INTENT_REJECT', intentId: id } as const;
    const intent: RequestSnapshot = {
      about: 'intent',
      sender: anAddress(),
      recipient: anAddress(),
      amount: AMOUNT.toString(),
      isOpen: true,
      isRejected: false,
    };
    const two = setUp({ refund: aRefund(), request: await signed(rejection, intent), rejected: id });
    await two.run();
    expect(two.written).toEqual([`${id} REJECTED_BY_OPERATORS`]);
    const whole = await signed(rejection, intent);
    for (const request of [
      await signed(rejection, intent, { count: 1 }),
      await signed({ ...rejection, intentId: aHash() }, intent),
      { ...whole, decidedOn: { ...intent, amount: '1' } },
    ]) {
      const one = setUp({ refund: aRefund(), request, rejected: id });
      await one.run();
      expect(one.written).toEqual([]);
    }
  });

  it('waits for the attesters of BridgeMint', async () => {
    const agreed: bigint[] = [];
    let standing: ReturnType<Consent['judge']> = 'OPEN';
    const consent: Consent = {
      judge: () => standing,
      group: (items) => [[...items]],
      gather: async (_, terms) => {
        if (terms.call === 'REFUND') agreed.push(terms.amount);
        return { setNumber: 3n, validUntil: 9n, attesters: [], signatures: [] };
      },
    };
    const { run, requests, shown } = setUp({ ...(await approved()), consent });
    await run();
    expect([requests, shown]).toEqual([[], [AMOUNT]]);
    standing = 'ACCEPTED';
    await run();
    expect(agreed).toEqual([AMOUNT]);
    expect(requests).toMatchObject([{ value: AMOUNT }]);
  });
});
