import { describe, expect, it } from '@jest/globals';
import { numberToHex, type Hex } from 'viem';
import { makeAnswer } from './api-server.js';
import { RECIPIENT, TransferWorld, USER } from './transfer-world.js';

// A transfer is resumed behind a node that limits the range of eth_getLogs.

const closeTab = async (): Promise<never> => Promise.reject(new Error('the tab was closed'));
const refuse = async (): Promise<never> => Promise.reject(Object.assign(new Error('rejected'), { code: 4001 }));

/**
 * A deposit that its wallet answered with `send`, on a chain that has grown by `blocks` since. The node refuses to
 * search more than `limit` blocks.
 */
async function makeOldDeposit(limit: number, blocks: number, send: TransferWorld['send']): Promise<TransferWorld> {
  const world = new TransferWorld();
  world.keepsNonce = false;
  world.send = send;
  world.mine(0, 'foreign');
  await world.deposit();
  world.send = async (nonce) => world.mine(nonce);
  world.answers['eth_getBlockByNumber'] = () => ({ number: numberToHex(blocks), timestamp: '0x10' });
  world.answers['eth_getLogs'] = ([filter]) => {
    const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex };
    const [from, to] = [Number(fromBlock), Number(toBlock) || blocks];
    if (to - from >= limit) throw Object.assign(new Error('the range is too large'), { code: -32_005 });
    const found = world.deposits.filter(({ hash }) => from <= Number(hash) && Number(hash) <= to);
    return found.flatMap((each) => world.makeReceipt(each).logs);
  };
  world.asked.length = 0;
  tellHistory(world);
  return world;
}

/** Adds the transactions on the chain to the API's history. */
function tellHistory(world: TransferWorld, ...hashes: readonly Hex[]): void {
  const operations = hashes.map((originTxHash) =>
    makeAnswer('getStatus', {
      originTxHash,
      intentId: null,
      sender: USER.address.toLowerCase(),
      recipient: RECIPIENT,
      amount: `${world.units}`,
      // The clock of this machine is ahead by an hour.
      createdAt: new Date(Date.now() - 3_600_000).toISOString(),
    }),
  );
  world.api['bridge/history'] = { operations, pagination: { hasMore: false, nextCursor: null, limit: 100 } };
}

const count = (world: TransferWorld, method: string) => world.asked.filter((each) => each === method).length;
const hasSent = (world: TransferWorld) => count(world, 'eth_sendTransaction') > 0;

describe.each([10, 500, 2_000])('behind a node that allows searches of %s blocks, resume', (limit) => {
  it('finds a transfer in the history, also with a wrong clock', async () => {
    const world = await makeOldDeposit(limit, 20_000, closeTab);
    const hash = world.mine(1);
    tellHistory(world, hash);
    expect(await world.resume()).toMatchObject({ state: 'SENT', originTxHash: hash });
    expect(hasSent(world)).toBe(false);
    expect(count(world, 'eth_getLogs')).toBeLessThanOrEqual(24);
  });

  it('finds a transfer that only the chain has', async () => {
    const world = await makeOldDeposit(limit, 100, closeTab);
    const hash = world.mine(1);
    expect(await world.resume()).toMatchObject({ state: 'SENT', originTxHash: hash });
  });

  it.each([
    ['was asked for', closeTab],
    ['was refused', refuse],
  ])('sends a transfer that the history lacks and that %s only if the user decides so', async (_, send) => {
    const world = await makeOldDeposit(limit, 20_000, send);
    expect(await world.resume()).toMatchObject({
      state: 'UNDECIDED',
      looks: expect.arrayContaining([
        expect.objectContaining({ showed: expect.stringContaining('earlier blocks were not searched') }),
      ]),
    });
    expect(hasSent(world)).toBe(false);
    expect(await world.resume({ sendAgain: true })).toMatchObject({ state: 'SENT' });
    expect(world.deposits).toHaveLength(1);
  });

  it('ignores an equal transfer from before its beginning', async () => {
    const world = await makeOldDeposit(limit, 20_000, closeTab);
    tellHistory(world, world.mine(1));
    const [earlier] = world.deposits.map((each) => ({ ...world.makeReceipt(each), blockNumber: '0x0' }));
    world.answers['eth_getTransactionReceipt'] = () => earlier;
    expect(await world.resume()).toMatchObject({ state: 'UNDECIDED' });
  });
});
