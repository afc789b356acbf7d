import { describe, expect, it } from '@jest/globals';
import { numberToHex, type Hex } from 'viem';
import { makeAnswer } from './api-server.js';
import { RECIPIENT, TransferWorld, USER } from './transfer-world.js';

// A transfer whose transaction is searched behind a node that limits the range of eth_getLogs.

/** A world whose node refuses ranges above `limit` and whose chain has grown since the transfer. */
async function makeOldTransfer(limit: number, keepsNonce: boolean, isSent: boolean): Promise<TransferWorld> {
  const world = new TransferWorld();
  world.keepsNonce = keepsNonce;
  world.send = async (nonce) => {
    if (isSent) world.mine(nonce);
    throw new Error('the tab was closed');
  };
  await world.deposit();
  const newest = 4_000;
  world.answers['eth_getBlockByNumber'] = () => ({ number: numberToHex(newest), timestamp: '0x10' });
  world.answers['eth_getLogs'] = ([filter]) => {
    const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex | 'latest' };
    const [from, to] = [Number(fromBlock), toBlock === 'latest' ? newest : Number(toBlock)];
    if (to - from >= limit) throw Object.assign(new Error('the range is too large'), { code: -32_005 });
    return world.deposits.flatMap((each) =>
      from <= Number(each.hash) && Number(each.hash) <= to ? world.makeReceipt(each).logs : [],
    );
  };
  world.api['bridge/history'] = makeHistory();
  return world;
}

function makeHistory(...hashes: readonly (Hex | undefined)[]): object {
  const operations = hashes.map((originTxHash) =>
    makeAnswer('getStatus', {
      originTxHash,
      intentId: null,
      sender: USER.address.toLowerCase(),
      recipient: RECIPIENT,
      amount: '500000000000000000',
      // The clock of this machine is ahead by an hour.
      createdAt: new Date(Date.now() - 3_600_000).toISOString(),
    }),
  );
  return { operations, pagination: { hasMore: false, nextCursor: null, limit: 100 } };
}

const countWindows = (world: TransferWorld) => world.asked.filter((each) => each === 'eth_sendTransaction').length;
const countSearches = (world: TransferWorld) => world.asked.filter((each) => each === 'eth_getLogs').length;

describe.each([10, 500, 2_000])('a node that allows searches of %s blocks', (limit) => {
  it('finds a transfer that the history knows', async () => {
    const world = await makeOldTransfer(limit, false, true);
    world.api['bridge/history'] = makeHistory(world.deposits[0]?.hash);
    expect(await world.resume()).toMatchObject({ state: 'SENT', originTxHash: world.deposits[0]?.hash });
    expect([countWindows(world), countSearches(world) <= 24]).toEqual([1, true]);
  });

  it('sends no transfer again that the history lacks', async () => {
    const world = await makeOldTransfer(limit, false, limit === 10);
    expect(await world.resume()).toMatchObject({ state: 'UNDECIDED' });
    expect(countWindows(world)).toBe(1);
  });
});
