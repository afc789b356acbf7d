import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { lower } from '@causeway/chain';
import { bridgeMintAbi } from '@causeway/contracts/abi';
import { callHash } from '@causeway/governance';
import {
  alertsResponseSchema,
  contractCallsResponseSchema,
  contractsResponseSchema,
  prepareCallResponseSchema,
  type ContractsResponse,
  type PrepareCallResponse,
} from '@causeway/protocol/admin';
import { aHash, anAddress, RpcRefusal, startRpcProxy, testAccount } from '@causeway/test-kit';
import { createWalletClient, encodeFunctionData, getAddress, type Hex } from 'viem';
import { temporaryAdmin, type SignedIn, type TemporaryAdmin } from './temporary-admin.js';
import { temporaryBridge, type TemporaryBridge } from '../temporary-bridge.js';

// The owner of the timelock is the admin of both contracts.

const DELAY_SECONDS = 3_600;
const [relayer, guardian, treasury] = [testAccount(1), testAccount(2), testAccount(3)];
const [owner, standby, policyManager] = [testAccount(4), testAccount(5), testAccount(7)];
type Account = typeof owner;
type Transaction = PrepareCallResponse['transactions'][number];
type Sent = Pick<Transaction, 'side' | 'to' | 'data' | 'value'>;
const SOMEBODY = '0x00000000000000000000000000000000000000ab';
/** Port 9 (discard) refuses connections. */
const NO_NODE = 'http://127.0.0.1:9';

let bridge: TemporaryBridge;
let api: TemporaryAdmin;
let operator: SignedIn;
let kept: readonly [Hex, Hex];
let head: bigint;

beforeAll(async () => {
  bridge = await temporaryBridge({ admin: owner.address, adminDelaySeconds: DELAY_SECONDS, standby: standby.address });
  api = await temporaryAdmin(bridge);
  operator = await api.signedIn('operator');
  await keepState();
});

const keepState = async () => {
  kept = [await bridge.ethereum.test.snapshot(), await bridge.partner.test.snapshot()];
  head = await bridge.ethereum.client.getBlockNumber();
};

beforeEach(async () => {
  if ((await bridge.ethereum.client.getBlockNumber()) === head) return;
  await bridge.ethereum.test.revert({ id: kept[0] });
  await bridge.partner.test.revert({ id: kept[1] });
  await keepState();
});

afterAll(async () => {
  await api?.close();
  await bridge?.stop();
});

const PREPARE = '/contracts/calls/prepare';
const pauseBoth = { command: 'pause', options: { direction: 'both' }, account: guardian.address };

async function prepare(
  command: string,
  options: Readonly<Record<string, string>>,
  account: Account,
): Promise<readonly Transaction[]> {
  const answer = await operator.post(PREPARE, { command, options, account: account.address });
  expect(answer).toMatchObject({ status: 200 });
  return prepareCallResponseSchema.parse(answer.body).transactions;
}

async function contracts(of: SignedIn = operator): Promise<ContractsResponse> {
  const answer = await of.get('/contracts');
  expect(answer).toMatchObject({ status: 200 });
  return contractsResponseSchema.parse(answer.body);
}

/** Mines what was prepared, as the wallet of the account would. */
async function send(transactions: readonly Sent[], account: Account): Promise<void> {
  for (const { side, to, data, value } of transactions) {
    const { chain, transport, client } = bridge[side];
    const wallet = createWalletClient({ chain, transport, account });
    const hash = await wallet.sendTransaction({ to, data: data as Hex, value: BigInt(value) });
    expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
  }
}

/** Adds a deposit of XCN that the float does not cover. */
async function delayDeposit(xcn: string): Promise<void> {
  const { ethereum, partner } = bridge.book;
  await api.sql.query(`
    INSERT INTO operation (id, kind, direction, asset, status, amount, fee, fee_bps, output_amount, sender, recipient, origin_nonce,
      origin_tx_hash, origin_block_number, origin_block_hash, origin_chain_id, destination_chain_id, required_confirmations,
      finalized_at, hold_released_at, delayed_reason, delayed_since)
    VALUES ('${aHash()}', 'DEPOSIT', 'ETHEREUM_TO_PARTNER', 'XCN', 'DELAYED', ${xcn}e18, 0, 0, ${xcn}e18, '${anAddress('a')}', '${anAddress('b')}',
      1, '${aHash()}', 1, '${aHash()}', ${ethereum.chainId}, ${partner.chainId}, 1, now(), now(), 'FLOAT_SHORT', now())`);
}

async function pass(seconds: number): Promise<void> {
  for (const { test } of [bridge.ethereum, bridge.partner]) {
    await test.increaseTime({ seconds });
    await test.mine({ blocks: 1 });
  }
}

const lowered = { asset: 'ETH', rate: '0.1%', 'min-fee': '0.003 ETH', 'min-amount': '0.01 ETH' };

describe('GET /contracts', () => {
  it('shows pauses, assets, roles with the owner of the timelock, and every change since the deployment', async () => {
    const shown = await contracts();
    const number = Number(await bridge.ethereum.client.getBlockNumber());
    expect(shown.blocks[0]).toMatchObject({ side: 'ethereum', number, eventsThrough: number });
    expect(shown.pauses).toHaveLength(4);
    expect(shown.pauses.every(({ isPaused, count }) => !isPaused && count === '0')).toBe(true);
    expect(shown.assets).toHaveLength(6);
    expect(shown.assets.find(({ side, asset }) => side === 'partner' && asset === 'ETH')).toMatchObject({
      mayBegin: true,
      mayBeDelivered: true,
      feeBps: 25,
      minimumFee: '3000000000000000',
      collectableFees: null,
      outflowCapacity: '1000000000000000000000',
      outflowRoom: '1000000000000000000000',
    });
    const roles = shown.roles.map(({ side, role, address }) => `${side} ${role} ${address}`);
    expect(roles).toEqual(
      expect.arrayContaining([
        `ethereum owner ${lower(owner.address)}`,
        `partner owner ${lower(owner.address)}`,
        `ethereum treasury ${lower(treasury.address)}`,
        `partner guardian ${lower(guardian.address)}`,
        `partner relayer ${lower(relayer.address)}`,
      ]),
    );
    expect(shown.announced).toEqual([]);
    expect(shown.history.find(({ event }) => event === 'MaxAmountSet')?.arguments).toEqual([
      { name: 'token', value: expect.stringMatching(/^(ETH|USDC|XCN)$/) },
      { name: 'maxAmount', value: expect.stringMatching(/^\d+(\.\d+)? (ETH|USDC|XCN)$/) },
    ]);
  });

  it('shows a pause of the guardian with its end and its number', async () => {
    await send(await prepare('pause', { direction: 'ethereum-to-partner' }, guardian), guardian);
    const { pauses, history } = await contracts();
    const paused = pauses.filter(({ isPaused }) => isPaused);
    expect(paused).toMatchObject([
      { side: 'ethereum', what: 'beginnings', direction: 'ETHEREUM_TO_PARTNER', count: '1' },
      { side: 'partner', what: 'deliveries', direction: 'ETHEREUM_TO_PARTNER', until: null, count: '1' },
    ]);
    expect(Date.parse(paused[0]?.until ?? '') - Date.parse(history[0]?.at ?? '')).toBe(7 * 86_400_000);
    expect(history[0]).toMatchObject({ side: 'ethereum', event: 'PauseSet' });

    await delayDeposit('2000000');
    const { alerts } = alertsResponseSchema.parse((await operator.get('/alerts')).body);
    expect(alerts.filter(({ code }) => code === 'Paused')).toMatchObject([
      { sentence: expect.stringMatching(/^BridgeLock on Ethereum is paused: deposits .* stop until 20/) },
      { sentence: expect.stringMatching(/^BridgeMint on the partner chain is paused: deliveries from Ethereum/) },
    ]);
    expect(alerts).toContainEqual(
      expect.objectContaining({
        code: 'DeliveryWaits',
        sentence: expect.stringMatching(/^2,000,000 XCN wait for float in 1 operation: the float has [\d,.]+ XCN\.$/),
        runbook: 'docs/runbook.md#deliverywaits',
      }),
    );
  });

  it('forgets changes in blocks that are not on the chain any more', async () => {
    await send(await prepare('set-policy', lowered, policyManager), policyManager);
    expect((await contracts()).history.filter(({ event }) => event === 'FeePolicySet')).toHaveLength(4);
    await bridge.partner.test.revert({ id: kept[1] });
    await keepState();
    expect((await contracts()).history.filter(({ event }) => event === 'FeePolicySet')).toHaveLength(3);
  });

  it('is 503 while the nodes of a chain do not answer, and one of three that lies changes nothing', async () => {
    const truth = await contracts();
    const away = await temporaryAdmin({ ...bridge, partner: { ...bridge.partner, url: NO_NODE } });
    const viewer = await away.signedIn('viewer');
    expect(await viewer.get('/contracts')).toMatchObject({ status: 503, body: { error: 'SERVICE_UNAVAILABLE' } });
    await away.close();

    const changeResult = (method: string, result: unknown) => {
      if (method === 'eth_call') return String(result).replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
      return method === 'eth_simulateV1' || method === 'eth_getLogs' ? [] : result;
    };
    const { url } = bridge.partner;
    const liar = await startRpcProxy(url, { changeResult });
    const honest = await startRpcProxy(url, {});
    const nodes = `${liar.url},${url},${honest.url}`;
    const lied = await temporaryAdmin(bridge, { PARTNER_RPC_URLS: nodes, PARTNER_QUORUM: '2' });
    const asked = await lied.signedIn('operator');
    expect(await contracts(asked)).toEqual(truth);
    const body = { command: 'set-policy', options: lowered, account: policyManager.address };
    const [told, known] = [await asked.post(PREPARE, body), await operator.post(PREPARE, body)];
    const parseTransactions = ({ body: answer }: typeof told) => prepareCallResponseSchema.parse(answer).transactions;
    expect(parseTransactions(told)).toEqual(parseTransactions(known));
    await Promise.all([lied.close(), liar.close(), honest.close()]);
  });

  it('halves ranges of blocks and computes calls that the node refuses, and shows the same', async () => {
    const { history } = await contracts();
    await bridge.ethereum.test.mine({ blocks: 20 });
    const sizes: number[] = [];
    const changeResult = (method: string, result: unknown, [filter]: readonly unknown[]) => {
      if (method === 'eth_simulateV1') throw new RpcRefusal(-32_602, 'Method not supported');
      if (method !== 'eth_getLogs') return result;
      const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex };
      const blocks = Number(toBlock) - Number(fromBlock) + 1;
      sizes.push(blocks);
      if (blocks > 3) throw new RpcRefusal(-32_602, `a range of ${blocks} blocks is too large`);
      return result;
    };
    const refusing = await startRpcProxy(bridge.ethereum.url, { changeResult });
    const refused = await temporaryAdmin({ ...bridge, ethereum: { ...bridge.ethereum, url: refusing.url } });
    const member = await refused.signedIn('operator');
    const { body } = await member.post(PREPARE, pauseBoth);
    expect(body).toMatchObject({ transactions: [{ isSimulated: false, problem: null }, { isSimulated: true }] });
    const shown = await contracts(member);
    expect(shown.history).toEqual(history);
    expect(shown.blocks[0]?.eventsThrough).toBe(shown.blocks[0]?.number);
    expect(Math.max(...sizes)).toBeGreaterThan(20);
    await refused.close();
    await refusing.close();
  });
});

describe('POST /contracts/calls/prepare', () => {
  const ceiling = { capacity: '500 ETH', window: '2h', 'max-amount': '400 ETH' };
  it.each([
    ['pause', { direction: 'both' }, guardian, 'call'],
    ['unpause', { direction: 'both' }, owner, null],
    ['wind-down', { asset: 'USDC', chain: 'ethereum' }, owner, 'schedule'],
    ['set-listing', { asset: 'USDC', 'may-begin': 'no', 'may-deliver': 'yes' }, owner, 'schedule'],
    ['rotate-relayer', { to: SOMEBODY }, owner, 'schedule'],
    ['activate-standby', {}, guardian, 'call'],
    ['set-standby', { to: 'none' }, owner, 'schedule'],
    ['set-attesters', { attesters: SOMEBODY, threshold: '1' }, owner, 'schedule'],
    ['replace-guardian', { to: SOMEBODY }, owner, 'schedule'],
    ['add-pauser', { pauser: SOMEBODY }, guardian, 'call'],
    ['remove-pauser', { pauser: testAccount(9).address }, guardian, 'call'],
    ['replace-policy-manager', { to: SOMEBODY }, owner, 'schedule'],
    ['set-treasury', { to: SOMEBODY }, owner, 'schedule'],
    ['vote-replace', { chain: 'ethereum', office: 'guardian', to: SOMEBODY }, owner, 'call'],
    ['vote-unpause', { chain: 'partner', direction: 'both' }, owner, 409],
    ['vote-end', { chain: 'partner' }, owner, 409],
    ['withdraw-vote', { chain: 'partner', subject: aHash() }, owner, 'NoVote'],
    ['reopen', { chain: 'partner' }, owner, 409],
    ['reopen-ids', { chain: 'ethereum', ids: aHash() }, owner, 409],
    ['announce-successor', { chain: 'ethereum', successor: SOMEBODY }, owner, 'SuccessionForbidden'],
    ['end-succession', { chain: 'partner' }, owner, 'NoSuccessor'],
    ['close-for-ever', { chain: 'ethereum' }, owner, 'NoSuccessor'],
    ['hand-over', { chain: 'partner', asset: 'XCN', amount: '1 XCN' }, owner, 'NoSuccessor'],
    ['set-policy', lowered, policyManager, 'call'],
    ['set-fee-ceiling', lowered, owner, 'schedule'],
    ['set-limit', { asset: 'XCN', chain: 'ethereum', capacity: '50000000 XCN', window: '2h' }, policyManager, 'call'],
    ['set-max-amount', { asset: 'ETH', chain: 'ethereum', amount: '5 ETH' }, policyManager, 'call'],
    ['set-limit-ceiling', { asset: 'ETH', chain: 'ethereum', ...ceiling }, owner, 409],
    ['collect-fees', { asset: 'ETH' }, owner, 'NothingToPay'],
    ['retire', { asset: 'ETH', amount: '0 ETH' }, relayer, 'call'],
    ['retire-of', { wallet: SOMEBODY, asset: 'ETH', amount: '1 ETH' }, relayer, 'NotRelayerWallet'],
    ['redirect-credit', { asset: 'ETH', chain: 'partner', account: SOMEBODY, to: SOMEBODY }, owner, 409],
    ['top-up', { chain: 'partner', amount: '7 XCN' }, owner, 'call'],
  ] as const)('prepares %s %j', async (command, options, account, expected) => {
    const answer = await operator.post(PREPARE, { command, options, account: account.address });
    if (expected === 409) {
      expect(answer).toMatchObject({ status: 409, body: { error: 'WRONG_STATE', message: expect.any(String) } });
      return;
    }
    expect(answer).toMatchObject({ status: 200 });
    const { transactions, safeTransaction } = prepareCallResponseSchema.parse(answer.body);
    expect(transactions.length > 0).toBe(expected !== null);
    for (const transaction of transactions) {
      const { side, chainId, to, data, value, changes } = transaction;
      expect(chainId).toBe(bridge.book[side].chainId);
      expect(transaction.callHash).toBe(callHash({ chainId, to, data: data as Hex, value: BigInt(value) }));
      expect(changes.length).toBeGreaterThan(0);
      if (expected === 'call' || expected === 'schedule') {
        expect(transaction).toMatchObject({ step: expected, maySend: true, isSimulated: true, problem: null });
        const call = { to: getAddress(to), data, value, contractMethod: null, contractInputsValues: null };
        expect(safeTransaction[chainId]).toMatchObject({
          version: '1.0',
          transactions: expect.arrayContaining([call]),
        });
      } else {
        expect(transaction).toMatchObject({ maySend: false, problem: expect.stringContaining(String(expected)) });
        expect(safeTransaction).toEqual({});
      }
    }
  });

  it('shows the values before and after, and they are those after it was sent', async () => {
    const prepared = await prepare('set-policy', lowered, policyManager);
    expect(prepared).toMatchObject([
      { side: 'partner', contract: 'BridgeMint', functionName: 'setFeePolicy', changes: expect.any(Array) },
    ]);
    expect(prepared[0]?.changes[0]).toEqual({ name: 'rate', before: '0.25%', after: '0.1%' });
    await send(prepared, policyManager);
    const { assets } = await contracts();
    expect(assets.find(({ side, asset }) => side === 'partner' && asset === 'ETH')).toMatchObject({ feeBps: 10 });
    expect(await prepare('set-policy', lowered, policyManager)).toEqual([]);
  });

  it('opens a number that a former relayer used up, by logs and transactions that nodes agree on', async () => {
    const { bridgeMint: to, tokens } = bridge.book.partner;
    const mint = { abi: bridgeMintAbi, functionName: 'mint', args: [300n, tokens.ETH, SOMEBODY, 1n] } as const;
    await send([{ side: 'partner', to, data: encodeFunctionData(mint), value: '0' }], relayer);
    await send(await prepare('pause', { direction: 'both' }, guardian), guardian);
    await send(await prepare('activate-standby', {}, guardian), guardian);
    const [call] = await prepare('reopen', { chain: 'partner' }, owner);
    expect(call?.arguments.map(({ value }) => value)).toEqual(['1', String(1n << 44n), '0']);
    expect(call).toMatchObject({ step: 'schedule', changes: [{ before: '1', after: '0' }], problem: null });
  });

  it('schedules, announces with a countdown, and executes after the delay', async () => {
    const change = async () => prepare('set-treasury', { to: SOMEBODY }, owner);
    await send(await change(), owner);
    const { announced } = await contracts();
    expect(announced).toMatchObject([
      {
        side: 'ethereum',
        contract: 'BridgeLock',
        functionName: 'setTreasury',
        arguments: [{ name: 'newTreasury', value: expect.stringMatching(/^0x0+ab$/i) }],
        isReady: false,
      },
    ]);
    expect(await change()).toMatchObject([{ step: 'wait', maySend: false, readyAt: announced[0]?.readyAt }]);
    await pass(DELAY_SECONDS);
    expect((await contracts()).announced).toMatchObject([{ isReady: true }]);
    const executed = await change();
    expect(executed).toMatchObject([{ step: 'execute', maySend: true, isSimulated: true }]);
    await send(executed, owner);
    const after = await contracts();
    expect(after.announced).toEqual([]);
    expect(after.roles).toContainEqual({ side: 'ethereum', role: 'treasury', address: SOMEBODY });
    expect(after.history.slice(0, 3).map(({ event }) => event)).toContain('TreasurySet');
  });

  it.each([
    ['steal', {}, 'command: must be one of pause'],
    ['set-policy', { ...lowered, rate: '30' }, 'options.rate: '],
    ['set-policy', { ...lowered, 'min-fee': '3 USDC' }, 'options.min-fee: '],
    ['set-policy', { ...lowered, fee: '1' }, 'options.fee: is not an option'],
    ['set-policy', { asset: 'ETH' }, 'options.rate: is required'],
    ['set-treasury', { to: '<b>me</b>' }, 'options.to: must be an address'],
    ['set-treasury', { to: 7 }, 'options.to '],
  ])('refuses %s %j, naming the field', async (command, options, message) => {
    expect(await operator.post(PREPARE, { command, options, account: owner.address })).toMatchObject({
      status: 400,
      body: { error: 'VALIDATION_ERROR', message: expect.stringContaining(message) },
    });
  });

  it('says which account may make a call', async () => {
    const post = async (command: string, options: object) =>
      operator.post(PREPARE, { command, options, account: treasury.address });
    expect(await post('pause', { direction: 'both' })).toMatchObject({
      status: 400,
      body: {
        message: expect.stringMatching(/is neither pauser nor guardian of BridgeLock on ethereum: 0x3C44\w+ is/),
      },
    });
    const nobody = new RegExp(`^account: .*the owner of the timelock.*${lower(owner.address)}$`);
    expect(await post('set-standby', { to: 'none' })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(nobody) },
    });
  });

  it('prepares a pause of one chain while the other cannot be read', async () => {
    const away = await temporaryAdmin({ ...bridge, ethereum: { ...bridge.ethereum, url: NO_NODE } });
    const asked = await away.signedIn('operator');
    const answer = prepareCallResponseSchema.parse((await asked.post(PREPARE, pauseBoth)).body);
    expect(answer.transactions).toMatchObject([
      { side: 'ethereum', maySend: true, blockNumber: null, problem: expect.stringContaining('nothing') },
      { side: 'partner', maySend: true, problem: null },
    ]);
    const other = { ...pauseBoth, command: 'set-standby', options: { to: 'none' }, account: owner.address };
    expect(await asked.post(PREPARE, other)).toMatchObject({ status: 503, body: { error: 'SERVICE_UNAVAILABLE' } });
    await away.close();
  });
});

describe('the other routes', () => {
  it('list the calls of the command line with their options', async () => {
    const { calls } = contractCallsResponseSchema.parse((await operator.get('/contracts/calls')).body);
    expect(calls).toHaveLength(33);
    expect(calls.find(({ command }) => command === 'set-policy')).toMatchObject({
      role: 'policy manager',
      options: [
        { name: 'asset', isRequired: true, choices: ['ETH', 'USDC', 'XCN'], fallback: null },
        { name: 'rate', isRequired: true, choices: null },
        { name: 'min-fee' },
        { name: 'min-amount' },
      ],
    });
  });
});
