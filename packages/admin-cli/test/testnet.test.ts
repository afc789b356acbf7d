import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decryptKey } from '@causeway/chain/keystore';
import { startAnvil, type Anvil } from '@causeway/test-kit';
import { createTestClient, erc20Abi, http, parseEther, type Address } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { makeAddress } from './fixtures.js';

// The first steps of a testnet: accounts, a configuration with their addresses, and tokens.

const CLI = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'causeway-testnet-'));
const FOLDERS = ['--keystores', 'keystores', '--passwords', 'passwords'];
let sepolia: Anvil;
let mainnet: Anvil;
let accounts: Map<string, Address>;

beforeAll(async () => {
  [sepolia, mainnet] = await Promise.all([startAnvil({ chainId: 11_155_111 }), startAnvil({ chainId: 1 })]);
  const printed = await run('new-accounts', 'deployer', 'faucet', 'relayer', 'policy-manager', ...FOLDERS);
  accounts = new Map(
    printed
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, Address]),
  );
  for (const { url } of [sepolia, mainnet]) {
    const cheat = createTestClient({ mode: 'anvil', transport: http(url) });
    await cheat.setBalance({ address: accounts.get('deployer')!, value: parseEther('10') });
  }
});
afterAll(async () => {
  await Promise.all([sepolia?.stop(), mainnet?.stop()]);
  rmSync(folder, { recursive: true });
});

async function run(...words: string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [CLI, ...words], { cwd: folder, env: {} })).stdout;
}

const read = (name: string) => readFileSync(join(folder, name), 'utf8');

const deployTokens = async (url: string, holder: Address, ...more: string[]) => {
  const key = ['--keystore', 'keystores/deployer.json', '--password-file', 'passwords/deployer'];
  return run('deploy-test-tokens', '--holder', holder, '--ethereum-rpc', url, ...key, ...more);
};

describe('new-accounts', () => {
  it('writes keys and passwords that only the user can read', async () => {
    for (const [name, address] of accounts) {
      const files = [`keystores/${name}.json`, `passwords/${name}`];
      expect(files.map((file) => statSync(join(folder, file)).mode & 0o777)).toEqual([0o600, 0o600]);
      const key = await decryptKey(read(files[0]!), read(files[1]!).trim());
      expect(privateKeyToAddress(key)).toBe(address);
    }
    expect(new Set(accounts.values()).size).toBe(4);
  });

  it('replaces no account, and creates none when one of them exists', async () => {
    const before = read('keystores/relayer.json');
    await expect(run('new-accounts', 'standby', 'relayer', ...FOLDERS)).rejects.toThrow(/relayer\.json already exists/);
    expect(read('keystores/relayer.json')).toBe(before);
    expect(() => read('keystores/standby.json')).toThrow('ENOENT');
  });

  it.each([
    ['a path', ['../relayer'], /must be a name of lower-case letters/],
    ['a name twice', ['standby', 'standby'], /given twice/],
  ])('refuses %s', async (_, names, problem) => {
    await expect(run('new-accounts', ...names, ...FOLDERS)).rejects.toThrow(problem);
  });
});

describe('example --keystores', () => {
  it('fills in the accounts that have a keystore, and leaves the others', async () => {
    const filled = JSON.parse(await run('example', 'testnet', '--keystores', 'keystores')) as Record<string, unknown>;
    const manager = accounts.get('policy-manager');
    expect(filled).toMatchObject({
      relayer: accounts.get('relayer'),
      policyManager: { ethereum: manager, partner: manager },
      standby: '<STANDBY_ADDRESS>',
      tokens: { USDC: '<USDC_ON_ETHEREUM>' },
    });
  });
});

describe('deploy-test-tokens', () => {
  it('gives the whole supply to the holder, lets no account mint, and fills in the configuration', async () => {
    const holder = accounts.get('faucet')!;
    writeFileSync(join(folder, 'testnet.json'), await run('example', 'testnet'));
    const printed = await deployTokens(sepolia.url, holder, '--config', 'testnet.json');
    const { tokens, relayer } = JSON.parse(read('testnet.json')) as {
      tokens: Record<string, Address>;
      relayer: string;
    };
    expect(printed).toMatch(new RegExp(`\n"tokens": { "USDC": "${tokens['USDC']}", "XCN": "${tokens['XCN']}" }\n$`));
    expect(relayer).toBe('<RELAYER_ADDRESS>');
    for (const [symbol, decimals, supply] of [
      ['USDC', 6, 10n ** 15n],
      ['XCN', 18, 10n ** 28n],
    ] as const) {
      const token = { address: tokens[symbol]!, abi: erc20Abi } as const;
      const { client } = sepolia;
      expect(await client.readContract({ ...token, functionName: 'symbol' })).toBe(symbol);
      expect(await client.readContract({ ...token, functionName: 'decimals' })).toBe(decimals);
      expect(await client.readContract({ ...token, functionName: 'totalSupply' })).toBe(supply);
      expect(await client.readContract({ ...token, functionName: 'balanceOf', args: [holder] })).toBe(supply);
      const mint = { inputs: [{ type: 'address' }, { type: 'uint256' }], name: 'mint', type: 'function' } as const;
      const call = { ...token, abi: [{ ...mint, outputs: [], stateMutability: 'nonpayable' }] } as const;
      const args = [holder, 1n] as const;
      await expect(client.simulateContract({ ...call, functionName: 'mint', args, account: holder })).rejects.toThrow(
        /reverted/,
      );
    }
    const again = await deployTokens(sepolia.url, holder);
    expect(again).toContain(`TestnetUSDC is already at ${tokens['USDC']}`);
    await expect(deployTokens(sepolia.url, makeAddress(1))).rejects.toThrow(/TestnetUSDC at .* other arguments/);
  });

  it('is refused on mainnet, and for the configuration of another environment', async () => {
    const holder = accounts.get('faucet')!;
    await expect(deployTokens(mainnet.url, holder)).rejects.toThrow(
      /can only be deployed on chain 11155111, but the node serves chain 1\n/,
    );
    expect(await mainnet.client.getTransactionCount({ address: accounts.get('deployer')! })).toBe(0);
    writeFileSync(join(folder, 'mainnet.json'), await run('example', 'mainnet'));
    const refused = deployTokens(sepolia.url, holder, '--config', 'mainnet.json');
    await expect(refused).rejects.toThrow(/mainnet\.json is not a testnet configuration/);
  });
});
