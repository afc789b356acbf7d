import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { encodeFunctionData, parseEther, RpcRequestError, type Address } from 'viem';
import { callHash } from '../src/calls/call-hash.js';
import { findCommand } from '../src/commands/registry.js';
import { prepareCommand, type PreparedTransaction } from '../src/commands/prepare.js';
import { bridgeMintAbi } from '@causeway/contracts/abi';
import { guardian, mined, newcomer, owner, policyManager, relayer, makeTarget } from './fixtures.js';
import { startOperator, type Operator } from './operator.js';

// The owner of the timelock is the admin of both contracts.

const DELAY_SECONDS = 3_600;
const NOT_OFFERED = { code: -32_004, message: 'Method not supported: no node behind this gateway supports it' };
const SOMEBODY: Address = '0x00000000000000000000000000000000000000ab';

let operator: Operator;

beforeAll(async () => {
  operator = await startOperator({ admin: owner.address, adminDelaySeconds: DELAY_SECONDS });
});

beforeEach(async () => operator.chains.restore());

afterAll(async () => operator?.chains.stop());

async function prepare(
  name: string,
  options: Readonly<Record<string, string>>,
  account: Address,
  clients: Operator['clients'] = operator.clients,
): Promise<readonly PreparedTransaction[]> {
  return prepareCommand({ command: findCommand(name), options, account, book: operator.book, clients });
}

/** A node without eth_simulateV1, with the error of a gateway whose nodes lack it. */
function withoutSimulation(client: Operator['clients']['partner']): Operator['clients']['partner'] {
  const request = async (asked: { method: string }) => {
    if (asked.method === 'eth_simulateV1') throw new RpcRequestError({ body: {}, url: '', error: NOT_OFFERED });
    return client.request(asked as never);
  };
  return { ...client, request } as typeof client;
}

/** Sends the prepared transactions, as the account's wallet would. */
async function send(transactions: readonly PreparedTransaction[], account: typeof owner): Promise<void> {
  for (const { chain, to, data, value } of transactions) {
    const { wallet, client } = makeTarget(operator.chains.anvils[chain === 'ethereum' ? 0 : 1], account);
    const hash = await wallet.sendTransaction({ to, data, value });
    expect((await client.waitForTransactionReceipt({ hash })).status).toBe('success');
  }
}

const policy = (rate: string) => ({ asset: 'ETH', rate, 'min-fee': '0.003 ETH', 'min-amount': '0.01 ETH' });

describe('prepareCommand', () => {
  const admin = owner.address;
  it.each([
    ['pause', { direction: 'both' }, guardian.address, 'call'],
    ['set-policy', policy('0.3%'), policyManager.address, 'call'],
    [
      'set-limit',
      { asset: 'XCN', chain: 'partner', capacity: '500000 XCN', window: '30m' },
      policyManager.address,
      'call',
    ],
    ['set-max-amount', { asset: 'USDC', chain: 'ethereum', amount: '100 USDC' }, policyManager.address, 'call'],
    ['activate-standby', {}, guardian.address, 'call'],
    ['top-up', { chain: 'ethereum', amount: '5 ETH' }, newcomer.address, 'call'],
    ['set-standby', { to: 'none' }, admin, 'schedule'],
    ['rotate-relayer', { to: SOMEBODY }, admin, 'schedule'],
    ['set-attesters', { attesters: SOMEBODY, threshold: '1' }, admin, 'schedule'],
    ['replace-guardian', { to: SOMEBODY }, admin, 'schedule'],
    ['add-pauser', { pauser: SOMEBODY }, guardian.address, 'call'],
    ['replace-policy-manager', { to: SOMEBODY }, admin, 'schedule'],
    ['set-treasury', { to: SOMEBODY }, admin, 'schedule'],
    ['wind-down', { asset: 'USDC', chain: 'ethereum' }, admin, 'schedule'],
    ['set-listing', { asset: 'USDC', 'may-begin': 'no', 'may-deliver': 'no' }, admin, 'schedule'],
    ['set-fee-ceiling', policy('0.1%'), admin, 'schedule'],
    [
      'set-limit-ceiling',
      { asset: 'ETH', chain: 'ethereum', capacity: '80 ETH', window: '2h', 'max-amount': '40 ETH' },
      admin,
      'schedule',
    ],
  ] as const)('simulates %s %j as %s, and its arguments say the same', async (name, options, account, step) => {
    const simulated = await prepare(name, options, account);
    const { ethereum, partner } = operator.clients;
    const announced = await prepare(name, options, account, {
      ethereum: withoutSimulation(ethereum),
      partner: withoutSimulation(partner),
    });
    expect(simulated.length).toBeGreaterThan(0);
    for (const [index, transaction] of simulated.entries()) {
      expect(transaction).toMatchObject({ step, problem: null, maySend: true, isSimulated: true });
      expect(transaction.callHash).toBe(callHash(transaction));
      expect(announced[index]).toMatchObject({ callHash: transaction.callHash, isSimulated: false });
      // The clock of the simulated block decides when a pause ends.
      const shown = ({ changes }: PreparedTransaction) =>
        JSON.stringify(changes).replaceAll(/[-\d]+T[:.\d]+Z/g, 'then');
      expect(announced.map(shown)[index]).toBe(shown(transaction));
      expect(transaction.changes.some(({ before, after }) => before !== after)).toBe(true);
    }
  });

  it('shows the changes of a direct call, which then happen', async () => {
    const set = await prepare('set-policy', policy('0.3%'), policyManager.address);
    expect(set).toMatchObject([
      {
        chain: 'partner',
        contract: 'BridgeMint',
        functionName: 'setFeePolicy',
        to: operator.book.partner.bridgeMint,
        changes: [
          { name: 'rate', before: '0.25%', after: '0.3%' },
          { name: 'minimum fee', before: '0.003 ETH', after: '0.003 ETH' },
          { name: 'minimum amount', before: '0.01 ETH', after: '0.01 ETH' },
        ],
      },
    ]);
    await send(set, policyManager);
    expect(await prepare('set-policy', policy('0.3%'), policyManager.address)).toEqual([]);
    const [bps] = await operator.partner.client.readContract({
      address: operator.book.partner.bridgeMint,
      abi: bridgeMintAbi,
      functionName: 'feePolicy',
      args: [operator.book.partner.tokens.ETH],
    });
    expect(bps).toBe(30);
  });

  it('schedules, waits and executes through the timelock', async () => {
    const change = async () => prepare('set-treasury', { to: SOMEBODY }, owner.address);
    const [scheduled] = await change();
    expect(scheduled).toMatchObject({ step: 'schedule', functionName: 'setTreasury', readyAt: null });
    await send(await change(), owner);
    const [waiting] = await change();
    expect(waiting).toMatchObject({ step: 'wait', maySend: false, readyAt: expect.any(Date) });
    expect(waiting?.changes[0]?.after).toMatch(/^0x0+ab$/i);
    await operator.pass(DELAY_SECONDS);
    const [executed] = await change();
    expect(executed).toMatchObject({ step: 'execute', maySend: true, isSimulated: true, problem: null });
    await send(await change(), owner);
    expect(await change()).toEqual([]);
  });

  it('holds a call back until the other chain is ready', async () => {
    await send(await prepare('rotate-relayer', { to: SOMEBODY, chain: 'partner' }, owner.address), owner);
    await operator.pass(DELAY_SECONDS);
    expect(await prepare('rotate-relayer', { to: SOMEBODY }, owner.address)).toMatchObject([
      { chain: 'ethereum', step: 'schedule', maySend: true, problem: null },
      { chain: 'partner', step: 'execute', maySend: false, problem: expect.stringMatching(/held back/) },
    ]);
  });

  it('lifts a pause by its number, and redirects a credit', async () => {
    await send(await prepare('pause', { direction: 'ethereum-to-partner' }, guardian.address), guardian);
    const [lifted] = await prepare('unpause', { direction: 'both', chain: 'partner' }, owner.address);
    expect(lifted).toMatchObject({
      arguments: [
        { name: 'count', value: '1' },
        { name: 'beginnings', value: 'false' },
        { name: 'deliveries', value: 'true' },
      ],
      changes: [
        { name: 'beginnings', before: 'running', after: 'running' },
        { name: 'deliveries', before: 'paused', after: 'running' },
      ],
      isSimulated: true,
    });
    await operator.chains.restore();
    const { ETH, USDC } = operator.book.partner.tokens;
    const data = encodeFunctionData({
      abi: bridgeMintAbi,
      functionName: 'mint',
      args: [0n, ETH, USDC, parseEther('2')],
    });
    const { wallet } = makeTarget(operator.chains.anvils[1], relayer);
    await mined(operator.partner, wallet.sendTransaction({ to: operator.book.partner.bridgeMint, data }));
    const terms = { asset: 'ETH', chain: 'partner', account: USDC, to: newcomer.address };
    const [moved] = await prepare('redirect-credit', terms, owner.address);
    expect(moved).toMatchObject({ isSimulated: true });
    expect(moved?.changes.map(({ before, after }) => [before, after])).toEqual([
      ['2 ETH', '0 ETH'],
      ['0 ETH', '2 ETH'],
    ]);
  });

  it('shows why a call reverts, and who may make it', async () => {
    const [reverting] = await prepare('collect-fees', { asset: 'ETH' }, newcomer.address);
    expect(reverting).toMatchObject({ maySend: false, problem: expect.stringMatching(/NothingToPay/) });
    await expect(prepare('pause', { direction: 'both' }, newcomer.address)).rejects.toThrow(
      new RegExp(`is neither pauser nor guardian of BridgeLock on ethereum: ${guardian.address} is`),
    );
    await expect(prepare('set-standby', { to: 'none' }, newcomer.address)).rejects.toMatchObject({
      name: 'RoleError',
      timelock: expect.stringMatching(/^0x/),
    });
  });

  it('pauses one chain while the other cannot be read', async () => {
    const { ethereum, partner } = operator.clients;
    const away = { ...ethereum, getChainId: async () => Promise.reject(new Error('away')) };
    const transactions = await prepare('pause', { direction: 'both' }, guardian.address, { ethereum: away, partner });
    expect(transactions).toMatchObject([
      {
        chain: 'ethereum',
        blockNumber: null,
        maySend: true,
        problem: expect.stringMatching(/this call was not checked/),
      },
      { chain: 'partner', maySend: true, isSimulated: true, problem: null },
    ]);
    await send(transactions, guardian);
    const set = prepare('set-standby', { to: 'none' }, owner.address, { ethereum: away, partner });
    await expect(set).rejects.toThrow('away');
  });
});
