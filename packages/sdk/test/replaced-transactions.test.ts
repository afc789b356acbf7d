import { describe, expect, it } from '@jest/globals';
import { numberToHex, padHex, type Hex } from 'viem';
import { getTransferState } from '../src/index.js';
import { CONFIG, offerSignatures, TransferWorld } from './transfer-world.js';

// A transaction that its user cancels or speeds up, or that no node has.

const UNSEEN: Hex = `0x${'ab'.repeat(32)}`;

/** A wallet with a window. Its node has the transaction as pending until `mempool` is empty. */
function makeWorld() {
  const world = new TransferWorld();
  world.keepsNonce = false;
  const mempool: { hash: Hex; nonce: number }[] = [];
  const readMined = (hash: unknown) => world.mined.find((each) => each.hash === hash);
  world.answers['eth_getTransactionByHash'] = ([hash]) => {
    const pending = mempool.find((each) => each.hash === hash);
    if (pending !== undefined)
      return { from: world.account, nonce: `0x${pending.nonce}`, to: null, input: '0x', value: '0x0' };
    return readMined(hash) === undefined ? null : world.makeTransaction(readMined(hash) ?? never());
  };
  /** The wallet sends, and after a few reads of the receipt its user does something else with the same nonce. */
  const sendThen = (change: (nonce: number) => void) => {
    let looks = 0;
    world.send = async (nonce) => {
      mempool.push({ hash: UNSEEN, nonce });
      world.answers['eth_getTransactionReceipt'] = ([hash]) => {
        looks += 1;
        if (looks === 3) {
          mempool.splice(0);
          change(nonce);
        }
        const mined = readMined(hash);
        return mined === undefined ? null : world.makeReceipt(mined);
      };
      return UNSEEN;
    };
  };
  return { world, sendThen };
}

const never = (): never => {
  throw new Error('not mined');
};

describe('a transaction', () => {
  it('that its user cancels is REPLACED by the mined one', async () => {
    const { world, sendThen } = makeWorld();
    let replacedBy: Hex = '0x';
    sendThen((nonce) => (replacedBy = world.mine(nonce, 'foreign')));
    const failure = await world.deposit();
    expect(failure).toMatchObject({ name: 'TransactionFailedError', reason: 'REPLACED', transactionHash: UNSEEN });
    expect(failure).toMatchObject({ replacedBy, message: expect.stringContaining(replacedBy) });
    expect(getTransferState(world.record)).toBe('ENDED');
    // The same error after a reload.
    expect(await world.resume()).toMatchObject({ reason: 'REPLACED', replacedBy });
  });

  it('that its user cancels is requested once, also an approval', async () => {
    const { world, sendThen } = makeWorld();
    offerSignatures(world, []);
    sendThen((nonce) => world.mine(nonce, 'foreign'));
    expect(await world.deposit('USDC')).toMatchObject({ name: 'TransactionFailedError', reason: 'REPLACED' });
    expect(world.asked.filter((method) => method === 'eth_sendTransaction')).toHaveLength(1);
  });

  it('that its user speeds up is followed, also where the node shows no events', async () => {
    const { world, sendThen } = makeWorld();
    world.answers['eth_getLogs'] = () => [];
    sendThen((nonce) => world.mine(nonce));
    expect(await world.deposit()).toMatchObject({ state: 'SENT', originTxHash: world.deposits[0]?.hash });
  });

  it.each([
    ['that was never sent', () => undefined, 'no node has it'],
    ['whose replacement no node shows', (world: TransferWorld, nonce: number) => world.mine(nonce, 'foreign'), 'nonce'],
  ])('%s is UNDECIDED', async (_, change, showed) => {
    const { world, sendThen } = makeWorld();
    const readCount = world.answer.bind(world, 'eth_getTransactionCount');
    // The node lacks the state of old blocks.
    world.answers['eth_getTransactionCount'] = (params) =>
      String(params[1]).startsWith('0x') ? never() : readCount(params);
    sendThen((nonce) => change(world, nonce));
    const looks = [{ showed: expect.stringContaining(showed) }];
    expect(await world.deposit()).toMatchObject({ name: 'UndecidedError', looks });
    expect(getTransferState(world.record)).toBe('SENT');
  });

  it('of an account with code is never REPLACED, because others act for it', async () => {
    const { world, sendThen } = makeWorld();
    world.answers['eth_getCode'] = () => '0x6001';
    sendThen((nonce) => world.mine(nonce, 'foreign'));
    expect(await world.deposit()).toMatchObject({ name: 'UndecidedError' });
  });

  it('of an account that delegates to a contract is UNDECIDED if no node has it', async () => {
    const { world } = makeWorld();
    world.answers['eth_getCode'] = () => `0xef0100${'11'.repeat(20)}`;
    world.send = async () => UNSEEN;
    expect(await world.deposit()).toMatchObject({ name: 'UndecidedError' });
    // A pending transaction may be the lost one.
    world.answers['eth_getCode'] = () => '0x';
    expect(await world.deposit()).toMatchObject({ name: 'UndecidedError' });
    world.answers['eth_getTransactionCount'] = ([, tag]) => (tag === 'pending' ? '0x1' : '0x0');
    const { length } = world.asked.filter((method) => method === 'eth_sendTransaction');
    expect(await world.resume({ sendAgain: true })).toMatchObject({ state: 'UNDECIDED' });
    expect(world.asked.filter((method) => method === 'eth_sendTransaction')).toHaveLength(length);
  });

  it('that reverts is a failure although an equal transfer went through', async () => {
    const { world } = makeWorld();
    expect(await world.deposit()).toMatchObject({ state: 'SENT' });
    world.send = async (nonce) => world.mine(nonce, 'reverted');
    expect(await world.deposit()).toMatchObject({ reason: 'REVERTED' });
  });

  it('is not REPLACED by one of another chain to which the wallet has switched', async () => {
    const { world, sendThen } = makeWorld();
    const { chainId } = CONFIG.ethereum;
    world.answers['eth_chainId'] = () => numberToHex(world.mined.length === 0 ? chainId : chainId + 1);
    sendThen(() => undefined);
    world.answers['eth_getTransactionCount'] = (params) => {
      if (world.progress.at(-1)?.state === 'sent' && world.mined.length === 0) world.mine(0, 'foreign');
      return world.answer('eth_getTransactionCount', params);
    };
    expect(await world.deposit()).toMatchObject({ name: 'WrongNetworkError' });
  });

  it('is waited for again if the block of its replacement leaves the chain', async () => {
    const { world, sendThen } = makeWorld();
    sendThen((nonce) => world.mine(nonce, 'foreign'));
    expect(await world.deposit()).toMatchObject({ reason: 'REPLACED' });
    world.mined.splice(0);
    world.mine(0);
    expect(await world.resume()).toMatchObject({ state: 'SENT', originTxHash: world.deposits[0]?.hash });
  });

  it('that succeeds without the event of its transfer is UNDECIDED: its value can be elsewhere', async () => {
    const { world } = makeWorld();
    world.send = async (nonce) => world.mine(nonce, 'foreign');
    const looks = [{ showed: 'success, but not this transfer' }];
    expect(await world.deposit()).toMatchObject({ name: 'UndecidedError', looks });
    expect(getTransferState(world.record)).toBe('SENT');
    expect(await world.resume()).toMatchObject({ state: 'UNDECIDED', looks });
    expect(world.mined).toHaveLength(1);
    world.send = async (nonce) => world.mine(nonce);
    const originTxHash = padHex('0x2', { size: 32 });
    expect(await world.resume({ sendAgain: true })).toMatchObject({ state: 'SENT', originTxHash });
  });

  it('with a malformed hash is UNDECIDED', async () => {
    const world = new TransferWorld();
    world.keepsNonce = false;
    world.send = async () => '0x12';
    expect(await world.deposit()).toMatchObject({ name: 'UndecidedError' });
    expect(getTransferState(world.record)).toBe('ASKED');
  });
});
