import { describe, expect, it } from '@jest/globals';
import { numberToHex } from 'viem';
import { getTransferState } from '../src/index.js';
import { CONFIG, offerSignatures, TransferWorld } from './transfer-world.js';

// Wallets with EIP-5792, as they are: some choose ids of their own, and some answer before they have receipts.

interface Batch {
  readonly id: string;
}

/** A smart account whose wallet has sent the batches in `sent`. */
function makeWorld(chooseId = ({ id }: Batch): string => id) {
  const world = new TransferWorld();
  world.keepsNonce = false;
  offerSignatures(world, []);
  const sent: string[] = [];
  world.answers['wallet_getCapabilities'] = () => ({
    [numberToHex(CONFIG.ethereum.chainId)]: { atomic: { status: 'supported' } },
  });
  world.answers['wallet_sendCalls'] = ([batch]) => {
    const id = chooseId(batch as Batch);
    sent.push(id);
    world.mine(0);
    return { id };
  };
  const readReceipts = (id: string): object => {
    if (!sent.includes(id)) throw Object.assign(new Error('Unknown bundle ID'), { code: 5730 });
    return { status: 200, receipts: world.deposits.map((each) => world.makeReceipt(each)) };
  };
  world.answers['wallet_getCallsStatus'] = ([id]) => readReceipts(id as string);
  return { world, sent };
}

const makeReceipts = (world: TransferWorld) => world.deposits.map((each) => world.makeReceipt(each));
const never = (): never => {
  throw Object.assign(new Error('unknown method'), { code: -32_601 });
};

function makePendingFirst(world: TransferWorld) {
  world.answers['wallet_getCallsStatus'] = () => ({ status: 'CONFIRMED' });
  return { status: 'PENDING' };
}

describe('a batch', () => {
  it('of a wallet that chooses its own id is sent one time', async () => {
    const { world, sent } = makeWorld(() => 'of-the-wallet');
    expect(await world.deposit('USDC')).toMatchObject({ state: 'SENT', originTxHash: world.deposits[0]?.hash });
    expect(sent).toHaveLength(1);
    expect(await world.resume()).toMatchObject({ state: 'SENT' });
  });

  it('that was mined after its page died is found on the chain, and not sent again', async () => {
    const { world, sent } = makeWorld(() => 'of-the-wallet');
    const save = world.store.save;
    world.store.save = (record) => {
      if (sent.length > 0) throw new Error('the page is closed');
      save(record);
    };
    expect(await world.deposit('USDC')).toMatchObject({ name: 'RecordError', field: 'store' });
    world.store.save = save;
    expect(await world.resume()).toMatchObject({ state: 'SENT', originTxHash: world.deposits[0]?.hash });
    expect(sent).toHaveLength(1);
  });

  it('that is mined before its wallet has receipts is not a failure', async () => {
    const { world } = makeWorld();
    const looks = [{ status: 200 }, { status: 200, receipts: [] }];
    const readLogs = () => (looks.length > 0 ? [] : world.deposits.flatMap((each) => world.makeReceipt(each).logs));
    world.answers['wallet_getCallsStatus'] = () => looks.pop() ?? { status: 200 };
    world.answers['eth_getLogs'] = readLogs;
    expect(await world.deposit('USDC')).toMatchObject({ state: 'SENT', originTxHash: world.deposits[0]?.hash });
  });

  it('that is refused the second time may have been sent the first time', async () => {
    const { world, sent } = makeWorld();
    world.answers['wallet_sendCalls'] = () => {
      throw new Error('the connection broke');
    };
    expect(await world.deposit('USDC')).toMatchObject({ name: 'UndecidedError' });
    world.answers['wallet_sendCalls'] = () => {
      throw Object.assign(new Error('rejected'), { code: 4001 });
    };
    expect(await world.resume()).toMatchObject({ state: 'UNDECIDED' });
    expect(await world.resume({ sendAgain: true })).toMatchObject({ name: 'WalletRefusedError' });
    expect(world.record.steps).toMatchObject([{ state: 'asked' }]);
    expect(sent).toEqual([]);
  });

  it.each<[string, (world: TransferWorld) => unknown]>([
    ['answers an id as text and CONFIRMED', (world) => ({ status: 'CONFIRMED', receipts: makeReceipts(world) })],
    ['answers PENDING, then CONFIRMED without receipts', (world) => makePendingFirst(world)],
    ['answers a status of its own', () => ({ status: 'OK' })],
    ['does not have the method', () => never()],
  ])('of a wallet that %s is found', async (_, answer) => {
    const { world, sent } = makeWorld();
    const sendCalls = world.answers['wallet_sendCalls'];
    world.answers['wallet_sendCalls'] = (params) => Object(sendCalls?.(params)).id as string;
    world.answers['wallet_getCallsStatus'] = () => answer(world);
    expect(await world.deposit('USDC')).toMatchObject({ state: 'SENT', originTxHash: world.deposits[0]?.hash });
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['is being sent', () => ({ id: 'own' }), { sendAgain: true }],
    ['failed without an id', () => never(), {}],
  ])('that %s is UNDECIDED if the wallet does not report it', async (_, answer, options) => {
    const { world, sent } = makeWorld();
    world.answers['wallet_sendCalls'] = () => answer();
    world.answers['wallet_getCallsStatus'] = () => never();
    expect(await world.deposit('USDC')).toMatchObject({ name: 'UndecidedError' });
    expect(await world.resume()).toMatchObject({ state: 'UNDECIDED' });
    // The user is wrong: the wallet has it.
    world.answers['wallet_getCallsStatus'] = () => ({ status: 200, receipts: makeReceipts(world) });
    world.mine(0);
    expect(await world.resume(options)).toMatchObject({ state: 'SENT' });
    expect(sent).toEqual([]);
  });

  it('whose wallet returns a malformed id keeps its own', async () => {
    const { world } = makeWorld();
    const sendCalls = world.answers['wallet_sendCalls'];
    world.answers['wallet_sendCalls'] = (params) => ({ ...Object(sendCalls?.(params)), id: 7 });
    expect(await world.deposit('USDC')).toMatchObject({ state: 'SENT' });
    expect(await world.resume()).toMatchObject({ state: 'SENT' });
  });

  it.each([
    [4001, 'REFUSED'],
    [5750, 'REFUSED'],
    [5002, 'ASKED'],
  ])('whose wallet fails with %s before it has an id is %s', async (code, state) => {
    const { world } = makeWorld();
    world.answers['wallet_sendCalls'] = () => {
      throw Object.assign(new Error('User rejected'), { code });
    };
    await world.deposit('USDC');
    expect(getTransferState(world.record)).toBe(state);
  });

  it('is not what a wallet sends that would have to become a smart account first', async () => {
    const { world, sent } = makeWorld();
    world.answers['wallet_getCapabilities'] = () => ({
      [numberToHex(CONFIG.ethereum.chainId)]: { atomic: { status: 'ready' } },
    });
    expect(await world.deposit('USDC')).toMatchObject({ state: 'SENT' });
    expect(sent).toEqual([]);
  });
});
