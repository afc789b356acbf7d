import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PREDEPLOYS } from '@causeway/partner-chain';
import { parseAmount } from '@causeway/protocol';
import { testUsdcAbi } from '@causeway/protocol/abi';
import { testUsdcBytecode, testXcnBytecode } from '@causeway/contracts/bytecode';
import {
  anAddressBook,
  encryptKeystore,
  ETHEREUM,
  makeWrongSecrets,
  PARTNER,
  startAnvil,
  startGateway,
  startRpcProxy,
  testAccount,
  testKey,
  type Anvil,
  type GatewayProcess,
} from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPublicClient, http, isHash, zeroAddress, type Address, type Hex, type PublicClient } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';

// The faucet as a program, with a development node of Ethereum and the partner chain in its gateway.

const MAIN = fileURLToPath(new URL('../dist/cli/faucet.js', import.meta.url));
const FAUCET = testAccount(11);
const ASSETS = {
  'ethereum ETH': { text: '0.25/10', amount: parseAmount('ETH', '0.25') },
  'ethereum USDC': { text: '10/1000', amount: parseAmount('USDC', '10') },
  'ethereum XCN': { text: '20000/1000000', amount: parseAmount('XCN', '20000') },
  'partner XCN': { text: '30.5/1000', amount: parseAmount('XCN', '30.5') },
} as const;
/** The wallet's funds: three drips. */
const HELD_XCN = 3n * ASSETS['ethereum XCN'].amount;
const FAUCET_ASSETS = Object.entries(ASSETS).map(([name, { text }]) => `${name.replace(' ', ':')}=${text}`);

const folder = mkdtempSync(join(tmpdir(), 'causeway-faucet-'));
let anvil: Anvil;
let gateway: GatewayProcess;
let partner: PublicClient;
let tokens: { USDC: Address; XCN: Address };
const faucets: ChildProcess[] = [];
let url: string;
let clients = 0;

beforeAll(async () => {
  const genesis = join(folder, 'genesis.json');
  const alloc = { ...PREDEPLOYS, [FAUCET.address]: { balance: parseAmount('XCN', '1000').toString() } };
  writeFileSync(genesis, JSON.stringify({ alloc }));
  const settings = { GENESIS: genesis, DATA_DIRECTORY: join(folder, 'partner'), BLOCK_INTERVAL_MS: '500' };
  [anvil, gateway] = await Promise.all([
    startAnvil({ chainId: ETHEREUM, args: ['--block-time', '1'] }),
    startGateway({ CHAIN_ID: `${PARTNER}`, ...settings }),
  ]);
  partner = createPublicClient({ transport: http(gateway.httpUrl), cacheTime: 0 });
  tokens = { USDC: await deployToken(testUsdcBytecode), XCN: await deployToken(testXcnBytecode) };
  await mint(tokens.USDC, parseAmount('USDC', '1000'));
  await mint(tokens.XCN, HELD_XCN);
  url = await startFaucet();
});

afterAll(async () => {
  for (const faucet of faucets) faucet.kill('SIGTERM');
  await Promise.all(faucets.map(async (faucet) => faucet.exitCode ?? once(faucet, 'exit')));
  await Promise.all([anvil?.stop(), gateway?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

async function deployToken(bytecode: Hex): Promise<Address> {
  const hash = await anvil.wallet.deployContract({ abi: testUsdcAbi, bytecode });
  return (await anvil.client.waitForTransactionReceipt({ hash })).contractAddress!;
}

async function mint(address: Address, amount: bigint): Promise<void> {
  const args = [FAUCET.address, amount] as const;
  const hash = await anvil.wallet.writeContract({ address, abi: testUsdcAbi, functionName: 'mint', args });
  await anvil.client.waitForTransactionReceipt({ hash });
}

function forkFaucet(changes: Readonly<Record<string, string>> = {}, environment = 'local'): ChildProcess {
  const [book, key] = [join(folder, `${environment}.json`), join(folder, 'key')];
  const { ethereum, ...rest } = anAddressBook();
  writeFileSync(book, JSON.stringify({ ...rest, environment, ethereum: { ...ethereum, tokens } }));
  writeFileSync(key, `${testKey(11)}\n`, { mode: 0o600 });
  const env = {
    PORT: '0',
    ETHEREUM_RPC_URL: anvil.url,
    PARTNER_RPC_URL: gateway.httpUrl,
    ADDRESS_BOOK: book,
    FAUCET_KEY_FILE: key,
    FAUCET_ASSETS: FAUCET_ASSETS.join(','),
    TRUSTED_PROXY_HOPS: '1',
    DRIPS_PER_CLIENT: '2',
    LOG_LEVEL: 'error',
    ...changes,
  };
  const faucet = fork(MAIN, [], { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  faucets.push(faucet);
  return faucet;
}

async function startFaucet(changes: Readonly<Record<string, string>> = {}, environment = 'local'): Promise<string> {
  const [message] = (await once(forkFaucet(changes, environment), 'message')) as [string];
  return message;
}

const freshAddress = () => privateKeyToAddress(generatePrivateKey());
const freshClient = () => `192.0.2.${(clients += 1)}`;

async function drip(body: object | string, client = freshClient(), faucet = url) {
  const response = await fetch(`${faucet}/drip`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': client },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer = (await response.json()) as { transactionHash: Hex; amount: string; error: string; message: string };
  return { status: response.status, retryAfter: Number(response.headers.get('retry-after')), ...answer };
}

async function readBalance(name: string, address: Address): Promise<bigint> {
  const [chain, asset] = name.split(' ');
  if (chain === 'partner') return partner.getBalance({ address });
  if (asset === 'ETH') return anvil.client.getBalance({ address });
  const token = asset === 'USDC' ? tokens.USDC : tokens.XCN;
  return anvil.client.readContract({ address: token, abi: testUsdcAbi, functionName: 'balanceOf', args: [address] });
}

describe('the faucet', () => {
  it('lists assets, amounts and limits', async () => {
    const response = await fetch(url);
    expect(await response.json()).toMatchObject({
      wallet: FAUCET.address,
      chains: {
        ethereum: {
          chainId: ETHEREUM,
          assets: [{ asset: 'ETH', token: null }, { token: tokens.USDC, decimals: 6 }, {}],
        },
        partner: { chainId: PARTNER, assets: [{ asset: 'XCN', token: null, amount: '30500000000000000000' }] },
      },
      limits: { windowSeconds: 86_400, dripsPerAssetAndAddress: 1, dripsPerClient: 2 },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  it.each(Object.entries(ASSETS))('pays %s to a new address, once', async (name, { amount }) => {
    const [chain, asset] = name.split(' ');
    const address = freshAddress();
    const answer = await drip({ chain, asset, address });
    expect(answer).toMatchObject({ status: 200, amount: `${amount}` });
    expect(isHash(answer.transactionHash)).toBe(true);
    expect(await readBalance(name, address)).toBe(amount);
    const again = await drip({ chain, asset, address: address.toLowerCase() });
    expect(again).toMatchObject({ status: 429, error: 'LIMIT_REACHED' });
    expect(again.retryAfter).toBeGreaterThan(86_000);
    expect(await readBalance(name, address)).toBe(amount);
  });

  it('pays simultaneous requests once each', async () => {
    const names = ['ethereum ETH', 'ethereum USDC', 'partner XCN'] as const;
    const wanted = names.flatMap((name) => Array.from({ length: 5 }, () => ({ name, address: freshAddress() })));
    const answers = await Promise.all(
      wanted.map(({ name, address }) => {
        const [chain, asset] = name.split(' ');
        return drip({ chain, asset, address });
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(wanted.map(() => 200));
    for (const { name, address } of wanted) expect(await readBalance(name, address)).toBe(ASSETS[name].amount);
    const address = freshAddress();
    const same = await Promise.all([1, 2, 3].map(() => drip({ chain: 'ethereum', asset: 'ETH', address })));
    expect(same.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 429, 429]);
  });

  it('pays a client twice in the window', async () => {
    const client = freshClient();
    const ask = () => drip({ chain: 'partner', asset: 'XCN', address: freshAddress() }, client);
    expect(await Promise.all([ask(), ask()])).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(await ask()).toMatchObject({
      status: 429,
      message: expect.stringContaining('a client is 2 drips in 86400 s'),
    });
  });

  it('pays at most the daily total to all clients', async () => {
    const settings = { FAUCET_ASSETS: 'ethereum:USDC=10/25', LIMIT_WINDOW_SECONDS: '1' };
    const other = await startFaucet(settings);
    const ask = () => drip({ chain: 'ethereum', asset: 'USDC', address: freshAddress() }, freshClient(), other);
    expect([await ask(), await ask()]).toMatchObject([{ status: 200 }, { status: 200 }]);
    const refused = await ask();
    expect(refused).toMatchObject({
      status: 429,
      message: expect.stringContaining('all requests for USDC on ethereum'),
    });
    expect(refused.retryAfter).toBeGreaterThan(86_000);
  });

  it('reports that it is empty, and does not count the request', async () => {
    const asset = { chain: 'ethereum', asset: 'XCN' };
    while ((await readBalance('ethereum XCN', FAUCET.address)) > 0n) await drip({ ...asset, address: freshAddress() });
    const address = freshAddress();
    expect(await drip({ ...asset, address })).toMatchObject({ status: 503, error: 'FAUCET_EMPTY', retryAfter: 3_600 });
    await mint(tokens.XCN, HELD_XCN);
    expect(await drip({ ...asset, address })).toMatchObject({ status: 200 });
  });

  it('does not count a transfer that the token reverts', async () => {
    const address = freshAddress();
    const setBlocklisted = async (isBlocked: boolean) => {
      const args = [address, isBlocked] as const;
      const call = { address: tokens.USDC, abi: testUsdcAbi, functionName: 'setBlocklisted', args } as const;
      await anvil.client.waitForTransactionReceipt({ hash: await anvil.wallet.writeContract(call) });
    };
    const asset = { chain: 'ethereum', asset: 'USDC', address };
    await setBlocklisted(true);
    expect(await drip(asset)).toMatchObject({ status: 422, error: 'TRANSFER_REFUSED' });
    await setBlocklisted(false);
    expect(await drip(asset)).toMatchObject({ status: 200 });
  });

  it('counts a transfer that burns its gas and reverts, and sends none above the gas limit', async () => {
    const body = { chain: 'ethereum', asset: 'ETH', address: freshAddress() };
    const setCode = (code: Hex) =>
      anvil.client.request({ method: 'anvil_setCode', params: [body.address, code] } as never);
    // Takes 3.4 million gas.
    await setCode('0x6201ffff5b600190038060045700');
    expect(await drip(body)).toMatchObject({ status: 422, error: 'TRANSFER_REFUSED' });
    await setCode('0x00');
    const beforeNode = async (methods: readonly string[]) => {
      // INVALID, only after the estimate.
      if (methods.includes('eth_sendRawTransaction')) await setCode('0xfe');
      return true;
    };
    const proxy = await startRpcProxy(anvil.url, { beforeNode });
    const other = await startFaucet({ ETHEREUM_RPC_URL: proxy.url });
    const ask = () => drip(body, freshClient(), other);
    expect(await ask()).toMatchObject({ status: 502, error: 'TRANSACTION_FAILED' });
    expect(await ask()).toMatchObject({ status: 429 });
    await proxy.close();
  });

  it.each(['ethereum ETH', 'partner XCN'] as const)("pays %s once when the node's answer is lost", async (name) => {
    const [chain, asset] = name.split(' ');
    let lost = 0;
    const afterNode = async (methods: readonly string[]) =>
      !methods.includes('eth_sendRawTransaction') || (lost += 1) > 1;
    const proxy = await startRpcProxy(chain === 'ethereum' ? anvil.url : gateway.httpUrl, { afterNode });
    const other = await startFaucet({ [`${chain?.toUpperCase()}_RPC_URL`]: proxy.url });
    const addresses = [freshAddress(), freshAddress()];
    const answers = addresses.map(async (address) => drip({ chain, asset, address }, freshClient(), other));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
    for (const address of addresses) expect(await readBalance(name, address)).toBe(ASSETS[name].amount);
    expect(lost).toBeGreaterThan(1);
    await proxy.close();
  });

  it('does not count a request while the node is unavailable', async () => {
    let isAway = true;
    const beforeNode = async (methods: readonly string[]) => !isAway || !methods.includes('eth_sendRawTransaction');
    const proxy = await startRpcProxy(anvil.url, { beforeNode });
    const other = await startFaucet({ ETHEREUM_RPC_URL: proxy.url });
    const body = { chain: 'ethereum', asset: 'ETH', address: freshAddress() };
    const refused = { status: 503, error: 'CHAIN_UNAVAILABLE', retryAfter: 30 };
    expect(await drip(body, freshClient(), other)).toMatchObject(refused);
    isAway = false;
    expect(await drip(body, freshClient(), other)).toMatchObject({ status: 200 });
    await proxy.close();
  });

  it('pays on a testnet only with an encrypted key', async () => {
    const [keystore, password] = [join(folder, 'keystore.json'), join(folder, 'password')];
    writeFileSync(keystore, encryptKeystore(testKey(11), 'correct horse', 'scrypt'), { mode: 0o600 });
    writeFileSync(password, 'correct horse\n', { mode: 0o600 });
    const encrypted = { FAUCET_KEY_FILE: '', FAUCET_KEYSTORE: keystore, FAUCET_KEYSTORE_PASSWORD_FILE: password };
    const testnet = await startFaucet(encrypted, 'testnet');
    const body = { chain: 'ethereum', asset: 'ETH', address: freshAddress() };
    expect(await drip(body, freshClient(), testnet)).toMatchObject({ status: 200 });
    const refused = forkFaucet({}, 'testnet');
    let printed = '';
    refused.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    expect(await once(refused, 'close')).toEqual([78, null]);
    expect(printed).toContain('FAUCET_KEY must not be set for testnet: use FAUCET_KEYSTORE');
  });

  it('pays a contract', async () => {
    expect(await drip({ chain: 'ethereum', asset: 'USDC', address: tokens.XCN })).toMatchObject({ status: 200 });
  });

  it('answers 202 when the transaction is not mined in time', async () => {
    const other = await startFaucet({ TRANSACTION_TIMEOUT_MS: '1' });
    const address = freshAddress();
    const answer = await drip({ chain: 'ethereum', asset: 'ETH', address }, freshClient(), other);
    expect(answer).toMatchObject({ status: 202, transactionHash: expect.stringMatching(/^0x/) });
    const { status } = await anvil.client.waitForTransactionReceipt({ hash: answer.transactionHash });
    expect(status).toBe('success');
  });

  it.each([
    ['a chain that does not exist', { chain: 'x', asset: 'ETH', address: zeroAddress }, 'INVALID_REQUEST'],
    ['no address', { chain: 'ethereum', asset: 'ETH' }, 'INVALID_REQUEST'],
    ['another field', { chain: 'ethereum', asset: 'ETH', address: zeroAddress, amount: '9' }, 'INVALID_REQUEST'],
    ['no JSON', '{', 'INVALID_REQUEST'],
    ['an asset of the other chain', { chain: 'partner', asset: 'USDC', address: zeroAddress }, 'UNKNOWN_ASSET'],
    ['a short address', { chain: 'ethereum', asset: 'ETH', address: '0x1' }, 'INVALID_ADDRESS'],
    ['a wrong checksum', { chain: 'ethereum', asset: 'ETH', address: `0x${'aB'.repeat(20)}` }, 'INVALID_ADDRESS'],
    ['the zero address', { chain: 'ethereum', asset: 'ETH', address: zeroAddress }, 'ZERO_ADDRESS'],
  ])('refuses %s', async (_, body, error) => {
    expect(await drip(body)).toMatchObject({ status: 400, error, message: expect.any(String) });
  });
});

describe('the faucet does not start, and exits with 78,', () => {
  const refuse = async (changes: Readonly<Record<string, string>>): Promise<string> => {
    const faucet = forkFaucet(changes);
    let printed = '';
    faucet.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    expect(await once(faucet, 'close')).toEqual([78, null]);
    const [, ...lines] = printed.trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    return lines.join('\n');
  };

  it.each([
    ['with a key in another format', { FAUCET_KEY_FILE: MAIN }, `FAUCET_KEY_FILE names ${MAIN}, which `],
    ['without a key', { FAUCET_KEY_FILE: '' }, 'FAUCET_KEYSTORE is not set'],
    ['with two keys', { FAUCET_KEYSTORE: MAIN }, 'FAUCET_KEY and FAUCET_KEYSTORE must not both be set'],
    [
      'with a keystore and no password',
      { FAUCET_KEY_FILE: '', FAUCET_KEYSTORE: MAIN },
      'FAUCET_KEYSTORE_PASSWORD_FILE is not set',
    ],
    [
      'with a keystore in another format',
      { FAUCET_KEY_FILE: '', FAUCET_KEYSTORE: MAIN, FAUCET_KEYSTORE_PASSWORD_FILE: MAIN },
      'FAUCET_KEYSTORE cannot be used: ',
    ],
    ['with an unknown asset', { FAUCET_ASSETS: 'ethereum:DAI=1/2' }, 'the address book names ETH, USDC, XCN'],
    ['with too many decimals', { FAUCET_ASSETS: 'partner:XCN=1.000000001/2' }, 'more digits'],
    ['with less for a day than for a request', { FAUCET_ASSETS: 'ethereum:ETH=2/1' }, 'at most the daily total'],
  ])('%s', async (_, changes, problem) => {
    expect(await refuse(changes)).toContain(problem);
  });

  it.each(makeWrongSecrets(folder, testKey(11)))('with a key that is %s', async (_, path, reason) => {
    const line = await refuse({ FAUCET_KEY_FILE: path });
    expect(line).toContain(`FAUCET_KEY_FILE names ${path}, which ${reason}`);
    expect(line).not.toContain(testKey(11).slice(2));
  });

  it('with the address book of mainnet', async () => {
    const ADDRESS_BOOK = join(folder, 'mainnet.json');
    writeFileSync(ADDRESS_BOOK, JSON.stringify({ ...anAddressBook(), environment: 'mainnet' }));
    expect(await refuse({ ADDRESS_BOOK })).toContain('ADDRESS_BOOK must not be the one of mainnet');
  });

  it('with a node of another chain', async () => {
    const line = await refuse({ ETHEREUM_RPC_URL: gateway.httpUrl });
    expect(line).toContain(`names a node of chain ${PARTNER}; it must be a node of chain ${ETHEREUM}`);
  });
});
