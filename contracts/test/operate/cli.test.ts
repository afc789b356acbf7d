import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bridgeLockAbi } from '../../generated/abi.js';
import { deployBridge, writeAddressBook, type AddressBook } from '../../deploy/index.js';
import { localConfig } from '../local-config.js';
import { startAnvil, type Anvil } from '../start-anvil.js';
import { targetOf } from '../target-of.js';
import { deployer, guardian, TEST_KEYS } from '../test-keys.js';

const CLI = fileURLToPath(new URL('../../dist/operate/cli.js', import.meta.url));

let anvils: [Anvil, Anvil];
let directory: string;
let book: AddressBook;

beforeAll(async () => {
  anvils = await Promise.all([startAnvil(31_337), startAnvil(8_901)]);
  book = await deployBridge({ config: localConfig(), ethereum: targetOf(anvils[0]), partner: targetOf(anvils[1]) });
  directory = mkdtempSync(join(tmpdir(), 'causeway-operate-'));
  writeAddressBook(join(directory, 'book.json'), book);
}, 30_000);

afterAll(async () => {
  rmSync(directory, { recursive: true });
  await Promise.all(anvils.map((anvil) => anvil.stop()));
});

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const [ethereum, partner] = anvils.map(({ chain }) => chain.rpcUrls.default.http[0] ?? '') as [string, string];
  const shared = ['--book', join(directory, 'book.json'), '--ethereum-rpc', ethereum, '--partner-rpc', partner];
  return (await promisify(execFile)(process.execPath, [CLI, ...args, ...shared], { env })).stdout;
}

describe('the operate command', () => {
  it.each([
    [['rotate-relayer', '--to', '0x00000000000000000000000000000000000000ab'], /BridgeMint on partner: setRelayer/],
    [['set-policy', '--asset', 'ETH', '--bps', '30', '--min-fee', '1', '--min-amount', '9'], /minAmount = 9/],
    [['set-limit', '--asset', 'XCN', '--chain', 'partner', '--capacity', '7', '--window', '60'], /capacity = 7/],
    [['unpause', '--direction', 'both'], /BridgeLock on ethereum: setPause/],
  ])('shows what %j would do, and does nothing', async (args, shown) => {
    const output = await run([...args, '--from', deployer.address]);
    expect(output).toMatch(shown);
    expect(output).toContain('Nothing was sent: this was a dry run.');
  });

  it('pauses when told to send', async () => {
    const pause = ['pause', '--direction', 'both'];
    expect(await run([...pause, '--from', guardian.address])).toContain('dry run');
    await expect(run([...pause, '--send'])).rejects.toThrow(/OPERATOR_PRIVATE_KEY must be set to send/);
    expect(await run([...pause, '--send'], { OPERATOR_PRIVATE_KEY: TEST_KEYS[2] })).toMatch(/sent to partner: 0x/);
    const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
    const { client } = targetOf(anvils[0]);
    expect(await client.readContract({ ...lock, functionName: 'releasesPaused' })).toBe(true);
  });

  it('says what is wrong', async () => {
    await expect(run(['collect-fees', '--asset', 'ETH', '--from', deployer.address])).rejects.toThrow(/NothingToPay/);
    await expect(run(['pause', '--direction', 'sideways'])).rejects.toThrow(/Allowed choices/);
    await expect(run(['pause', '--direction', 'both'])).rejects.toThrow(/Name an account/);
    await expect(run(['rotate-relayer', '--to', 'me', '--from', deployer.address])).rejects.toThrow(
      /must be an address/,
    );
  });
});
