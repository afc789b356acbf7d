import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RpcRefusal, SmartAccounts, startAnvil, type Anvil } from '@causeway/test-kit';
import { concatHex, encodeErrorResult, getContractAddress, padHex, parseAbi, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { checkAccountSignature, connectChain, type ChainConnection } from '../src/index.js';
import { withLyingNode, type Lie } from './lying-node.js';

// Real contracts on a real node, through the services' connection.

const DIGEST: Hex = `0x${'1d'.repeat(32)}`;
const OFFCHAIN_LOOKUP = parseAbi(['error OffchainLookup(address, string[], bytes, bytes4, bytes)']);
const newKey = () => privateKeyToAccount(generatePrivateKey());

let anvil: Anvil;
let connection: ChainConnection;
let accounts: SmartAccounts;
let server: Server;
let fetched = 0;

beforeAll(async () => {
  anvil = await startAnvil();
  connection = connectChain({ name: 'partner', chainId: 31_337, urls: [anvil.url], quorum: 1, confirmations: 3 });
  accounts = new SmartAccounts(anvil.client, anvil.wallet);
  server = createServer((_, response) => {
    fetched += 1;
    response.end(JSON.stringify({ data: padHex('0x1626ba7e', { dir: 'right', size: 32 }) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  connection?.close();
  server?.closeAllConnections();
  server?.close();
  await anvil?.stop();
});

const check = (account: Hex, signature: Hex) =>
  checkAccountSignature(connection, { account, digest: DIGEST, signature });
const VALID = { kind: 'valid' };
const refused = (reason: string) => ({ kind: 'refused', isDelegated: false, reason: expect.stringContaining(reason) });
const sign = (key: ReturnType<typeof newKey>) => key.sign({ hash: DIGEST });

describe('a contract', () => {
  it('of two owners accepts only both signatures in order', async () => {
    const [first, second] = [newKey(), newKey()];
    const account = await accounts.deploy('MultiSigAccount', [first.address, second.address]);
    const [a, b] = await Promise.all([sign(first), sign(second)]);
    expect(await check(account, concatHex([a, b]))).toEqual(VALID);
    expect(await check(account, concatHex([b, a]))).toEqual(refused('returns 0xffffffff'));
    expect(await check(account, a)).toEqual(refused('reverts'));
  });

  it('of one owner is refused before its deployment', async () => {
    const account = await accounts.ownedBy(newKey());
    const signature = await sign(account.owner as ReturnType<typeof newKey>);
    expect(await check(account.address, signature)).toEqual({ kind: 'no-code', isDeployable: true });
    await anvil.wallet.sendTransaction({ to: account.factory, data: account.factoryData });
    await anvil.test.mine({ blocks: 1 });
    expect(await check(account.address, signature)).toEqual(VALID);
    expect(await check(account.address, await sign(newKey()))).toEqual(refused('returns 0xffffffff'));
  });

  it.each<[string, Parameters<SmartAccounts['deploy']>, string]>([
    ['reverts without a reason', ['RevertingAccount', ['0x']], 'reverts'],
    ['loops forever', ['LoopingAccount'], 'reverts or runs out of gas'],
    ['answers a megabyte', ['BombingAccount'], 'returns 1000000 bytes'],
    ['answers short', ['AnsweringAccount', ['0x1626ba7e']], 'returns 4 bytes'],
    ['answers nothing', ['AnsweringAccount', ['0x']], 'returns 0 bytes'],
    ['supports only the draft of ERC-1271', ['LegacyAccount'], 'reverts'],
    ['answers as in the draft', ['AnsweringAccount', [padHex('0x20c13b0b', { dir: 'right' })]], 'draft of ERC-1271'],
  ])('that %s is refused', async (_, [name, args], reason) => {
    const account = await accounts.deploy(name, args);
    expect(await check(account, '0x51637e')).toEqual(refused(reason));
  });

  it('cannot make us fetch a URL by an off-chain lookup (ERC-3668)', async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/{sender}/{data}`;
    // The sender of the lookup must be the account, or viem ignores it.
    const nonce = await anvil.client.getTransactionCount({ address: anvil.wallet.account.address });
    const account = getContractAddress({ from: anvil.wallet.account.address, nonce: BigInt(nonce) });
    const data = encodeErrorResult({ abi: OFFCHAIN_LOOKUP, args: [account, [url], '0x', '0x1626ba7e', '0x'] });
    expect((await accounts.deploy('RevertingAccount', [data])).toLowerCase()).toBe(account.toLowerCase());
    expect(await check(account, '0x51637e')).toEqual(refused('reverts'));
    await expect(connection.client.call({ to: account })).rejects.toThrow('reverted');
    expect(fetched).toBe(0);
  });
});

describe('several nodes', () => {
  const ACCEPTED = padHex('0x1626ba7e', { dir: 'right' });
  /** Three connections to the node, one of which lies about calls. */
  const withLiar = (call: Lie, test: (three: ChainConnection) => Promise<void>) =>
    withLyingNode(
      anvil.url,
      (method, result, params) => (method === 'eth_call' ? call(method, result, params) : result),
      (liar) =>
        withLyingNode(
          anvil.url,
          (_, result) => result,
          async (twin) => {
            const urls = [liar, anvil.url, twin];
            const three = connectChain({ name: 'partner', chainId: 31_337, urls, quorum: 2, confirmations: 3 });
            await test(three).finally(() => three.close());
          },
        ),
    );

  it.each<[string, Lie, RegExp]>([
    ['accepts everything', () => ACCEPTED, /reverts/],
    // Nodes agree on the verdict; its text may come from the liar.
    ['refuses everything', () => '0x', /reverts|returns 0 bytes/],
    [
      'fails',
      () => {
        throw new RpcRefusal(-32_000, 'execution aborted (timeout = 5s)');
      },
      /reverts/,
    ],
  ])('of which one %s decide as the others say', async (_, lie, words) => {
    const [first, second] = [newKey(), newKey()];
    const account = await accounts.deploy('MultiSigAccount', [first.address, second.address]);
    const claim = { account, digest: DIGEST, signature: concatHex([await sign(first), await sign(second)]) };
    await withLiar(lie, async (three) => {
      expect(await checkAccountSignature(three, claim)).toEqual(VALID);
      const verdict = { kind: 'refused', isDelegated: false, reason: expect.stringMatching(words) };
      expect(await checkAccountSignature(three, { ...claim, signature: '0x' })).toEqual(verdict);
    });
  });
});

describe('an answer of megabytes', () => {
  it('does not fail concurrent requests', async () => {
    const account = await accounts.deploy('BombingAccount');
    const bombs = Array.from({ length: 8 }, () => check(account, '0x51637e'));
    const balances = Array.from({ length: 8 }, () => connection.client.getBalance({ address: account }));
    expect(await Promise.all(balances)).toEqual(balances.map(() => 0n));
    expect(await Promise.all(bombs)).toEqual(bombs.map(() => refused('returns 1000000 bytes')));
  });
});

describe('an account that delegates to a contract (EIP-7702)', () => {
  it('signs with its key or through the contract', async () => {
    const [authority, first, second] = [newKey(), newKey(), newKey()];
    const contract = await accounts.deploy('MultiSigAccount', [first.address, second.address]);
    await accounts.delegate(authority, contract);
    expect(await check(authority.address, await sign(authority))).toEqual(VALID);
    expect(await check(authority.address, concatHex(await Promise.all([sign(first), sign(second)])))).toEqual(VALID);
    expect(await check(authority.address, await sign(first))).toMatchObject({ kind: 'refused', isDelegated: true });
  });
});
