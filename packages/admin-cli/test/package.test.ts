import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deployBridge, writeAddressBook } from '@causeway/contracts/deploy';
import { testKey } from '@causeway/test-kit';
import { encryptKeystoreJsonSync } from 'ethers';
import { deployer, guardian, localConfig, rawLocalConfig, startChains, type TestChains } from './fixtures.js';

// The published files alone, in a folder that can resolve no package.

interface Manifest {
  readonly version: string;
  readonly files: readonly string[];
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies?: object;
}

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as Manifest;
const directory = mkdtempSync(join(tmpdir(), 'causeway-package-'));
let chains: TestChains;

beforeAll(async () => {
  // A release writes the changelog.
  for (const file of ['package.json', ...manifest.files].filter((each) => each !== 'CHANGELOG.md')) {
    cpSync(join(PACKAGE, file), join(directory, 'package', file), { recursive: true });
  }
  symlinkSync(join('package', manifest.bin['causeway-admin']!), join(directory, 'causeway-admin'));
  chains = await startChains();
  writeAddressBook(join(directory, 'book.json'), await deployBridge({ config: localConfig(), ...chains }));
  writeFileSync(join(directory, 'local.json'), JSON.stringify(rawLocalConfig()));
  const account = { address: guardian.address, privateKey: testKey(2) };
  const keystore = encryptKeystoreJsonSync(account, 'correct horse', { scrypt: { N: 1_024 } });
  writeFileSync(join(directory, 'guardian.json'), keystore);
  writeFileSync(join(directory, 'password'), 'correct horse\n');
});

afterAll(async () => {
  rmSync(directory, { recursive: true });
  await chains?.stop();
});

/** Runs a shell line that finds the command as npm links it. */
async function run(line: string): Promise<string> {
  const env = { PATH: `${directory}:${dirname(process.execPath)}:/usr/bin:/bin` };
  return (await promisify(execFile)('sh', ['-c', line], { cwd: directory, env })).stdout;
}

describe('the published package', () => {
  it('installs no dependencies', () => {
    expect(manifest.dependencies).toBeUndefined();
  });

  it('has a version, and lists its exit codes', async () => {
    expect(await run('causeway-admin --version')).toBe(`causeway-admin ${manifest.version}\n`);
    expect(await run('causeway-admin --help')).toMatch(/^Exit codes:\n {2}0 {2}done[^]*\n {2}1 {2}refused/m);
  });

  it('runs each example of its help', async () => {
    const [, text = ''] = /^Examples:\n([^]*)/m.exec(await run('causeway-admin --help'))!;
    const examples = text.trim().split(/\n */);
    const [ethereum, partner] = chains.anvils.map(({ url }) => url) as [string, string];
    const outputs = [];
    for (const example of examples) {
      const account = example.includes(' deploy ') ? deployer : guardian;
      const line = example.replace('http://127.0.0.1:8545', ethereum).replace('http://127.0.0.1:8546', partner);
      outputs.push(await run(line.replace('0x...', account.address)));
    }
    expect(readFileSync(join(directory, 'testnet.json'), 'utf8')).toContain('"environment": "testnet"');
    expect(outputs).toEqual([
      '',
      expect.stringContaining('Nothing was sent: this was a dry run.'),
      expect.stringContaining('Nothing was sent: this was a dry run.'),
      expect.stringMatching(/sent to partner: 0x/),
    ]);
  });
});
