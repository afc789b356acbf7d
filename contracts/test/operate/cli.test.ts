import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encryptKeystoreJsonSync } from 'ethers';
import { bridgeLockAbi } from '../../generated/abi.js';
import { deployBridge, readAddressBook, writeAddressBook, type AddressBook } from '../../deploy/index.js';
import { localConfig } from '../local-config.js';
import { startAnvil, type Anvil } from '@causeway/test-kit';
import { targetOf } from '../target-of.js';
import { deployer, guardian, relayer, TEST_KEYS } from '../test-keys.js';

const CLI = fileURLToPath(new URL('../../dist/operate/cli.js', import.meta.url));

const directory = mkdtempSync(join(tmpdir(), 'causeway-operate-'));
let anvils: [Anvil, Anvil];
let book: AddressBook;

beforeAll(async () => {
  anvils = await Promise.all([startAnvil({ chainId: 31_337 }), startAnvil({ chainId: 8_901 })]);
  book = await deployBridge({ config: localConfig(), ethereum: targetOf(anvils[0]), partner: targetOf(anvils[1]) });
  writeAddressBook(join(directory, 'book.json'), book);
});

afterAll(async () => {
  rmSync(directory, { recursive: true });
  await Promise.all((anvils ?? []).map((anvil) => anvil.stop()));
});

interface Where {
  readonly env?: Record<string, string>;
  readonly book?: string;
  /** Left out of the command when null. */
  readonly ethereumRpc?: string | null;
}

const DOWN = 'http://127.0.0.1:9';

async function run(args: readonly string[], { env = {}, book: file = 'book.json', ethereumRpc }: Where = {}) {
  const [ethereum, partner] = anvils.map(({ chain }) => chain.rpcUrls.default.http[0] ?? '') as [string, string];
  const shared = ['--book', join(directory, file), '--partner-rpc', partner];
  if (ethereumRpc !== null) shared.push('--ethereum-rpc', ethereumRpc ?? ethereum);
  return (await promisify(execFile)(process.execPath, [CLI, ...args, ...shared], { env })).stdout;
}

const keyOf = (index: 0 | 2) => ({ env: { OPERATOR_PRIVATE_KEY: TEST_KEYS[index] } });
const SOMEBODY = '0x00000000000000000000000000000000000000ab';

describe('the operate command', () => {
  it.each([
    [['rotate-relayer', '--to', SOMEBODY], /BridgeMint on partner: setRelayer/],
    [['set-policy', '--asset', 'ETH', '--bps', '30', '--min-fee', '1', '--min-amount', '9'], /minAmount = 9/],
    [['set-limit', '--asset', 'XCN', '--chain', 'partner', '--capacity', '7', '--window', '60'], /capacity = 7/],
  ])('shows what %j would do, and does nothing', async (args, shown) => {
    const output = await run([...args, '--from', deployer.address]);
    expect(output).toMatch(shown);
    expect(output).toContain('Nothing was sent: this was a dry run.');
  });

  it('shows what the relayer would retire', async () => {
    const retire = ['retire', '--asset', 'ETH', '--amount', '0', '--from', relayer.address];
    expect(await run(retire, { ethereumRpc: null })).toMatch(/BridgeMint on partner: retire\n/);
    const retireOf = ['retire-of', '--wallet', relayer.address, '--asset', 'USDC', '--amount', '0'];
    expect(await run([...retireOf, '--from', relayer.address])).toMatch(/retireOf\n {2}wallet = 0x7099/);
  });

  it('pauses when told to send, and shows how it is lifted', async () => {
    const pause = ['pause', '--direction', 'both'];
    expect(await run([...pause, '--from', guardian.address])).toContain('dry run');
    await expect(run([...pause, '--send'])).rejects.toThrow(/OPERATOR_PRIVATE_KEY must be set to send/);
    expect(await run([...pause, '--send'], keyOf(2))).toMatch(/sent to partner: 0x/);
    const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
    const { client } = targetOf(anvils[0]);
    expect(await client.readContract({ ...lock, functionName: 'releasesPaused' })).toBe(true);
    const unpause = ['unpause', '--direction', 'both'];
    expect(await run([...unpause, '--from', deployer.address])).toMatch(/BridgeLock on ethereum: setPause/);
    await run([...unpause, '--send'], keyOf(0));
    expect(await run(unpause)).toContain('the contracts have it so already');
  });

  it('pauses the partner chain while the node of Ethereum is down, or not named', async () => {
    const pause = ['pause', '--direction', 'both', '--send'];
    await expect(run(pause, { ...keyOf(2), ethereumRpc: DOWN })).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/sent to partner: 0x/),
      stderr: expect.stringMatching(/pause of BridgeLock WAS NOT DONE on ethereum/),
    });
    await expect(run(pause, { ...keyOf(2), ethereumRpc: null })).rejects.toThrow(/--ethereum-rpc must name a node/);
    const partner = [...pause, '--chain', 'partner'];
    expect(await run(partner, { ...keyOf(2), ethereumRpc: null })).toMatch(/sent to partner: 0x/);
    await run(['unpause', '--direction', 'both', '--chain', 'partner', '--send'], { ...keyOf(0), ethereumRpc: null });
  });

  it('says what is wrong', async () => {
    await expect(run(['collect-fees', '--asset', 'ETH', '--from', deployer.address])).rejects.toThrow(/NothingToPay/);
    await expect(run(['pause', '--direction', 'sideways'])).rejects.toThrow(/Allowed choices/);
    await expect(run(['pause', '--direction', 'both'])).rejects.toThrow(/Name an account/);
    await expect(run(['rotate-relayer', '--to', 'me', '--from', deployer.address])).rejects.toThrow(
      /must be an address/,
    );
  });

  it('takes a bare key in the local environment only, and an encrypted one everywhere', async () => {
    writeAddressBook(join(directory, 'testnet.json'), { ...book, environment: 'testnet' });
    const pause = ['pause', '--direction', 'both', '--send'];
    const testnet = { book: 'testnet.json' };
    await expect(run(pause, { ...testnet, ...keyOf(2) })).rejects.toThrow(/for the local environment only.*--keystore/);
    await expect(run(pause, testnet)).rejects.toThrow(/--keystore must be given to send/);
    const [keystore, password] = [join(directory, 'guardian.json'), join(directory, 'password')];
    const account = { address: guardian.address, privateKey: TEST_KEYS[2] };
    writeFileSync(keystore, encryptKeystoreJsonSync(account, 'correct horse', { scrypt: { N: 1_024 } }));
    writeFileSync(password, 'correct horse\n');
    const signed = [...pause, '--keystore', keystore, '--password-file', password];
    await expect(run([...signed, '--from', deployer.address], testnet)).rejects.toThrow(
      /The key is of 0x3C44.*, not of/,
    );
    expect(await run(signed, testnet)).toMatch(/sent to partner: 0x/);
    await expect(run([...pause, '--keystore', keystore], testnet)).rejects.toThrow(/give --password-file/);
    writeFileSync(password, 'wrong\n');
    await expect(run(signed, testnet)).rejects.toThrow(/is the password right/);
  });

  it('writes a new relayer into the address book once both ends have it', async () => {
    const rotate = ['rotate-relayer', '--to', SOMEBODY];
    const named = () => readAddressBook(join(directory, 'book.json')).relayer;
    const first = await run([...rotate, '--chain', 'partner', '--send'], { ...keyOf(0), ethereumRpc: null });
    expect(first).toMatch(/still names the relayer 0x7099.*: the node of ethereum was not named/);
    const unknown = await run([...rotate, '--chain', 'partner', '--send'], { ...keyOf(0), ethereumRpc: DOWN });
    expect(unknown).toMatch(/Nothing is to be sent[^]*on ethereum it is not known: HTTP request failed/);
    expect(await run([...rotate, '--from', deployer.address])).toMatch(/still names .*: on ethereum it is 0x7099/);
    expect(named()).toBe(book.relayer);
    expect(await run([...rotate, '--send'], keyOf(0))).toMatch(/sent to ethereum[^]*book\.json names it now/);
    expect(readAddressBook(join(directory, 'book.json'))).toEqual({ ...book, relayer: SOMEBODY });
    // Who signs elsewhere needs no key to bring the book up to date.
    writeAddressBook(join(directory, 'book.json'), book);
    expect(await run(rotate)).toMatch(/with --send, .*book\.json will name it, too/);
    expect(named()).toBe(book.relayer);
    await run([...rotate, '--send']);
    expect(named()).toBe(SOMEBODY);
  });
});
