import { describe, expect, it } from '@jest/globals';
import { NodeUnavailableError, QuorumError, type CallRequest, type Submission } from '@causeway/chain';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { computeRefundId, getToken, intentDomain, releasedIntentDigest, type DelayReason } from '@causeway/protocol';
import type { CallSubject, Fence, Operation, OperationDelay } from '@causeway/store';
import { aBurn, anIntent, anOperation } from '@causeway/store/test';
import { aHash, anAddress, anAddressBook, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { pino } from 'pino';
import { decodeFunctionData, encodeErrorResult, numberToHex, padHex, RpcRequestError, type Hex } from 'viem';
import type { BridgeChain, BridgeChains } from '../bridge-chain.js';
import type { Attestation } from '../exchange/attestation.js';
import type { Consent } from '../exchange/attesters.js';
import { DeliverStage } from './deliver.js';
import { DeliveryPayments } from './delivery-payments.js';
import { OwedDeliveries } from './owed-deliveries.js';

const FENCE: Fence = { name: 'relayer', token: 1n };
const NOW = 1_000_000_000_000;
const book = anAddressBook();

type Reply = (data: Hex) => Hex;

/** The reply of Ethereum's contract to a simulated call: every item of a batch is paid. */
const payAll: Reply = (data) => {
  const { functionName, args } = decodeFunctionData({ abi: bridgeLockAbi, data });
  if (functionName !== 'releaseMany') return '0x';
  return numberToHex(2n ** BigInt(args[0].length) - 1n, { size: 32 });
};
const ACCEPTED = padHex('0x1626ba7e', { dir: 'right', size: 32 });
const decodeFunctionName = (request: CallRequest<CallSubject> | undefined) =>
  decodeFunctionData({ abi: bridgeLockAbi, data: request?.data ?? '0x' }).functionName;

const REVERTS = {
  OutflowLimitExceeded: encodeErrorResult({ abi: bridgeMintAbi, errorName: 'OutflowLimitExceeded', args: [1n, 2n] }),
  TokenNotAllowed: encodeErrorResult({ abi: bridgeMintAbi, errorName: 'TokenNotAllowed', args: [anAddress()] }),
};

function revert(data: Hex): never {
  const error = { code: 3, message: 'execution reverted', data };
  throw new RpcRequestError({ body: {}, url: 'http://node', error });
}

/** The signed terms and the transfer of every intent. */
const SIGNED = { signature: '0x51637e', nonceHash: aHash(), deadlineSeconds: 1n } as const;
const TRANSFER = { chainId: book.partner.chainId, txHash: aHash(), asset: 'XCN', callIndex: 2 } as const;

/** A stage between a scripted chain, a scripted store and a lane with scripted answers. */
function setUp(
  due: readonly Operation[],
  script: {
    reply?: Reply;
    isFinal?: (id: Operation) => boolean;
    nextBlock?: bigint;
    isHalted?: boolean;
    unbacked?: readonly Operation[];
    /** The current answer of every intent's smart account about its signature. */
    account?: 'refuses' | 'accepts' | 'unknown';
    consent?: Consent;
    /** Arguments of each event that differ from the terms of its operation. */
    event?: Readonly<Record<string, string>>;
  } = {},
) {
  const time = { now: NOW };
  const delays: OperationDelay[] = [];
  const failed: string[] = [];
  const requests: CallRequest<CallSubject>[] = [];
  const answer: { submission: Submission; view: () => Promise<unknown> } = {
    submission: { kind: 'sent', hash: '0xhash', nonce: 0n, result: { kind: 'accepted' } },
    view: async () => ({ head: 9n, unmined: [], spendable: 0n }),
  };
  const values: Record<string, unknown> = {
    releasesPaused: false,
    outflowRoom: 10_000n,
    outflowLimit: [10_000n, 60n],
    tokenSettings: [true, true, 1n, 1n],
    locked: 10_000n,
  };
  const client = {
    readContract: async ({ functionName }: { functionName: string }) => values[functionName],
    estimateGas: async ({ data }: { data: Hex }) => ((script.reply ?? payAll)(data), 100_000n),
    call: async ({ data }: { data: Hex }) => ({ data: (script.reply ?? payAll)(data) }),
  };
  const account = {
    getCode: async () => '0x6000',
    getTransactionCount: async () => 1,
    request: async () => (script.account === 'accepts' ? ACCEPTED : '0x'),
  };
  const connection = {
    client,
    agreedHead: async () => {
      if (script.account === 'unknown') throw new QuorumError('partner', 2, []);
      return 100n;
    },
    agree: (read: (one: object) => Promise<unknown>) => read({ ...client, ...account }),
  };
  const isFinal = async ({ blockHash }: { blockHash: Hex }) => {
    const operation = due.find(({ origin }) => origin?.blockHash === blockHash);
    return operation === undefined || (script.isFinal?.(operation) ?? true);
  };
  const chain = (side: 'ethereum' | 'partner', chainId: number) =>
    ({
      side,
      chainId,
      connection,
      bridge: book.ethereum.bridgeLock,
      confirmations: 1,
      finality: { isFinal, recentHead: async () => 100n },
    }) as unknown as BridgeChain;
  const chains: BridgeChains = { ethereum: chain('ethereum', ETHEREUM), partner: chain('partner', PARTNER) };
  const store = {
    halts: {
      list: async () => [],
      deliveries: async () => (script.isHalted === true ? { since: new Date(0), reason: '' } : null),
    },
    scan: {
      cursor: async () => ({ nextBlock: script.nextBlock ?? 101n }),
      latestBlock: async () => ({ number: 100n }),
    },
    verdicts: { deliveriesFor: async () => [] },
    comparison: { beginnings: async () => new Map(due.map((each) => [each.id, { ...toArgs(each), ...script.event }])) },
    intents: { find: async () => (script.account === undefined ? null : SIGNED) },
    attestable: { findTransfers: async (ids: Hex[]) => new Map(ids.map((id) => [id, TRANSFER] as const)) },
    refunds: { failIntent: async (_: Fence, id: string, reason: string) => failed.push(`${id} ${reason}`) > 0 },
    operations: {
      findByIds: async () => [],
      findDue: async (chainId: number, _final: bigint, now: Date, _: number, causes: readonly DelayReason[]) =>
        due.filter(
          ({ destinationChainId, nextAttemptAt, delayedReason }) =>
            chainId === destinationChainId &&
            (nextAttemptAt === null || nextAttemptAt <= now || causes.includes(delayedReason!)),
        ),
      delayAll: async (_: Fence, given: OperationDelay[]) => void delays.push(...given),
    },
  };
  const lane = {
    look: () => answer.view(),
    submit: async (_: unknown, given: CallRequest<CallSubject>[]) => {
      requests.push(...given);
      return given.map(() => answer.submission);
    },
  };
  const lanes = { of: () => lane, journal: () => ({}), wallet: () => ({ address: anAddress('relayer') }) };
  const configuration = { addressBook: book } as never;
  const stage = new DeliverStage(
    chains,
    store as never,
    { now: () => time.now },
    pino({ level: 'silent' }),
    new OwedDeliveries(chains, store as never, configuration),
    new DeliveryPayments(
      store as never,
      configuration,
      lanes as never,
      { reasonsAgainst: async () => new Map((script.unbacked ?? []).map(({ id }) => [id, 'BACKING_SHORT'])) },
      { consentOn: async () => script.consent ?? null, show: async () => undefined, onVerdicts: () => undefined },
    ),
  );
  return { stage, delays, failed, requests, answer, values, time };
}

/** The arguments of the event that began an operation. */
function toArgs({ asset, sender, recipient, amount, fee, direction }: Operation): Record<string, string> {
  const terms = { sender, amount: `${amount}` };
  if (direction === 'ETHEREUM_TO_PARTNER')
    return { ...terms, token: getToken(book, 'ethereum', asset).toLowerCase(), recipient };
  return { ...terms, token: getToken(book, 'partner', asset).toLowerCase(), destination: recipient, fee: `${fee}` };
}

const burn = () => anOperation(aBurn(), { holdReleasedAt: new Date(NOW) });
const getOperationIds = ({ subject }: CallRequest<CallSubject>) =>
  subject.purpose === 'DELIVERY' ? subject.operationIds : [];

describe('the deliver stage', () => {
  it('neither sends nor delays anything before all final blocks of the destination were read', async () => {
    const { stage, requests, delays } = setUp([burn()], { nextBlock: 100n });
    expect(await stage.run(FENCE)).toBe(false);
    expect([requests, delays]).toEqual([[], []]);
  });

  it('does nothing while deliveries are halted', async () => {
    const { stage, requests, delays } = setUp([burn()], { isHalted: true });
    expect(await stage.run(FENCE)).toBe(false);
    expect([requests, delays]).toEqual([[], []]);
  });

  it('delays operations without backing, and pays the others', async () => {
    const [short, owed] = [burn(), burn()];
    const { stage, requests, delays } = setUp([short, owed], { unbacked: [short] });
    await stage.run(FENCE);
    expect(requests.flatMap(getOperationIds)).toEqual([owed.id]);
    expect(delays).toMatchObject([{ operationId: short.id, reason: 'BACKING_SHORT' }]);
  });

  it('delivers one operation by the single function, and two in a batch with gas for every refusal', async () => {
    const one = setUp([burn()]);
    await one.stage.run(FENCE);
    expect(one.requests.map(decodeFunctionName)).toEqual(['release']);
    const due = [burn(), burn()];
    const two = setUp(due);
    await two.stage.run(FENCE);
    expect(two.requests.map(decodeFunctionName)).toEqual(['releaseMany']);
    expect(two.requests[0]).toMatchObject({ deliveries: 2, gas: 120_000n + 2n * 100_000n });
    expect(new Set(getOperationIds(two.requests[0]!))).toEqual(new Set(due.map(({ id }) => id)));
    expect(two.delays).toEqual([]);
  });

  it.each([
    ['amount', '7'],
    ['destination', anAddress()],
    ['token', anAddress()],
    ['fee', '0'],
  ])('delays an operation with another %s than its event', async (field, value) => {
    const edited = burn();
    const { stage, requests, delays } = setUp([edited], { event: { [field]: value } });
    await stage.run(FENCE);
    expect(requests).toEqual([]);
    expect(delays).toMatchObject([{ operationId: edited.id, reason: 'ORIGIN_NOT_CONFIRMED' }]);
  });

  it('delays an operation whose origin is not final, and pays the others', async () => {
    const [gone, owed] = [burn(), burn()];
    const { stage, requests, delays } = setUp([gone, owed], { isFinal: ({ id }) => id !== gone.id });
    await stage.run(FENCE);
    expect(requests.flatMap(getOperationIds)).toEqual([owed.id]);
    expect(delays).toMatchObject([{ operationId: gone.id, reason: 'ORIGIN_NOT_CONFIRMED' }]);
  });

  it('retries an operation alone that a batch would skip, and reports the reason', async () => {
    const due = [burn(), burn(), burn()];
    const reply: Reply = (data) =>
      decodeFunctionName({ data } as never) === 'releaseMany'
        ? numberToHex(payAll(data) === numberToHex(7n, { size: 32 }) ? 0b101n : 0b11n, { size: 32 })
        : revert(REVERTS.OutflowLimitExceeded);
    const { stage, requests, delays } = setUp(due, { reply });
    await stage.run(FENCE);
    expect(requests.map((request) => getOperationIds(request).length)).toEqual([2]);
    expect(delays).toMatchObject([{ reason: 'OUTFLOW_LIMIT' }]);
    expect(new Set([...requests.flatMap(getOperationIds), ...delays.map(({ operationId }) => operationId)]).size).toBe(
      3,
    );
  });

  it('halves a batch that reverts until the culprit is alone', async () => {
    const due = [burn(), burn(), burn(), burn()];
    const number = due[2]!.originNonce!;
    const reply: Reply = (data) => {
      const { args } = decodeFunctionData({ abi: bridgeLockAbi, data });
      const text = JSON.stringify(args, (_, value: unknown) => (typeof value === 'bigint' ? `n${value}` : value));
      return text.includes(`"n${number}"`) ? revert(REVERTS.TokenNotAllowed) : payAll(data);
    };
    const { stage, requests, delays } = setUp(due, { reply });
    await stage.run(FENCE);
    expect(delays).toMatchObject([{ operationId: due[2]!.id, reason: 'DESTINATION_REVERTED' }]);
    expect(requests.flatMap(getOperationIds)).toHaveLength(3);
  });

  it('skips an operation that the contract has already paid', async () => {
    const paid = burn();
    const data = encodeErrorResult({ abi: bridgeMintAbi, errorName: 'AlreadyDelivered', args: [paid.id] });
    const { stage, requests, delays } = setUp([paid], { reply: () => revert(data) });
    await stage.run(FENCE);
    expect([requests, delays]).toEqual([[], []]);
  });

  it('delays what the lane rejects and what the funds do not cover', async () => {
    const rejected = setUp([burn()]);
    rejected.answer.submission = { kind: 'rejected', reason: 'fees-of-the-day' };
    await rejected.stage.run(FENCE);
    expect(rejected.delays).toMatchObject([{ reason: 'FEES_ABOVE_CAP' }]);
    const short = setUp([burn()]);
    short.values['locked'] = 1n;
    await short.stage.run(FENCE);
    expect(short.delays).toMatchObject([{ reason: 'COLLATERAL_SHORT' }]);
    expect(short.requests).toEqual([]);
  });

  it('delays everything while the chain cannot be read', async () => {
    const { stage, delays, answer } = setUp([burn(), burn()]);
    answer.view = () => Promise.reject(new NodeUnavailableError('a test'));
    await stage.run(FENCE);
    expect(delays.map(({ reason }) => reason)).toEqual(['NODE_UNAVAILABLE', 'NODE_UNAVAILABLE']);
  });

  it('delays an intent whose terms are missing, and pays the others', async () => {
    const intent = anOperation(anIntent(), { holdReleasedAt: new Date(NOW) });
    const { stage, requests, delays } = setUp([burn(), intent, burn()]);
    await stage.run(FENCE);
    expect(requests.map(decodeFunctionName)).toEqual(['releaseMany']);
    expect(delays).toMatchObject([{ operationId: intent.id, reason: 'DESTINATION_REVERTED' }]);
  });

  it.each([
    ['refuses', 'fails an intent', ['SIGNATURE_REVOKED'], [], []],
    ['accepts', 'pays an intent for its transfer', [], [], [computeRefundId(TRANSFER)]],
    ['unknown', 'delays an intent', [], ['ORIGIN_NOT_CONFIRMED'], []],
  ] as const)(
    'when the smart account answers %s about the signature, %s',
    async (account, _, reasons, expected, paid) => {
      const terms = { ...anIntent(), ...SIGNED, deadline: SIGNED.deadlineSeconds };
      const id = releasedIntentDigest(intentDomain(book.partner), terms);
      const intent = anOperation({ ...terms, id }, { holdReleasedAt: new Date(NOW) });
      const { stage, failed, delays, requests } = setUp([intent], { account });
      await stage.run(FENCE);
      expect(failed).toEqual(reasons.map((reason) => `${intent.id} ${reason}`));
      expect(delays.map(({ reason }) => reason)).toEqual(expected);
      const calls = requests.map(({ data }) => decodeFunctionData({ abi: bridgeLockAbi, data }));
      expect(calls.map(({ args }) => args?.[1])).toEqual(paid);
    },
  );

  type SetUp = ReturnType<typeof setUp>;
  const away = async () => Promise.reject(new NodeUnavailableError('no node answers'));
  it.each<[DelayReason, (one: SetUp) => void, (one: SetUp) => void]>([
    [
      'NODE_UNAVAILABLE',
      ({ answer }) => (answer.view = away),
      ({ answer }) => (answer.view = async () => ({ head: 9n, unmined: [], spendable: 0n })),
    ],
    ['PAUSED', ({ values }) => (values['releasesPaused'] = true), ({ values }) => (values['releasesPaused'] = false)],
    ['OUTFLOW_LIMIT', ({ values }) => (values['outflowRoom'] = 0n), ({ values }) => (values['outflowRoom'] = 10_000n)],
    ['COLLATERAL_SHORT', ({ values }) => (values['locked'] = 0n), ({ values }) => (values['locked'] = 10_000n)],
    [
      'FEES_ABOVE_CAP',
      ({ answer }) => (answer.submission = { kind: 'rejected', reason: 'fee-per-gas' }),
      ({ answer }) => (answer.submission = { kind: 'sent', hash: '0xhash', nonce: 0n, result: { kind: 'accepted' } }),
    ],
    [
      'FLOAT_SHORT',
      ({ answer }) => (answer.submission = { kind: 'rejected', reason: 'balance-short' }),
      ({ answer }) => (answer.submission = { kind: 'sent', hash: '0xhash', nonce: 0n, result: { kind: 'accepted' } }),
    ],
  ])(
    'pays what waited for %s at the first recheck after the cause has cleared, whatever its delay',
    async (reason, begin, end) => {
      const nextAttemptAt = new Date(NOW + 30_000);
      const waiting = { ...burn(), status: 'DELAYED', delayedReason: reason, nextAttemptAt, attempts: 9 } as const;
      const one = setUp([waiting]);
      begin(one);
      expect(await one.stage.run(FENCE)).toBe(false);
      expect(one.delays).toEqual([]);
      end(one);
      one.requests.length = 0;
      one.time.now += 2_000;
      expect(await one.stage.run(FENCE)).toBe(true);
      expect(one.requests.flatMap(getOperationIds)).toEqual([waiting.id]);
    },
  );

  describe('with a contract that requires attesters', () => {
    const attestation: Attestation = { setNumber: 3n, validUntil: 9n, attesters: [anAddress()], signatures: [] };
    const consent: Consent = {
      judge: () => 'ACCEPTED',
      group: (items) => items.map((item) => [item]),
      gather: async () => attestation,
    };

    it('sends what they accept with their consent, even a batch of one, and delays the rest with its reason', async () => {
      const [accepted, refused, late, open] = [burn(), burn(), burn(), burn()];
      const standings = new Map([
        [refused.id, 'REFUSED'],
        [late.id, 'LATE'],
        [open.id, 'OPEN'],
      ] as const);
      const judge = (id: Hex) => standings.get(id) ?? 'ACCEPTED';
      const { stage, requests, delays } = setUp([refused, late, open, accepted], { consent: { ...consent, judge } });
      await stage.run(FENCE);
      expect(requests.map(decodeFunctionName)).toEqual(['releaseMany']);
      expect(requests.flatMap(getOperationIds)).toEqual([accepted.id]);
      const { args } = decodeFunctionData({ abi: bridgeLockAbi, data: requests[0]!.data });
      expect(args?.at(-1)).toMatchObject({ setNumber: 3n, validUntil: 9n });
      expect(delays.map(({ operationId, reason }) => [operationId, reason])).toEqual([
        [refused.id, 'ATTESTERS_DISAGREE'],
        [late.id, 'ATTESTERS_UNAVAILABLE'],
      ]);
    });

    it('delays only what too few attesters sign', async () => {
      const due = [burn(), burn()];
      const gather: Consent['gather'] = async ([id]) => (id === due[0]!.id ? null : attestation);
      const { stage, requests, delays } = setUp(due, { consent: { ...consent, gather } });
      await stage.run(FENCE);
      expect(requests.flatMap(getOperationIds)).toEqual([due[1]!.id]);
      expect(delays).toMatchObject([{ operationId: due[0]!.id, reason: 'ATTESTERS_UNAVAILABLE' }]);
    });

    it('asks the contract why it skips a batch of one', async () => {
      const reply: Reply = () => numberToHex(0n, { size: 32 });
      const [paid, short] = [setUp([burn()], { consent, reply }), setUp([burn()], { consent, reply })];
      paid.values['isReleased'] = true;
      await paid.stage.run(FENCE);
      expect([paid.requests, paid.delays]).toEqual([[], []]);
      await short.stage.run(FENCE);
      expect(short.delays).toMatchObject([{ reason: 'DESTINATION_REVERTED' }]);
    });
  });
});
