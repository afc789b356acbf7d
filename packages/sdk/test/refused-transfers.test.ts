import { describe, expect, it, jest } from '@jest/globals';
import { numberToHex } from 'viem';
import { getTransferState, isBegun } from '../src/index.js';
import { offerSignatures, TransferWorld } from './transfer-world.js';

// Which errors are refusals of the user, and what a page does with the record.

const reject = (code: number | string | undefined, message: string) => async (): Promise<never> =>
  Promise.reject(Object.assign(new Error(message), { code }));
const refuse = reject(4001, 'User rejected the request.');

/** A transfer of a wallet with a window that its user refused. */
async function makeRefused(): Promise<TransferWorld> {
  const world = new TransferWorld();
  world.keepsNonce = false;
  world.send = refuse;
  expect(await world.deposit()).toMatchObject({ name: 'WalletRefusedError' });
  return world;
}

/** The account has a pending transaction. */
function makePending(world: TransferWorld): void {
  world.answers['eth_getTransactionCount'] = ([, tag]) => (tag === 'pending' ? '0x1' : '0x0');
}

function mineOne(world: TransferWorld): string {
  world.mine(0);
  return '0x5208';
}

describe('a page that is loaded again', () => {
  it('resumes what has begun, and nothing that was refused or never asked', async () => {
    const world = await makeRefused();
    await world.deposit();
    const planned = world.saved.filter(({ revision }) => revision === 0);
    expect(planned.map(getTransferState)).toEqual(['PLANNED', 'PLANNED']);
    expect([getTransferState(world.record), isBegun(world.record), planned.some(isBegun)]).toEqual([
      'REFUSED',
      false,
      false,
    ]);
    world.send = async (nonce) => world.mine(nonce);
    await world.deposit();
    const states = world.saved.slice(-4).map((record) => [getTransferState(record), isBegun(record)]);
    expect(states).toEqual([
      ['PLANNED', false],
      ['ASKED', true],
      ['SENT', true],
      ['SENT', true],
    ]);
    const [, , sent, mined] = world.saved.slice(-4);
    expect([sent?.steps[0]?.state, mined?.steps[0]?.state]).toEqual(['sent', 'done']);
  });

  it('tells a refused signature and a refused deposit after its signature apart from a begun one', async () => {
    const world = new TransferWorld();
    world.keepsNonce = false;
    offerSignatures(world, ['ERC-3009']);
    const sign = world.sign;
    world.sign = refuse;
    expect(await world.deposit('USDC')).toMatchObject({ name: 'WalletRefusedError' });
    expect(getTransferState(world.record)).toBe('REFUSED');
    world.sign = sign;
    world.send = refuse;
    expect(await world.resume({ sendAgain: true })).toMatchObject({ name: 'WalletRefusedError' });
    expect(world.record.steps).toMatchObject([{ state: 'done' }, { state: 'refused' }]);
    expect(getTransferState(world.record)).toBe('REFUSED');
    world.send = async (nonce) => world.mine(nonce);
    expect(await world.resume({ sendAgain: true })).toMatchObject({ state: 'SENT' });
  });

  it('checks the transfer again before it opens a window', async () => {
    const world = await makeRefused();
    const windows = () => world.asked.filter((method) => method === 'eth_sendTransaction').length;
    world.quote = { deliverable: false, undeliverableReason: 'RELAYER_AWAY' };
    expect(await world.resume()).toMatchObject({ name: 'CheckError', findings: [{ code: 'RELAYER_AWAY' }] });
    world.quote = { paused: true };
    const accept = ['RELAYER_AWAY'] as const;
    expect(await world.resume({ accept })).toMatchObject({ name: 'CheckError', findings: [{ code: 'PAUSED' }] });
    expect(windows()).toBe(1);
    world.quote = { deliverable: false, undeliverableReason: 'RELAYER_AWAY' };
    world.send = async (nonce) => world.mine(nonce);
    expect(await world.resume({ accept })).toMatchObject({ state: 'SENT' });
    // A transaction that exists is followed without a check.
    world.quote = { paused: true };
    expect(await world.resume()).toMatchObject({ state: 'SENT' });
  });
});

describe('a refusal', () => {
  const LEDGER = 'Ledger device: Condition of use not satisfied (denied by the user?) (0x6985)';

  it.each([
    ['EIP-1193', 4001, 'rejected'],
    ['WalletConnect', 5000, 'User rejected.'],
    ['WalletConnect', 5002, 'User rejected methods.'],
    ['a Ledger behind MetaMask', -32_603, LEDGER],
    ['Coinbase', undefined, 'User denied transaction signature'],
    ['Trust', -32_000, 'User canceled'],
    ['Rainbow', undefined, 'Request rejected'],
    ['ethers', 'ACTION_REJECTED', 'user rejected action'],
    ['a code as text', '4001', 'no'],
  ])('of %s (%s) counts while the nonce of the account is unchanged', async (_, code, message) => {
    const world = new TransferWorld();
    world.keepsNonce = false;
    world.send = reject(code, message);
    expect(await world.deposit()).toMatchObject({ name: 'WalletRefusedError' });
    expect(getTransferState(world.record)).toBe('REFUSED');
  });

  it.each([
    ['says that it refused but has sent', 4001, true],
    ['fails in other words', -32_603, false],
    ['fails with an empty code', '', false],
  ])('is not an error of a wallet that %s', async (_, code, isSent) => {
    const world = new TransferWorld();
    world.keepsNonce = false;
    world.send = async (nonce) => {
      if (isSent) world.mine(nonce);
      return reject(code, 'Internal JSON-RPC error.')();
    };
    expect(await world.deposit()).toMatchObject({ name: 'UndecidedError', looks: [{ at: 'the wallet' }] });
    expect(getTransferState(world.record)).toBe('ASKED');
    expect(await world.resume()).toMatchObject({ state: isSent ? 'SENT' : 'UNDECIDED' });
  });

  it('of an account with code needs the code of EIP-1193', async () => {
    const world = new TransferWorld();
    world.keepsNonce = false;
    world.answers['eth_getCode'] = () => '0x6001';
    world.send = reject(5002, 'User rejected methods.');
    expect(await world.deposit()).toMatchObject({ name: 'UndecidedError' });
    world.send = refuse;
    expect(await world.deposit()).toMatchObject({ name: 'WalletRefusedError' });
  });
});

describe('a transfer that is sent again', () => {
  it('is first searched among the transactions of the account', async () => {
    const world = new TransferWorld();
    world.keepsNonce = false;
    world.send = reject(-32_603, 'the connection broke');
    expect(await world.deposit()).toMatchObject({
      name: 'UndecidedError',
      nextStep: expect.stringContaining('reject any open request'),
    });
    world.mine(0);
    // A node that has no events yet.
    world.answers['eth_getLogs'] = () => [];
    const outcome = await world.resume({ sendAgain: true });
    expect(outcome).toMatchObject({ state: 'SENT', originTxHash: world.deposits[0]?.hash });
    expect(world.deposits).toHaveLength(1);
  });

  it('is not sent while the account has a pending transaction', async () => {
    const world = new TransferWorld();
    world.keepsNonce = false;
    world.send = reject(-32_603, 'the connection broke');
    await world.deposit();
    const windows = world.asked.filter((method) => method === 'eth_sendTransaction').length;
    makePending(world);
    const looks = [{ at: 'the account' }];
    expect(await world.resume({ sendAgain: true })).toMatchObject({ state: 'UNDECIDED', looks });
    expect(world.asked.filter((method) => method === 'eth_sendTransaction')).toHaveLength(windows);
  });

  it.each([
    ['mined', (world: TransferWorld) => world.mine(0)],
    ['pending', (world: TransferWorld) => makePending(world)],
    [
      'after the search',
      (world: TransferWorld) => Object.assign(world.answers, { eth_estimateGas: () => mineOne(world) }),
    ],
  ])('is not sent if the user confirmed a refused request late: %s', async (_, confirm) => {
    const world = await makeRefused();
    confirm(world);
    expect(await world.resume({ sendAgain: true })).toMatchObject({ state: 'UNDECIDED' });
    expect(world.asked.filter((method) => method === 'eth_sendTransaction')).toHaveLength(1);
  });
});

describe('a signature', () => {
  it.each([
    ['ERC-3009', {}],
    ['ERC-2612', { sendAgain: true }],
  ])('by %s is renewed before its transaction if it has expired', async (standard, options) => {
    const world = new TransferWorld();
    world.keepsNonce = false;
    offerSignatures(world, [standard]);
    const deadlines: unknown[] = [];
    const sign = world.sign;
    world.sign = async (data) => {
      deadlines.push(data.message['validBefore'] ?? data.message['deadline']);
      return sign(data);
    };
    world.send = reject(-32_603, 'the connection broke');
    expect(await world.deposit('USDC')).toMatchObject({ name: 'UndecidedError' });
    const { now } = Date;
    const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + 7_200_000);
    world.send = async (nonce) => world.mine(nonce);
    expect(await world.resume(options)).toMatchObject({ state: 'SENT' });
    later.mockRestore();
    expect(deadlines).toHaveLength(2);
    expect(Number(deadlines[1])).toBeGreaterThan(Number(deadlines[0]));
  });

  it('is valid for the chain on a machine whose clock is an hour slow', async () => {
    const world = new TransferWorld();
    offerSignatures(world, ['ERC-3009']);
    const now = Math.floor(Date.now() / 1_000);
    const answer = world.answer.bind(world, 'eth_getBlockByNumber');
    world.answers['eth_getBlockByNumber'] = (params) =>
      Object.assign(answer(params) as object, { timestamp: numberToHex(now + 3_600) });
    expect(await world.deposit('USDC')).toMatchObject({ state: 'SENT' });
    const [signed] = world.record.steps;
    expect(signed?.step === 'sign' ? signed.deadline : 0).toBeGreaterThan(now + 3_600);
  });
});
