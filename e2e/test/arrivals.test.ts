import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAmount, tokenOfAsset, type Side } from '@causeway/protocol';
import { waitUntil } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import { Pool } from 'pg';
import { erc20Abi, type Hex } from 'viem';
import { temporaryEnvironment, type TestEnvironment } from './temporary-environment.js';

// What people send to the relayer wallet by mistake, on both real chains.

let environment: TestEnvironment;
let bob: User;
let sql: Pool;

beforeAll(async () => {
  environment = await temporaryEnvironment();
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
  const hash = await environment[side].walletOf(accounts.bob).writeContract({
    address: tokenOfAsset(book, side, asset),
    abi: erc20Abi,
    functionName: 'transfer',
    args: [book.relayer, amount],
  });
  await environment[side].client.waitForTransactionReceipt({ hash });
  return hash;
}

describe('a token that somebody sends to the wallet', () => {
  it('on the partner chain is recorded beside a burn, which is not', async () => {
    const { accounts, book } = environment;
    const amount = parseAmount('USDC', '500');
    await bob.deposit('USDC', 3n * amount, accounts.bob.address);
    const token = { address: tokenOfAsset(book, 'partner', 'USDC'), abi: erc20Abi } as const;
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
