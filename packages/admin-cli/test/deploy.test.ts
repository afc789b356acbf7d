import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RpcRefusal, startRpcProxy, testKey } from '@causeway/test-kit';
import { readAddressBook } from '@causeway/contracts/deploy';
import { encryptKeystoreJsonSync } from 'ethers';
import {
  deployer,
  guardian,
  LOCAL_CONFIG_FILE,
  makeAddress,
  makeTarget,
  rawLocalConfig,
  startChains,
  type TestChains,
} from './fixtures.js';

const CLI = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url));

const directory = mkdtempSync(join(tmpdir(), 'causeway-deploy-'));
let chains: TestChains;
let configFile: string;

beforeAll(async () => {
  chains = await startChains();
  configFile = join(directory, 'config.json');
  writeFileSync(configFile, JSON.stringify(rawLocalConfig()));
});

afterAll(async () => {
  rmSync(directory, { recursive: true });
  await chains?.stop();
});

/** The configuration that the command prints. */
async function example(environment: string): Promise<string> {
  return (await promisify(execFile)(process.execPath, [CLI, 'example', environment], { env: {} })).stdout;
}

/** The same with an address for each placeholder. */
async function fillIn(environment: string): Promise<string> {
  const text = await example(environment);
  const names = [...new Set(text.match(/<[A-Z_]+>/g))];
  return text.replaceAll(/<[A-Z_]+>/g, (name) => makeAddress(names.indexOf(name) + 1));
}

async function deploy(args: readonly string[], env: Record<string, string>): Promise<string> {
  const [ethereum, partner] = chains.anvils.map(({ url }) => url) as [string, string];
  const all = [CLI, 'deploy', '--ethereum-rpc', ethereum, '--partner-rpc', partner, ...args];
  return (await promisify(execFile)(process.execPath, all, { cwd: directory, env })).stdout;
}

describe('deploy', () => {
  it('deploys a reviewed configuration to an address book, and finds the same one again', async () => {
    const out = join(directory, 'local.json');
    const key = { DEPLOYER_PRIVATE_KEY: testKey(0) };
    expect(await deploy(['local', '--config', configFile, '--out', out], key)).toContain('verifying the deployment');
    const book = readAddressBook(out);
    const { client } = makeTarget(chains.anvils[1]);
    expect(await client.getCode({ address: book.partner.bridgeMint })).toBeDefined();
    expect(await deploy(['local', '--config', configFile, '--out', out], key)).toContain('already');
    expect(readAddressBook(out)).toEqual(book);
  });

  it('repeats a slow read, and tells to repeat the command after a failure', async () => {
    let slow = 1;
    const changeResult = (method: string, result: unknown) => {
      if (method === 'eth_getCode' && slow-- > 0) throw new RpcRefusal(-32_602, 'execution aborted (timeout = 5s)');
      return result;
    };
    const { url, close } = await startRpcProxy(chains.anvils[1].url, { changeResult });
    const args = ['local', '--config', configFile, '--out', join(directory, 'slow.json'), '--partner-rpc', url];
    const key = { DEPLOYER_PRIVATE_KEY: testKey(0) };
    expect(await deploy(args, key)).toContain('Deployed.');
    slow = Infinity;
    await expect(deploy(args, key)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /timeout = 5s\)\nRepeat the command: it keeps the deployed contracts and continues\.\n$/,
      ),
    });
    await close();
  });

  it('reports a missing key or configuration', async () => {
    await expect(deploy(['local'], {})).rejects.toThrow(/The key that pays is missing: set DEPLOYER_PRIVATE_KEY/);
    const key = { DEPLOYER_PRIVATE_KEY: testKey(0) };
    await expect(deploy(['testnet', '--config', LOCAL_CONFIG_FILE], key)).rejects.toThrow(/is for local, not testnet/);
    const file = join(directory, 'testnet.json');
    writeFileSync(file, await fillIn('testnet'));
    const testnet = ['testnet', '--config', file];
    await expect(deploy(testnet, key)).rejects.toThrow(/for the local environment only.*--keystore/);
    await expect(deploy(testnet, {})).rejects.toThrow(/The key that pays is missing: give --keystore/);
    await expect(deploy(['testnet'], {})).rejects.toThrow(
      /Missing option: --config <file>.*Fill in the output of causeway-admin example testnet/,
    );
    const absent = join(directory, 'absent.json');
    await expect(deploy(['testnet', '--config', absent], {})).rejects.toThrow(/absent\.json does not exist/);
    await expect(deploy(['staging'], {})).rejects.toThrow(/Allowed choices are local, testnet, mainnet/);
  });

  it('reports the placeholders of an example that is not filled in, in one line, before asking a node', async () => {
    const file = join(directory, 'mainnet.json');
    writeFileSync(file, await example('mainnet'));
    await expect(deploy(['mainnet', '--config', file], {})).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^\S+mainnet\.json is not filled in: replace the placeholders of relayer,.*\n$/),
    });
  });

  it('accepts an encrypted key', async () => {
    const [keystore, password] = [join(directory, 'deployer.json'), join(directory, 'password')];
    const account = { address: deployer.address, privateKey: testKey(0) };
    writeFileSync(keystore, encryptKeystoreJsonSync(account, 'correct horse', { scrypt: { N: 1_024 } }));
    writeFileSync(password, 'correct horse\n');
    const signed = ['--keystore', keystore, '--password-file', password, '--out', join(directory, 'again.json')];
    expect(await deploy(['local', '--config', configFile, ...signed], {})).toContain('Deployed.');
  });
});

describe('deploy --dry-run', () => {
  it('shows the deployment without a key, and sends nothing', async () => {
    const { client } = makeTarget(chains.anvils[0]);
    const before = await client.getBlockNumber({ cacheTime: 0 });
    const dry = ['local', '--config', configFile, '--dry-run'];
    const shown = await deploy([...dry, '--from', deployer.address], {});
    expect(shown).toMatch(/BridgeLock on ethereum: 0x[^]*keys on partner\n {2}admin: 0xf39F\w+, the deployer/);
    expect(shown).toContain('limits: capacity 100 ETH, window 1h, maximum amount 50 ETH');
    expect(shown).toContain('ceilings: rate 1%, minimum fee 20 USDC, minimum amount 50 USDC');
    expect(shown).toContain("with a threshold of 0 the relayer's key is enough to deliver");
    expect(shown).toMatch(/XCN, limits in units of 0.01 XCN[^]*Nothing was sent: this was a dry run\.\n$/);
    await expect(deploy(dry, {})).rejects.toThrow(/The key that pays is missing: .*, or --from <address>/);
    await expect(deploy([...dry, '--from', guardian.address], {})).rejects.toThrow(
      /must not be the guardian of local: deploy with another key/,
    );
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(before);
  });

  it('marks contracts that already exist', async () => {
    const out = join(directory, 'existing.json');
    await deploy(['local', '--config', configFile, '--out', out], { DEPLOYER_PRIVATE_KEY: testKey(0) });
    const dry = ['local', '--config', configFile, '--dry-run', '--from', deployer.address];
    const { partner } = readAddressBook(out);
    const shown = (await deploy(dry, {})).toLowerCase();
    expect(shown).toContain(`bridgemint on partner: ${partner.bridgeMint} (already exists)`);
  });

  it('has a configuration for local, for a partner chain with 8 decimals', async () => {
    await expect(deploy(['local', '--dry-run', '--from', deployer.address], {})).rejects.toThrow(
      /The native unit is 1 on the chain, but should be 10000000000/,
    );
  });
});
