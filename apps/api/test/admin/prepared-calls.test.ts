import { describe, expect, it } from '@jest/globals';
import { lower } from '@causeway/chain';
import { bridgeMintAbi } from '@causeway/contracts/abi';
import { callHash } from '@causeway/governance';
import { auditResponseSchema, EXECUTE_ANNOUNCED, prepareCallResponseSchema } from '@causeway/protocol/admin';
import { stateResponseSchema } from '@causeway/protocol/rest';
import { aHash, testAccount, waitUntil } from '@causeway/test-kit';
import { encodeFunctionData, getAddress, zeroHash, type Hex } from 'viem';
import {
  api,
  bridge,
  contracts,
  DELAY_SECONDS,
  guardian,
  lowered,
  mine,
  NO_NODE,
  operator,
  owner,
  pauseBoth,
  policyManager,
  prepare,
  PREPARE,
  relayer,
  send,
  SOMEBODY,
  treasury,
  type Transaction,
} from './contracts-world.js';
import { temporaryAdmin } from './temporary-admin.js';

// Members report which transactions they sent; the chain shows their effects.

const stranger = testAccount(6);

const report = async (command: string, ...transactions: { readonly side: string; readonly txHash: Hex }[]) =>
  operator.post('/contracts/calls/report', { command, reason: 'a test', transactions });
/** The newest row of the audit log about a call. */
async function lastRow() {
  const { body } = await operator.get('/audit?action=contract-call&limit=1');
  return auditResponseSchema.parse(body).rows[0]!;
}

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

  it('shows the values before and after, which hold once it is sent', async () => {
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

  it('reopens a number used up by a former relayer, from logs and transactions that nodes agree on', async () => {
    const { bridgeMint: to, tokens } = bridge.book.partner;
    const mint = { abi: bridgeMintAbi, functionName: 'mint', args: [300n, tokens.ETH, SOMEBODY, 1n] } as const;
    await send([{ side: 'partner', to, data: encodeFunctionData(mint), value: '0' }], relayer);
    await send(await prepare('pause', { direction: 'both' }, guardian), guardian);
    await send(await prepare('activate-standby', {}, guardian), guardian);
    const [call] = await prepare('reopen', { chain: 'partner' }, owner);
    expect(call?.arguments.map(({ value }) => value)).toEqual(['1', String(1n << 44n), '0']);
    expect(call).toMatchObject({ step: 'schedule', changes: [{ before: '1', after: '0' }], problem: null });
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

  it('says which account can make a call', async () => {
    const post = async (command: string, options: object) =>
      operator.post(PREPARE, { command, options, account: treasury.address });
    expect(await post('pause', { direction: 'both' })).toMatchObject({
      status: 400,
      body: {
        message: expect.stringMatching(/is neither pauser nor guardian of BridgeLock on ethereum: 0x3C44\w+ is/),
      },
    });
    expect(await post('set-standby', { to: 'none' })).toMatchObject({
      status: 400,
      body: {
        message: expect.stringMatching(new RegExp(`^account: .*the owner of the timelock.*${lower(owner.address)}$`)),
      },
    });
  });

  it('prepares a pause of one chain while the other cannot be read', async () => {
    const away = await temporaryAdmin({ ...bridge, ethereum: { ...bridge.ethereum, url: NO_NODE } });
    const asked = await away.signedIn('operator');
    const answer = prepareCallResponseSchema.parse((await asked.post(PREPARE, pauseBoth)).body);
    expect(answer.transactions).toMatchObject([
      { side: 'ethereum', maySend: true, blockNumber: null, problem: expect.stringContaining('not checked') },
      { side: 'partner', maySend: true, problem: null },
    ]);
    const other = { ...pauseBoth, command: 'set-standby', options: { to: 'none' }, account: owner.address };
    expect(await asked.post(PREPARE, other)).toMatchObject({ status: 503, body: { error: 'SERVICE_UNAVAILABLE' } });
    await away.close();
  });
});

describe('a reported transaction', () => {
  it('is read from the chain: contract, function, sender and success', async () => {
    const [pause] = (await prepare('pause', { direction: 'ethereum-to-partner' }, guardian)) as [Transaction];
    const { sent } = await mine(pause, guardian);
    expect(await report('pause', sent)).toMatchObject({ status: 204 });
    expect(await lastRow()).toMatchObject({
      actor: api.members.operator.address.toLowerCase(),
      reason: 'a test',
      txHash: sent.txHash,
      after: { command: 'pause', transactions: [sent] },
      reported: [
        {
          ...sent,
          state: 'SUCCEEDED',
          calls: [{ contract: 'Sentinel', functionName: pause.functionName, arguments: pause.arguments }],
          sender: guardian.address.toLowerCase(),
          sentence: expect.stringMatching(/^Sentinel\.\w+ by 0x[0-9a-f]{40} succeeded in block \d+\.$/),
        },
      ],
    });
    const { sent: reverted } = await mine(pause, stranger);
    expect(await report('pause', reverted)).toMatchObject({ status: 204 });
    expect((await lastRow()).reported).toMatchObject([
      { ...reverted, state: 'REVERTED', sender: stranger.address.toLowerCase() },
    ]);
  });

  it('is refused when no node has it, when it calls another contract, and when the report is malformed', async () => {
    const row = (await lastRow()).sequence;
    const unknown = { side: 'partner', txHash: `0x${'7'.repeat(64)}` } as const;
    const { sent: transfer } = await mine({ side: 'partner', to: SOMEBODY, data: '0x', value: '1' }, stranger);
    const refused = async (answer: ReturnType<typeof report>, message: string) =>
      expect(await answer).toMatchObject({
        status: 400,
        body: { error: 'VALIDATION_ERROR', message: expect.stringContaining(message) },
      });
    await refused(report('set-policy', unknown), 'is unknown to the nodes of partner');
    await refused(report('set-policy', transfer), 'calls no contract of the bridge on partner');
    await refused(report('steal', transfer), 'command must be the name of a call');
    await refused(report('set-policy'), 'must name a transaction');
    expect((await lastRow()).sequence).toBe(row);
  });
});

describe('an announced call', () => {
  it('comes with its execution transaction once it is ready', async () => {
    const [schedule] = (await prepare('set-treasury', { to: SOMEBODY }, owner)) as [Transaction];
    const { sent: scheduled } = await mine(schedule, owner);
    expect(await report('set-treasury', scheduled)).toMatchObject({ status: 204 });
    expect((await lastRow()).reported).toMatchObject([
      {
        state: 'SUCCEEDED',
        calls: [
          { contract: 'AdminTimelock', functionName: 'schedule' },
          { contract: 'BridgeLock', functionName: 'setTreasury' },
        ],
      },
    ]);

    // On a busy machine the events arrive in a later reading.
    const early = await waitUntil('the call is announced', async () => (await contracts()).announced[0]);
    expect(early).toMatchObject({
      side: 'ethereum',
      contract: 'BridgeLock',
      functionName: 'setTreasury',
      arguments: [{ name: 'newTreasury', value: expect.stringMatching(/^0x0+ab$/i) }],
      target: bridge.book.ethereum.bridgeLock.toLowerCase(),
      value: '0',
      predecessor: zeroHash,
      salt: zeroHash,
      isReady: false,
      execute: { step: 'execute', functionName: 'setTreasury', isSimulated: false, maySend: false },
    });
    // The public status page shows it, too.
    const state = async () => stateResponseSchema.parse((await api.get('/api/v1/bridge/state')).body);
    const what = expect.stringMatching(/^newTreasury 0x0+ab$/i);
    expect(await waitUntil('it is shown', async () => (await state()).announcements)).toEqual([
      { side: 'ethereum', title: 'BridgeLock.setTreasury', what, executableAt: early.readyAt },
    ]);
    const waiting = await prepare('set-treasury', { to: SOMEBODY }, owner);
    expect(waiting).toMatchObject([{ step: 'wait', maySend: false, readyAt: early.readyAt }]);
    await bridge.ethereum.test.increaseTime({ seconds: DELAY_SECONDS });
    await bridge.ethereum.test.mine({ blocks: 1 });
    const { isReady, execute } = (await contracts()).announced[0]!;
    if (execute === null) throw new Error('A call that was announced alone has no execution');
    expect(isReady).toBe(true);
    expect(execute).toMatchObject({ maySend: true, problem: null });
    // It equals what the command prepares.
    const [prepared] = (await prepare('set-treasury', { to: SOMEBODY }, owner)) as [Transaction];
    expect(prepared).toMatchObject({ step: 'execute', maySend: true, isSimulated: true });
    expect(execute).toMatchObject({ to: prepared.to, data: prepared.data, callHash: prepared.callHash });

    const { sent: executed } = await mine(execute, owner);
    expect(await report(EXECUTE_ANNOUNCED, executed)).toMatchObject({ status: 204 });
    expect((await lastRow()).reported).toMatchObject([
      { state: 'SUCCEEDED', sentence: expect.stringMatching(/^AdminTimelock\.execute of BridgeLock\.setTreasury by/) },
    ]);
    const after = await contracts();
    expect(after.announced).toEqual([]);
    expect(after.roles).toContainEqual({ side: 'ethereum', role: 'treasury', address: SOMEBODY });
    expect(after.history.slice(0, 3).map(({ event }) => event)).toContain('TreasurySet');
  });
});
