import { testUsdcAbi } from '@causeway/protocol/abi';
import { RpcRefusal, startAnvil, testAccount, type Anvil } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createPublicClient,
  http,
  parseEther,
  slice,
  zeroAddress,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { InconsistentBlockError, readVerifiedBlock, UnsupportedTransactionError, type Watch } from '../src/index.js';
import { deployTestToken } from './deploy-test-token.js';
import { withLyingNode, type Json, type Lie } from './lying-node.js';

const account = testAccount(0);
const receiver: Address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
type Record = { [key: string]: Json };

let anvil: Anvil;
let token: Address;
let client: PublicClient;
/** Rejects every payment. */
const refuser: Address = '0x00000000000000000000000000000000000000c2';
/** A block with two mints of the token, payments to the receiver of most types, one that fails, and noise. */
let block: bigint;
let payments: Hex[];
let refused: Hex;

beforeAll(async () => {
  anvil = await startAnvil({ manualMining: true });
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
    data: `0x${'ab'.repeat(32)}`,
    gas: 30_000n,
    type: 'eip2930',
    accessList: [],
  });
  const delegating = await anvil.wallet.sendTransaction({
    to: receiver,
    value: 4n,
    gas: 100_000n,
    type: 'eip7702',
    authorizationList: [await anvil.wallet.signAuthorization({ contractAddress: zeroAddress, chainId: 0, nonce: 900 })],
  });
  await anvil.test.setCode({ address: refuser, bytecode: '0x60006000fd' });
  refused = await anvil.wallet.sendTransaction({ to: refuser, value: 9n, gas: 100_000n });
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
  payments = [paid, legacy, listed, delegating];
});
afterAll(async () => anvil?.stop());

const watch = () => ({ contracts: [token], receivers: [receiver] });

/** Reads the block through a lying node. */
function through(lie: Lie, watched: Watch = watch()) {
  return withLyingNode(anvil.url, lie, (url) => {
    const lied = createPublicClient({ transport: http(url, { retryCount: 0 }), cacheTime: 0 });
    return readVerifiedBlock(lied, block, watched);
  });
}

const inBlock =
  (change: (answer: Record) => void): Lie =>
  (method, result) => {
    if (method === 'eth_getBlockByNumber') change(result as Record);
    return result;
  };
const inTransaction = (index: number, change: (transaction: Record) => void): Lie =>
  inBlock((answer) => change((answer['transactions'] as Record[])[index]!));
const inReceipts =
  (change: (receipts: Record[]) => Json | undefined): Lie =>
  (method, result) =>
    method === 'eth_getBlockReceipts' ? (change(result as Record[]) ?? result) : result;
const getLogs = (receipt: Record | undefined) => receipt?.['logs'] as Record[];
const other: Hex = `0x${'11'.repeat(32)}`;

describe('an honest node', () => {
  it('returns the logs of the watched contract and the successful payments to the watched receiver', async () => {
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
      [payments[3], 4n],
    ]);
    expect(read?.transfers.map(({ memo }) => memo)).toEqual([null, null, `0x${'ab'.repeat(32)}`, null]);
    const [first, second] = read?.transfers ?? [];
    expect(first?.from).toBe(account.address.toLowerCase());
    expect((second?.nonce ?? 0n) - (first?.nonce ?? 0n)).toBe(1n);
  });

  it('returns transfers of tokens to the receivers, and no others', async () => {
    const to = (...receivers: Address[]) =>
      readVerifiedBlock(client, block, { contracts: [], tokenTransfers: { tokens: [token], to: receivers } });
    const logs = (await readVerifiedBlock(client, block, { contracts: [token] }))!.logs;
    const minter = logs[0]!.topics[2]!;
    expect((await to(slice(minter, 12), zeroAddress))?.logs).toEqual(logs.filter(({ topics }) => topics[2] === minter));
    expect((await to(refuser))?.logs).toEqual([]);
  });

  it('does not count a payment that failed', async () => {
    const { status } = await client.getTransactionReceipt({ hash: refused });
    expect(status).toBe('reverted');
    const read = await readVerifiedBlock(client, block, { contracts: [], receivers: [refuser, receiver] });
    expect(read?.transfers.map(({ transactionHash }) => transactionHash)).toEqual(payments);
  });

  it('accepts addresses in any case, and an absent list of receivers', async () => {
    const shouting = token.toUpperCase().replace('0X', '0x') as Address;
    const read = await readVerifiedBlock(client, block, { contracts: [shouting] });
    expect(read).toMatchObject({ logs: { length: 2 }, transfers: [] });
  });

  it('returns lower case even when the node sends upper case', async () => {
    const shout = (text: string) => text.replaceAll(/"0x[0-9a-f]{40}"/g, (hex) => `"0x${hex.slice(3).toUpperCase()}`);
    const lie: Lie = (_, result) => JSON.parse(shout(JSON.stringify(result))) as Json;
    const [loud, quiet] = await Promise.all([through(lie), readVerifiedBlock(client, block, watch())]);
    expect(loud).toEqual(quiet);
  });

  it('is queried for single receipts if it does not support eth_getBlockReceipts', async () => {
    const asked: string[] = [];
    const lie: Lie = (method, result) => {
      asked.push(method);
      if (method === 'eth_getBlockReceipts') throw new RpcRefusal(-32601, 'Method not found');
      return result;
    };
    expect(await through(lie)).toEqual(await readVerifiedBlock(client, block, watch()));
    expect(asked).toContain('eth_getTransactionReceipt');
  });

  it('can omit the type of a receipt', async () => {
    const lie = inReceipts((all) => {
      for (const receipt of all) delete receipt['type'];
      return all;
    });
    expect(await through(lie)).toEqual(await readVerifiedBlock(client, block, watch()));
  });

  it('is not queried for receipts if the bloom and the transactions do not match', async () => {
    const asked: string[] = [];
    await through((method, result) => (asked.push(method), result), { contracts: [zeroAddress], receivers: [] });
    expect(asked).toEqual(['eth_getBlockByNumber']);
  });

  it('returns no logs of unwatched contracts', async () => {
    const read = await readVerifiedBlock(client, block, { contracts: [receiver], receivers: [] });
    expect(read).toMatchObject({ logs: [], transfers: [] });
  });

  it('returns null for a future block', async () => {
    expect(await readVerifiedBlock(client, block + 5n, watch())).toBeNull();
  });
});

describe('a node that lies', () => {
  it.each<[string, Lie, RegExp]>([
    ['about the time', inBlock((answer) => (answer['timestamp'] = '0x1')), /header gives the hash/],
    ['about the hash', inBlock((answer) => (answer['hash'] = other)), /header gives the hash/],
    ['about the parent', inBlock((answer) => (answer['parentHash'] = other)), /header gives the hash/],
    ['about the number', inBlock((answer) => (answer['number'] = '0x1')), /answered with block 0x1/],
    [
      'that nothing was logged',
      inBlock((answer) => (answer['logsBloom'] = `0x${'00'.repeat(256)}`)),
      /header gives the hash/,
    ],
    ['about a receipts root', inBlock((answer) => (answer['receiptsRoot'] = other)), /header gives the hash/],
    ['by leaving a field out', inBlock((answer) => delete answer['stateRoot']), /stateRoot/],
    [
      'about an amount',
      inReceipts((all) => void (getLogs(all[0])[0]!['data'] = `0x${'ff'.repeat(32)}`)),
      /receipts give the root/,
    ],
    [
      'about a topic',
      inReceipts((all) => void ((getLogs(all[0])[0]!['topics'] as Json[])[2] = `0x${'00'.repeat(32)}`)),
      /receipts give the root/,
    ],
    [
      'about the emitter',
      inReceipts((all) => void (getLogs(all[0])[0]!['address'] = receiver)),
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
      'that a failed transaction succeeded',
      inReceipts((all) => all.map((receipt) => ({ ...receipt, status: '0x1' }))),
      /receipts give the root/,
    ],
    [
      'about the payer',
      inTransaction(1, (paid) => (paid['from'] = `0x${'22'.repeat(20)}`)),
      /signed the transaction 0x[0-9a-f]+, not/,
    ],
    ['about the paid value', inTransaction(1, (paid) => (paid['value'] = '0xffff')), /transactions give the root/],
    ['about the nonce', inTransaction(1, (paid) => (paid['nonce'] = '0x77')), /transactions give the root/],
    ['about the type', inTransaction(1, (paid) => (paid['type'] = '0x0')), /transactions give the root/],
    ['by leaving a fee out', inTransaction(1, (paid) => delete paid['maxFeePerGas']), /transactions give the root/],
    ['that a payment paid nothing', inTransaction(1, (paid) => (paid['value'] = '0x0')), /transactions give the root/],
    [
      'that another account was paid',
      inTransaction(1, (paid) => (paid['to'] = zeroAddress)),
      /transactions give the root/,
    ],
    [
      'by hiding a payment',
      inBlock((answer) => (answer['transactions'] as Json[]).splice(1, 1)),
      /transactions give the root/,
    ],
    ['by hiding all transactions', inBlock((answer) => (answer['transactions'] = [])), /transactions give the root/],
    ['about the hash of a payment', hashEverywhere(1), /a transaction has the hash/],
    ['about the hash of a transaction that logged', hashEverywhere(0), /a transaction has the hash/],
    [
      'about the block of a log',
      inReceipts((all) => void (getLogs(all[0])[0]!['blockHash'] = other)),
      /of another transaction or block/,
    ],
    [
      'about the place of a receipt',
      inReceipts((all) => void (all[0]!['transactionIndex'] = '0x5')),
      /is not of transaction/,
    ],
    ['with a malformed number', inReceipts((all) => void (all[0]!['status'] = '0x')), /must be a number in hex/],
    [
      'one by one',
      (method, result) => {
        if (method === 'eth_getBlockReceipts') throw new RpcRefusal(-32601, 'Method not found');
        return method === 'eth_getTransactionReceipt' ? { ...(result as Record), logs: [] } : result;
      },
      /receipts give the root/,
    ],
    [
      'that there is no receipt',
      (method, result) => {
        if (method === 'eth_getBlockReceipts') throw new RpcRefusal(-32601, 'Method not found');
        return method === 'eth_getTransactionReceipt' ? null : result;
      },
      /expected object/,
    ],
    ['with nonsense', (method, result) => (method === 'eth_getBlockReceipts' ? 'hello' : result), /./],
  ])('%s is caught', async (_, lie, words) => {
    const failure: unknown = await through(lie).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InconsistentBlockError);
    expect((failure as Error).message).toMatch(words);
  });

  it('cannot hide a payment in a block without logs of a watched contract', async () => {
    const lie = inTransaction(1, (paid) => (paid['to'] = zeroAddress));
    await expect(through(lie, { contracts: [], receivers: [receiver] })).rejects.toThrow(InconsistentBlockError);
  });

  it('cannot present a failed payment as a successful one', async () => {
    const lie = inReceipts((all) => all.map((receipt) => ({ ...receipt, status: '0x1' })));
    await expect(through(lie, { contracts: [], receivers: [refuser] })).rejects.toThrow(/receipts give the root/);
  });

  it('is distinguished from a transaction of an unknown type', async () => {
    const lie = inTransaction(1, (paid) => (paid['type'] = '0x7e'));
    await expect(through(lie)).rejects.toThrow(UnsupportedTransactionError);
  });
});

/** The hash of a transaction, changed wherever the node sends it. */
function hashEverywhere(index: number): Lie {
  return (method, result) => {
    if (method === 'eth_getBlockByNumber') ((result as Record)['transactions'] as Record[])[index]!['hash'] = other;
    if (method === 'eth_getBlockReceipts') {
      const receipt = (result as Record[])[index]!;
      receipt['transactionHash'] = other;
      for (const log of getLogs(receipt)) log['transactionHash'] = other;
    }
    return result;
  };
}
