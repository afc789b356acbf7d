import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAmount, getToken, type Side } from '@causeway/protocol';
import { waitUntil } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import { Pool } from 'pg';
import { concatHex, erc20Abi, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { temporaryEnvironment, type TestEnvironment } from './temporary-environment.js';

// Payments sent to the relayer wallet by mistake, on both real chains. The API's rate limits apply here.

let environment: TestEnvironment;
let bob: User;
let sql: Pool;

beforeAll(async () => {
  environment = await temporaryEnvironment({ exemptClients: '::1' });
  bob = new User(environment, environment.accounts.bob);
  sql = new Pool({ connectionString: environment.stack.databaseUrl, max: 2 });
});
afterAll(async () => {
  await sql?.end();
  await environment?.stop();
});

async function arrivals(txHash: Hex) {
  const { rows } = await sql.query<{ chain_id: number; asset: string; payer: string; amount: string }>(
    'SELECT chain_id, asset, payer, amount FROM inbound_transfer WHERE tx_hash = $1',
    [txHash],
  );
  return rows;
}

/** Sends a token to the relayer wallet. */
async function sendToken(side: Side, asset: 'ETH' | 'USDC' | 'XCN', amount: bigint): Promise<Hex> {
  const { book, accounts } = environment;
  const hash = await environment[side].getWallet(accounts.bob).writeContract({
    address: getToken(book, side, asset),
    abi: erc20Abi,
    functionName: 'transfer',
    args: [book.relayer, amount],
  });
  await environment[side].client.waitForTransactionReceipt({ hash });
  return hash;
}

describe('a token that a stranger sends to the wallet', () => {
  it('on the partner chain is recorded, unlike a burn', async () => {
    const { accounts, book } = environment;
    const amount = parseAmount('USDC', '500');
    await bob.deposit('USDC', 3n * amount, accounts.bob.address);
    const token = { address: getToken(book, 'partner', 'USDC'), abi: erc20Abi } as const;
    const balance = () =>
      environment.partner.client.readContract({ ...token, functionName: 'balanceOf', args: [accounts.bob.address] });
    await waitUntil('the deposit has arrived', async () => (await balance()) === 3n * amount);
    const { originTxHash: burn } = await bob.burn('USDC', amount, accounts.bob.address, amount);
    const sent = await sendToken('partner', 'USDC', amount);
    await waitUntil('it is recorded', async () => (await arrivals(sent)).length === 1);
    expect(await arrivals(sent)).toEqual([
      { chain_id: book.partner.chainId, asset: 'USDC', payer: accounts.bob.address.toLowerCase(), amount: `${amount}` },
    ]);
    await waitUntil('the burn is read', async () => (await bob.status(burn)) !== null);
    expect(await arrivals(burn)).toEqual([]);
  });

  it.each(['USDC', 'XCN'] as const)('on Ethereum is recorded: %s', async (asset) => {
    const { book, accounts } = environment;
    const amount = parseAmount(asset, '7');
    const sent = await sendToken('ethereum', asset, amount);
    await waitUntil('it is recorded', async () => (await arrivals(sent)).length === 1);
    expect(await arrivals(sent)).toEqual([
      { chain_id: book.ethereum.chainId, asset, payer: accounts.bob.address.toLowerCase(), amount: `${amount}` },
    ]);
  });
});

describe('ETH that reaches the wallet on Ethereum', () => {
  it('by a plain transfer is recorded; otherwise it is a difference that an operator explains', async () => {
    const { book, accounts, ethereum } = environment;
    const wallet = ethereum.getWallet(accounts.bob);
    const value = parseAmount('ETH', '0.5');
    const sent = await wallet.sendTransaction({ to: book.relayer, value });
    await waitUntil('it is recorded', async () => (await arrivals(sent)).length === 1);
    expect(await arrivals(sent)).toEqual([
      { chain_id: book.ethereum.chainId, asset: 'ETH', payer: accounts.bob.address.toLowerCase(), amount: `${value}` },
    ]);
    // A contract that self-destructs in its deployment: PUSH20 relayer, SELFDESTRUCT.
    const hash = await wallet.sendTransaction({ data: concatHex(['0x73', book.relayer, '0xff']), value });
    const { blockNumber } = await ethereum.client.waitForTransactionReceipt({ hash });
    const unmatched = async () => (await environment.relayerCommand('unmatched')).output;
    await waitUntil('it is found', async () => (await unmatched()).includes(`${blockNumber}: ${value} more`));
    const explained = await environment.relayerCommand('explain', '--chain', 'ethereum', `${blockNumber}`, 'a test');
    expect(explained).toMatchObject({ code: 0 });
    expect(await unmatched()).not.toContain(`${blockNumber}: ${value} more`);
  });
});

describe('a former relayer wallet', () => {
  it('is still watched on both chains, but its receipts pay no intent', async () => {
    const former = privateKeyToAddress(generatePrivateKey());
    await environment.restartRelayer({ FORMER_WALLETS: former });
    const amount = parseAmount('XCN', '6000');
    const { accounts } = environment;
    const { intentId } = await bob.registerIntent(amount, accounts.bob.address, 'to a former wallet');
    const value = { partner: amount, ethereum: parseAmount('ETH', '0.25') };
    for (const side of ['partner', 'ethereum'] as const) {
      const sent = await environment[side].getWallet(accounts.bob).sendTransaction({ to: former, value: value[side] });
      await waitUntil('it is recorded', async () => (await arrivals(sent)).length === 1);
      expect(await arrivals(sent)).toMatchObject([{ amount: `${value[side]}` }]);
    }
    const { rows } = await sql.query('SELECT origin_tx_hash FROM operation WHERE id = $1', [intentId]);
    expect(rows).toEqual([{ origin_tx_hash: null }]);
    await environment.restoreRelayer();
  });
});

describe('dust', () => {
  it('is summed by payer', async () => {
    const { book, accounts, partner } = environment;
    const wallet = partner.getWallet(accounts.bob);
    const value = parseAmount('XCN', '0.001');
    for (let sent = 0; sent < 3; sent++) {
      const hash = await wallet.sendTransaction({ to: book.relayer, value });
      await partner.client.waitForTransactionReceipt({ hash });
    }
    const dust = async () => {
      const { rows } = await sql.query('SELECT sum(amount) AS amount, sum(transfers) AS transfers FROM dust');
      return rows[0] as Record<string, string | null>;
    };
    await waitUntil('it is summed', async () => (await dust())['transfers'] === '3');
    expect(await dust()).toEqual({ amount: `${3n * value}`, transfers: '3' });
    expect((await environment.relayerCommand('unmatched')).output).toContain('  0.003 XCN on chain');
  });
});

describe('a client at an address that is not exempt', () => {
  it("is limited by the API's default rates", async () => {
    const { apiUrl } = environment.stack;
    expect(new URL(apiUrl).hostname).toBe('127.0.0.1');
    const refused = await waitUntil('a request is refused', async () => {
      const burst = Array.from({ length: 60 }, async () => fetch(`${apiUrl}/bridge/status?depositId=0x12`));
      return (await Promise.all(burst)).find(({ status }) => status === 429);
    });
    expect(refused.headers.get('ratelimit-policy')).toBe('40;w=2, 600;w=60');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
