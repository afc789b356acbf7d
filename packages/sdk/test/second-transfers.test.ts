import { describe, expect, it } from '@jest/globals';
import { maxUint256, numberToHex, padHex, type Hex } from 'viem';
import { sealRecord } from '../src/record/record-form.js';
import { makeAnswer } from './api-server.js';
import { CONFIG, offerSignatures, RECIPIENT, TransferWorld } from './transfer-world.js';

// Ways in which one transfer could become two transactions, or be called a failure although it went through.

const UNSEEN: Hex = `0x${'ab'.repeat(32)}`;
const fail = async (): Promise<Hex> => Promise.reject(new Error('the connection broke'));
const refuse = async (): Promise<Hex> => Promise.reject(Object.assign(new Error('rejected'), { code: 4001 }));
const undecided = { state: 'UNDECIDED' };

/** A transfer whose wallet was asked, and of which nothing more is known. */
async function makeAsked(keepsNonce: boolean): Promise<TransferWorld> {
  const world = new TransferWorld();
  world.keepsNonce = keepsNonce;
  world.send = fail;
  expect(await world.deposit()).toMatchObject({ name: 'UndecidedError' });
  expect(world.record.steps).toMatchObject([{ state: 'asked' }]);
  return world;
}

const countWindows = (world: TransferWorld) => world.asked.filter((each) => each === 'eth_sendTransaction').length;

describe('a transfer is not sent a second time', () => {
  it('when its own transaction is mined while it is sent again with its nonce', async () => {
    const world = await makeAsked(true);
    world.answers['eth_estimateGas'] = () => {
      world.mine(0);
      delete world.answers['eth_estimateGas'];
      return '0x5208';
    };
    world.send = async (nonce) => (nonce < world.mined.length ? fail() : world.mine(nonce));
    expect(await world.resume()).toMatchObject({ state: 'SENT', originTxHash: world.deposits[0]?.hash });
    expect(world.deposits).toHaveLength(1);
  });

  it('when a second window is refused, and the first one may still be open', async () => {
    const world = await makeAsked(false);
    world.send = refuse;
    expect(await world.resume({ sendAgain: true })).toMatchObject({ name: 'WalletRefusedError' });
    expect(await world.resume()).toMatchObject(undecided);
    expect(countWindows(world)).toBe(2);
  });

  it('when what its user has decided to send again is not seen by a node', async () => {
    const world = await makeAsked(false);
    world.send = async () => UNSEEN;
    expect(await world.resume({ sendAgain: true })).toMatchObject(undecided);
    expect(countWindows(world)).toBe(2);
  });

  it('when another program goes on with it at the same time', async () => {
    const world = new TransferWorld();
    world.send = refuse;
    expect(await world.deposit()).toMatchObject({ name: 'WalletRefusedError' });
    const windows = countWindows(world);
    world.send = async (nonce) => world.mine(nonce);
    world.answers['eth_estimateGas'] = () => {
      world.store.save(sealRecord({ ...world.record, revision: world.record.revision + 1 }));
      return '0x5208';
    };
    expect(await world.resume()).toMatchObject({ name: 'RecordError', field: 'revision' });
    expect(countWindows(world)).toBe(windows);
  });

  it('when another copy of its record was sent', async () => {
    const world = new TransferWorld();
    world.send = refuse;
    expect(await world.deposit()).toMatchObject({ name: 'WalletRefusedError' });
    world.mine(0);
    world.send = async (nonce) => world.mine(nonce);
    expect(await world.resume()).toMatchObject(undecided);
    expect(world.deposits).toHaveLength(1);
  });
});

describe('a transfer that went through is not a failure', () => {
  it('when a second transaction with its authorization reverts', async () => {
    const world = new TransferWorld();
    world.keepsNonce = false;
    offerSignatures(world, ['ERC-3009']);
    world.send = async () => {
      world.mine(0);
      return world.mine(1, 'reverted');
    };
    expect(await world.deposit('USDC')).toMatchObject({ state: 'SENT', originTxHash: world.deposits[0]?.hash });
  });

  it('when its approval was replaced by another one', async () => {
    const world = new TransferWorld();
    offerSignatures(world, []);
    let allowance = 0n;
    world.answers['eth_call'] = () => padHex(numberToHex(allowance), { size: 32 });
    world.send = async () => {
      world.send = async (nonce) => world.mine(nonce);
      world.mine(0, 'foreign');
      allowance = maxUint256;
      return UNSEEN;
    };
    expect(await world.deposit('USDC')).toMatchObject({ state: 'SENT', originTxHash: world.deposits[0]?.hash });
  });

  it('when no node has its approval, and it has used the allowance', async () => {
    const world = new TransferWorld();
    world.keepsNonce = false;
    offerSignatures(world, []);
    let allowance = 0n;
    world.answers['eth_call'] = () => padHex(numberToHex(allowance), { size: 32 });
    world.send = async () => UNSEEN;
    expect(await world.deposit('USDC')).toMatchObject({ name: 'UndecidedError' });
    allowance = maxUint256;
    world.send = async (nonce) => world.mine(nonce);
    expect(await world.resume()).toMatchObject({ state: 'SENT' });
    allowance = 0n;
    expect(await world.resume()).toMatchObject({ state: 'SENT', originTxHash: world.deposits[0]?.hash });
    expect(countWindows(world)).toBe(2);
  });
});

describe('the transaction of another transfer', () => {
  it('of the same terms does not count as that of a nonce', async () => {
    const world = new TransferWorld();
    expect(await world.deposit()).toMatchObject({ state: 'SENT' });
    world.send = fail;
    expect(await world.deposit()).toMatchObject({ name: 'UndecidedError' });
    world.mine(1, 'foreign');
    expect(await world.resume()).toMatchObject(undecided);
  });

  it.each([
    ['ETH of a wallet with a window', 'ETH', [], false, undecided],
    ['an authorization of a key', 'USDC', ['ERC-3009'], true, { state: 'SENT' }],
    ['a permit of a key', 'USDC', ['ERC-2612'], true, { state: 'SENT' }],
  ])('of the same terms in the newest block does not count: %s', async (_, asset, standards, keepsNonce, outcome) => {
    const world = new TransferWorld();
    world.keepsNonce = keepsNonce;
    offerSignatures(world, standards);
    expect(await world.deposit(asset)).toMatchObject({ state: 'SENT' });
    world.send = fail;
    expect(await world.deposit(asset)).toMatchObject({ name: 'UndecidedError' });
    world.send = async (nonce) => world.mine(nonce);
    expect(await world.resume()).toMatchObject(outcome);
    expect(world.deposits).toHaveLength(outcome === undecided ? 1 : 2);
  });

  it('is shown as foreign when a record that the store knows was altered', async () => {
    const world = await makeAsked(true);
    const { checksum: _, ...terms } = world.record;
    const altered = sealRecord({ ...terms, recipient: CONFIG.partner.bridgeMint });
    expect(await world.resume({}, altered)).toMatchObject({ state: 'FOREIGN', record: altered });
    expect(countWindows(world)).toBe(1);
  });

  it('of an intent is not paid', async () => {
    const world = new TransferWorld();
    const { chainId, bridgeMint: contract } = CONFIG.partner;
    world.answers['eth_chainId'] = () => numberToHex(chainId);
    world.api['bridge/status'] = makeAnswer('getStatus', { originTxHash: null });
    const ofAnother = sealRecord({
      version: 1,
      id: UNSEEN,
      revision: 0,
      environment: CONFIG.environment,
      kind: 'INTENT',
      asset: 'XCN',
      amount: '6000',
      maxFee: '0',
      sender: world.connectWallet().account,
      recipient: RECIPIENT,
      chainId,
      contract,
      token: `0x${'0'.repeat(40)}`,
      fromBlock: '0',
      createdAt: new Date().toISOString(),
      steps: [
        { step: 'sign', what: 'intent', state: 'done', domain: { name: '', version: '' }, nonce: UNSEEN, deadline: 9 },
        { step: 'register', state: 'done', intentId: UNSEEN, relayerWallet: RECIPIENT, expiresAt: '2100-01-01' },
        { step: 'send', what: 'payment', state: 'planned' },
      ],
    });
    const outcome = await world.resume({ confirmed: true }, ofAnother);
    expect(outcome).toMatchObject({ name: 'RecordError', field: 'steps.1.intentId' });
    expect(countWindows(world)).toBe(0);
  });
});
