import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testKey } from '@causeway/test-kit';
import { encryptKeystoreJsonSync } from 'ethers';
import { readAddressBook, writeAddressBook } from '../../deploy/index.js';
import {
  exampleFile,
  LOCAL_BOOK_FILE,
  LOCAL_CONFIG_FILE,
  deployer,
  exampleConfig,
  guardian,
  rawLocalConfig,
  startChains,
  makeTarget,
  type TestChains,
} from './fixtures.js';

const CLI = fileURLToPath(new URL('../../dist/deploy/main.js', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

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

async function deploy(args: readonly string[], env: Record<string, string>): Promise<string> {
  const [ethereum, partner] = chains.anvils.map(({ url }) => url) as [string, string];
  const all = [CLI, ...args, '--ethereum-rpc', ethereum, '--partner-rpc', partner];
  return (await promisify(execFile)(process.execPath, all, { cwd: PACKAGE, env })).stdout;
}

describe('deploy', () => {
  it('goes from the reviewed file of an environment to its address book, and again to the same', async () => {
    const out = join(directory, 'local.json');
    const key = { DEPLOYER_PRIVATE_KEY: testKey(0) };
    expect(await deploy(['local', '--config', configFile, '--out', out], key)).toContain('reading it back');
    const book = readAddressBook(out);
    const { client } = makeTarget(chains.anvils[1]);
    expect(await client.getCode({ address: book.partner.bridgeMint })).toBeDefined();
    expect(await deploy(['local', '--config', configFile, '--out', out], key)).toContain('already');
    expect(readAddressBook(out)).toEqual(book);
  });

  it('names the missing key or configuration', async () => {
    await expect(deploy(['local'], {})).rejects.toThrow(/No key that pays: set DEPLOYER_PRIVATE_KEY/);
    const key = { DEPLOYER_PRIVATE_KEY: testKey(0) };
    await expect(deploy(['testnet', '--config', LOCAL_CONFIG_FILE], key)).rejects.toThrow(/is for local, not testnet/);
    const file = join(directory, 'testnet.json');
    writeFileSync(file, JSON.stringify(exampleConfig('testnet')));
    const testnet = ['testnet', '--config', file];
    await expect(deploy(testnet, key)).rejects.toThrow(/for the local environment only.*--keystore/);
    await expect(deploy(testnet, {})).rejects.toThrow(/No key that pays: give --keystore/);
    const absent = join(directory, 'absent.json');
    await expect(deploy(['testnet', '--config', absent], {})).rejects.toThrow(/copy deploy\/config\/testnet\.example/);
  });

  it('names the placeholders of an example that is not filled in, in one line, before it asks a node', async () => {
    await expect(deploy(['mainnet', '--config', exampleFile('mainnet')], {})).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^\S+mainnet\.example\.json is not filled in: replace the placeholders of relayer,.*\n$/,
      ),
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
    expect(shown).toMatch(/BridgeLock on ethereum: 0x[^]*keys on partner\n {2}admin: 0xf39F\w+, the deployer itself/);
    expect(shown).toMatch(/XCN, limits in units of 0.01 XCN[^]*Nothing was sent: this was a dry run\.\n$/);
    await expect(deploy(dry, {})).rejects.toThrow(/No key that pays: .*, or --from <address>/);
    await expect(deploy([...dry, '--from', guardian.address], {})).rejects.toThrow(
      /must not be the guardian of local: deploy with another key/,
    );
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(before);
  });
});

describe('the address book', () => {
  it('is written and read, and refused with an invalid address', () => {
    const file = join(directory, 'book.json');
    const book = readAddressBook(LOCAL_BOOK_FILE);
    writeAddressBook(file, book);
    expect(readAddressBook(file)).toEqual(book);
    writeFileSync(file, JSON.stringify({ ...book, relayer: '0x12' }));
    expect(() => readAddressBook(file)).toThrow(
      /^\S+ is not a valid address book: relayer must be 0x and 40 hex digits$/,
    );
    expect(() => readAddressBook(join(directory, 'none.json'))).toThrow(/^No address book at \S+: .*$/);
  });
});
