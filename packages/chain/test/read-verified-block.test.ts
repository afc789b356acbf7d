import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testUsdcAbi } from '@causeway/protocol/abi';
import { createPublicClient, http, parseEther, type Address, type Hex, type PublicClient } from 'viem';
import { InconsistentBlockError, readVerifiedBlock } from '../src/index.js';
import { deployTestToken } from './deploy-test-token.js';
import { startLyingNode, type Json, type Lie } from './lying-node.js';
import { account, startAnvil, type Anvil } from './start-anvil.js';

const receiver: Address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
type Record = { [key: string]: Json };

let anvil: Anvil;
let token: Address;
let client: PublicClient;
/** A block with two mints of the token, a payment to the receiver, one that runs out of gas, and noise. */
let block: bigint;
let payments: Hex[];

beforeAll(async () => {
  anvil = await startAnvil();
  client = createPublicClient({ transport: http(anvil.url), cacheTime: 0 });
  token = await deployTestToken(anvil);
  const mint = (amount: bigint) =>
    anvil.wallet.writeContract({
      address: token,
      abi: testUsdcAbi,
      functionName: 'mint',
      args: [receiver, amount],
      gas: 200_000n,
    });
  await mint(1n);
  const paid = await anvil.wallet.sendTransaction({ to: receiver, value: parseEther('1'), gas: 21_000n });
  const legacy = await anvil.wallet.sendTransaction({ to: receiver, value: 2n, gas: 21_000n, type: 'legacy' });
  const listed = await anvil.wallet.sendTransaction({
    to: receiver,
    value: 3n,
    gas: 30_000n,
    type: 'eip2930',
    accessList: [],
  });
  await anvil.wallet.sendTransaction({ to: account.address, value: 5n, gas: 21_000n });
  await anvil.wallet.writeContract({
    address: token,
    abi: testUsdcAbi,
    functionName: 'transfer',
    args: [receiver, 10n ** 30n],
    gas: 200_000n,
  });
  await mint(2n);
  await anvil.test.mine({ blocks: 1 });
  block = await client.getBlockNumber();
  payments = [paid, legacy, listed];
}, 30_000);
afterAll(async () => anvil.stop());

const watch = () => ({ contracts: [token], receivers: [receiver] });

describe('an honest node', () => {
  it('gives the logs of the watched contract and the good payments to the watched receiver', async () => {
    const read = await readVerifiedBlock(client, block, watch());
    expect(read).toMatchObject({ number: block, hash: (await client.getBlock({ blockNumber: block })).hash });
    expect(read?.logs.map(({ logIndex, address }) => [logIndex, address])).toEqual([
      [0, token],
      [1, token],
    ]);
    expect(read?.transfers.map(({ transactionHash, value }) => [transactionHash, value])).toEqual([
      [payments[0], parseEther('1')],
      [payments[1], 2n],
      [payments[2], 3n],
    ]);
    expect(read?.transfers[0]?.from.toLowerCase()).toBe(account.address.toLowerCase());
  });

  it('gives nothing of contracts that are not watched', async () => {
    const read = await readVerifiedBlock(client, block, { contracts: [receiver], receivers: [] });
    expect(read).toMatchObject({ logs: [], transfers: [] });
  });

  it('says nothing of a block that is still to come', async () => {
    expect(await readVerifiedBlock(client, block + 5n, watch())).toBeNull();
  });
});

describe('a node that lies', () => {
  const inBlock =
    (change: (answer: Record) => void): Lie =>
    (method, result) => {
      if (method === 'eth_getBlockByNumber') change(result as Record);
      return result;
    };
  const inReceipts =
    (change: (receipts: Record[]) => Json | undefined): Lie =>
    (method, result) =>
      method === 'eth_getBlockReceipts' ? (change(result as Record[]) ?? result) : result;
  const logsOf = (receipt: Record | undefined) => receipt?.['logs'] as Record[];

  it.each<[string, Lie, RegExp]>([
    ['about the time', inBlock((answer) => (answer['timestamp'] = '0x1')), /header gives the hash/],
    ['about the hash', inBlock((answer) => (answer['hash'] = `0x${'11'.repeat(32)}`)), /header gives the hash/],
    ['about the parent', inBlock((answer) => (answer['parentHash'] = `0x${'11'.repeat(32)}`)), /header gives the hash/],
    ['about the number', inBlock((answer) => (answer['number'] = '0x1')), /answered block 0x1/],
    [
      'that nothing was logged',
      inBlock((answer) => (answer['logsBloom'] = `0x${'00'.repeat(256)}`)),
      /header gives the hash/,
    ],
    [
      'about a receipts root',
      inBlock((answer) => (answer['receiptsRoot'] = `0x${'11'.repeat(32)}`)),
      /header gives the hash/,
    ],
    ['by leaving a field out', inBlock((answer) => delete answer['stateRoot']), /stateRoot/],
    [
      'about an amount',
      inReceipts((all) => void (logsOf(all[0])[0]!['data'] = `0x${'ff'.repeat(32)}`)),
      /receipts give the root/,
    ],
    [
      'about a topic',
      inReceipts((all) => void ((logsOf(all[0])[0]!['topics'] as Json[])[2] = `0x${'00'.repeat(32)}`)),
      /receipts give the root/,
    ],
    [
      'about the emitter',
      inReceipts((all) => void (logsOf(all[0])[0]!['address'] = receiver)),
      /receipts give the root/,
    ],
    ['by hiding a log', inReceipts((all) => void (all[0]!['logs'] = [])), /out of order|receipts give the root/],
    [
      'by hiding all logs',
      inReceipts((all) => all.map((receipt) => ({ ...receipt, logs: [] }))),
      /receipts give the root/,
    ],
    ['by hiding a receipt', inReceipts((all) => all.slice(1)), /transactions, but/],
    ['by hiding all receipts', inReceipts(() => []), /transactions, but/],
    ['by changing the order of receipts', inReceipts((all) => all.toReversed()), /is not of transaction/],
    [
      'that a failed transaction went well',
      inReceipts((all) => all.map((receipt) => ({ ...receipt, status: '0x1' }))),
      /receipts give the root/,
    ],
    [
      'about who paid',
      inBlock((answer) => ((answer['transactions'] as Record[])[1]!['from'] = `0x${'22'.repeat(20)}`)),
      /not what its signature covers/,
    ],
    [
      'about what was paid',
      inBlock((answer) => ((answer['transactions'] as Record[])[1]!['value'] = '0xffff')),
      /not what its signature covers/,
    ],
    ['about both sides of a payment', inValueEverywhere(), /not what its signature covers/],
    ['with nonsense', (method, result) => (method === 'eth_getBlockReceipts' ? 'hello' : result), /./],
  ])('%s is caught', async (_, lie, words) => {
    const node = await startLyingNode(anvil.url, lie);
    const lied = createPublicClient({ transport: http(node.url, { retryCount: 0 }), cacheTime: 0 });
    const reading = readVerifiedBlock(lied, block, watch());
    await expect(reading).rejects.toThrow(InconsistentBlockError);
    await expect(reading).rejects.toThrow(words);
    await node.stop();
  });
});

/** The value of payments, changed wherever it is told. */
function inValueEverywhere(): Lie {
  return (method, result) => {
    if (method === 'eth_getBlockByNumber') ((result as Record)['transactions'] as Record[])[1]!['value'] = '0xffff';
    if (method === 'eth_getTransactionByHash') (result as Record)['value'] = '0xffff';
    return result;
  };
}
