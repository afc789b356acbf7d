import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testKey } from '@causeway/test-kit';
import { encryptKeystoreJsonSync } from 'ethers';
import { bridgeLockAbi } from '@causeway/contracts/abi';
import { deployBridge, readAddressBook, writeAddressBook, type AddressBook } from '@causeway/contracts/deploy';
import { ADMIN_COMMANDS } from '@causeway/governance';
import {
  deployer,
  guardian,
  localConfig,
  policyManager,
  relayer,
  standby,
  startChains,
  makeTarget,
  type TestChains,
} from './fixtures.js';

const CLI = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url));

const directory = mkdtempSync(join(tmpdir(), 'causeway-admin-'));
let chains: TestChains;
let book: AddressBook;

beforeAll(async () => {
  chains = await startChains();
  book = await deployBridge({ config: localConfig(), ...chains });
  writeAddressBook(join(directory, 'book.json'), book);
});

afterAll(async () => {
  rmSync(directory, { recursive: true });
  await chains?.stop();
});

interface Where {
  readonly env?: Record<string, string>;
  readonly book?: string;
  /** Left out of the command when null. */
  readonly ethereumRpc?: string | null;
}

const DOWN = 'http://127.0.0.1:9';

async function run(args: readonly string[], { env = {}, book: file = 'book.json', ethereumRpc }: Where = {}) {
  const [ethereum, partner] = chains.anvils.map(({ url }) => url) as [string, string];
  const shared = ['--book', join(directory, file), '--partner-rpc', partner];
  if (ethereumRpc !== null) shared.push('--ethereum-rpc', ethereumRpc ?? ethereum);
  return (await promisify(execFile)(process.execPath, [CLI, ...args, ...shared], { env })).stdout;
}

const makeKeyEnvironment = (index: 0 | 2 | 6) => ({ env: { OPERATOR_PRIVATE_KEY: testKey(index) } });
const SOMEBODY = '0x00000000000000000000000000000000000000ab';

describe('causeway-admin', () => {
  it.each([
    [deployer.address, ['rotate-relayer', '--to', SOMEBODY], /BridgeMint on partner: setRelayer/],
    [
      policyManager.address,
      ['set-policy', '--asset', 'ETH', '--rate', '0.3%', '--min-fee', '0.003 ETH', '--min-amount', '0.02 ETH'],
      /rate: 0.25% -> 0.3%\n {2}minimum fee: 0.003 ETH \(unchanged\)\n {2}minimum amount: 0.01 ETH -> 0.02 ETH\n[^]*policy = \{ bps: 30, minFee: 3000000000000000, minAmount: 20000000000000000 \}\n/,
    ],
    [
      deployer.address,
      ['set-fee-ceiling', '--asset', 'ETH', '--rate', '50bps', '--min-fee', '0.01 ETH', '--min-amount', '0.05 ETH'],
      /rate: 1% -> 0.5%\n[^]*BridgeMint on partner: setFeeCeiling/,
    ],
    [
      policyManager.address,
      ['set-limit', '--asset', 'XCN', '--chain', 'partner', '--capacity', '500000 XCN', '--window', '30m'],
      /capacity: 1000000 XCN -> 500000 XCN\n {2}window: 1h -> 30m\n[^]*capacity = 500000000000000000000000\n {2}window = 1800\n/,
    ],
    [
      policyManager.address,
      ['set-max-amount', '--asset', 'USDC', '--chain', 'partner', '--amount', '100 USDC'],
      /maximum amount: 500000 USDC -> 100 USDC\n[^]*amount = 100000000\n/,
    ],
    [
      deployer.address,
      ['set-limit-ceiling', '--asset', 'ETH', '--chain', 'ethereum', '--capacity', '300 ETH', '--window', '10m'].concat(
        '--max-amount',
        '150 ETH',
      ),
      /capacity: 200 ETH -> 300 ETH\n {2}shortest window: 30m -> 10m\n {2}maximum amount: 100 ETH -> 150 ETH\n/,
    ],
    [
      deployer.address,
      ['set-standby', '--to', 'none'],
      /standby: 0x14dC\w+ -> none\n[^]*BridgeMint on partner: setStandby/,
    ],
    [guardian.address, ['activate-standby'], /Sentinel on partner: activateStandby\ncall: activateStandby/],
    [
      deployer.address,
      ['set-attesters', '--attesters', `${SOMEBODY}, 0x00000000000000000000000000000000000000aa`, '--threshold', '2'],
      /attesters: none -> 0x0+aA, 0x0+AB\n {2}threshold: 0 -> 2\n[^]*newAttesters = \[0x0+aa, 0x0+ab\]\n/i,
    ],
    [
      deployer.address,
      ['replace-guardian', '--to', SOMEBODY],
      /guardian: 0x3C44\w+ -> 0x0+AB\n {2}revokes the previous guardian's pausers[^]*AdminTimelock on partner: replace\n/i,
    ],
    [deployer.address, ['replace-policy-manager', '--to', SOMEBODY], /policy manager: 0x976E\w+ -> 0x0+AB\n/i],
    [deployer.address, ['set-treasury', '--to', SOMEBODY], /treasury: 0x90F7\w+ -> 0x0+AB\n/i],
    [
      deployer.address,
      ['wind-down', '--asset', 'USDC'],
      /USDC in BridgeLock on ethereum\n {2}may begin: yes -> no\n[^]*BridgeLock on ethereum: setListing/,
    ],
    [
      deployer.address,
      ['set-listing', '--asset', 'USDC', '--may-begin', 'no', '--may-deliver', 'yes'],
      /USDC in BridgeMint on partner\n {2}may begin: yes -> no\n {2}may be delivered: yes \(unchanged\)\n/,
    ],
    [
      relayer.address,
      ['top-up', '--chain', 'partner', '--amount', '25 XCN'],
      /float of XCN in BridgeMint: 0 XCN -> 25 XCN\n/,
    ],
  ] as const)('shows what %s would do by %j, and sends nothing', async (from, args, shown) => {
    const output = await run([...args, '--from', from]);
    expect(output).toMatch(shown);
    expect(output).toContain('Nothing was sent: this was a dry run.');
  });

  it('refuses a limit that the other chain could exceed, if both nodes are given', async () => {
    const limit = ['set-limit', '--asset', 'ETH', '--chain', 'partner', '--capacity', '1 ETH', '--window', '1h'];
    const dry = [...limit, '--from', policyManager.address];
    await expect(run(dry)).rejects.toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(
        /^A capacity of 1 ETH on partner is below the maximum amount of 50 ETH on ethereum/,
      ),
    });
    expect(await run(dry, { ethereumRpc: null })).toMatch(/The limits on ethereum were not compared/);
  });

  it('refuses an invalid number of signatures, answer and amount', async () => {
    const from = ['--from', deployer.address];
    await expect(run(['set-attesters', '--attesters', 'none', '--threshold', '10', ...from])).rejects.toThrow(
      /must be a number from 0 to 9/,
    );
    await expect(run(['set-attesters', '--attesters', 'alice', '--threshold', '1', ...from])).rejects.toThrow(
      /must be an address/,
    );
    const listing = ['set-listing', '--asset', 'ETH', '--may-deliver', 'yes', ...from];
    await expect(run([...listing, '--may-begin', 'maybe'])).rejects.toThrow(/must be one of yes, no/);
    await expect(run(['top-up', '--chain', 'ethereum', '--amount', '5 XCN', ...from])).rejects.toThrow(
      /an amount of XCN, but the asset is ETH/,
    );
  });

  it('shows the retirement by the relayer', async () => {
    const retire = ['retire', '--asset', 'ETH', '--amount', '0 ETH', '--from', relayer.address];
    expect(await run(retire, { ethereumRpc: null })).toMatch(
      /^retires 0 ETH of the 0 ETH that 0x7099\w+ holds\nBridgeMint on partner: retire\n/,
    );
    const retireOf = ['retire-of', '--wallet', relayer.address, '--asset', 'USDC', '--amount', '0 USDC'];
    expect(await run([...retireOf, '--from', relayer.address])).toMatch(/retireOf\n {2}wallet = 0x7099/);
  });

  it('pauses with --send, and shows how the pause is lifted', async () => {
    const pause = ['pause', '--direction', 'both'];
    expect(await run([...pause, '--from', guardian.address])).toContain('dry run');
    await expect(run([...pause, '--send'])).rejects.toThrow(/The key for sending is missing: set OPERATOR_PRIVATE_KEY/);
    expect(await run([...pause, '--send'], makeKeyEnvironment(2))).toMatch(/sent to partner: 0x/);
    const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
    const { client } = makeTarget(chains.anvils[0]);
    expect(await client.readContract({ ...lock, functionName: 'releasesPaused' })).toBe(true);
    const unpause = ['unpause', '--direction', 'both'];
    expect(await run([...unpause, '--from', deployer.address])).toMatch(
      /BridgeLock on ethereum: pause number 1\n[^]*BridgeLock on ethereum: unpause\n {2}count = 1\n/,
    );
    await run([...unpause, '--send', '--yes'], makeKeyEnvironment(0));
    expect(await run(unpause)).toContain('Nothing to send: the contracts already have these settings');
  });

  it('pauses the partner chain while the node of Ethereum is down or not given', async () => {
    const pause = ['pause', '--direction', 'both', '--send'];
    await expect(run(pause, { ...makeKeyEnvironment(2), ethereumRpc: DOWN })).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/sent to partner: 0x/),
      // Without the URL of the node, which can hold an API key.
      stderr: expect.stringMatching(
        /^pause of Sentinel WAS NOT DONE on ethereum: HTTP request failed\.(?!.*127\.0\.0\.1)/s,
      ),
    });
    await expect(run(pause, { ...makeKeyEnvironment(2), ethereumRpc: null })).rejects.toThrow(
      /Missing options: --ethereum-rpc <url>, a node of the ethereum chain\n/,
    );
    const partner = [...pause, '--chain', 'partner'];
    expect(await run(partner, { ...makeKeyEnvironment(2), ethereumRpc: null })).toMatch(/sent to partner: 0x/);
    await run(['unpause', '--direction', 'both', '--chain', 'partner', '--send', '--yes'], {
      ...makeKeyEnvironment(0),
      ethereumRpc: null,
    });
  });

  it('reports all missing options in one line, and shows help', async () => {
    const admin = async (...args: string[]) => promisify(execFile)(process.execPath, [CLI, ...args], { env: {} });
    await expect(admin('pause', '--direction', 'both')).rejects.toMatchObject({
      code: 1,
      stderr:
        'Missing options: --book <file>, the address book of the deployment; ' +
        '--ethereum-rpc <url>, a node of the ethereum chain; --partner-rpc <url>, a node of the partner chain\n',
    });
    const [help = ''] = (await admin('--help')).stdout.split('Exit codes:');
    const commands = [...help.matchAll(/^ {2}([a-z]+(?:-[a-z]+)*) /gm)].map(([, name]) => name);
    const deployment = ['new-accounts', 'deploy-test-tokens', 'deploy', 'example', 'migrate', 'upgrade'];
    const calls = ADMIN_COMMANDS.map(({ name }) => name);
    expect(commands).toEqual([...deployment, ...calls, 'doctor', 'hash', 'help']);
    expect((await admin('set-policy', '--help')).stdout).toMatch(
      /Usage: causeway-admin set-policy [^]*--min-fee <amount>/,
    );
  });

  it('refuses amounts without their unit, and amounts of another asset', async () => {
    const policy = [
      'set-policy',
      '--asset',
      'ETH',
      '--from',
      deployer.address,
      '--rate',
      '25bps',
      '--min-amount',
      '1 ETH',
    ];
    await expect(run([...policy, '--min-fee', '3000'])).rejects.toThrow(/"3000" has no unit: write "0.003 ETH"/);
    await expect(run([...policy, '--min-fee', '3 USDC'])).rejects.toThrow(/an amount of USDC, but the asset is ETH/);
  });

  it('sends amounts only after a confirmation: with --yes, or at a terminal', async () => {
    const limit = [
      'set-limit',
      '--asset',
      'USDC',
      '--chain',
      'ethereum',
      '--capacity',
      '600000 USDC',
      '--window',
      '1h',
    ];
    const sent = [...limit, '--send'];
    await expect(run(sent, makeKeyEnvironment(6))).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'There is no terminal for confirming the changes: review them without --send, then add --yes\n',
    });
    expect(await run([...sent, '--yes'], makeKeyEnvironment(6))).toMatch(
      /capacity: 1000000 USDC -> 600000 USDC\n[^]*sent to ethereum: 0x/,
    );
    expect(await run([...sent, '--yes'], makeKeyEnvironment(6))).toMatch(
      /capacity: 600000 USDC \(unchanged\)\n[^]*Nothing to send/,
    );
  });

  it('reports a revert, a wrong choice, a missing account and a wrong address', async () => {
    await expect(run(['collect-fees', '--asset', 'ETH', '--from', deployer.address])).rejects.toThrow(/NothingToPay/);
    await expect(run(['pause', '--direction', 'sideways'])).rejects.toThrow(/must be one of/);
    await expect(run(['pause', '--direction', 'both'])).rejects.toThrow(
      /The account is missing: give --from <address> or --keystore/,
    );
    await expect(run(['rotate-relayer', '--to', 'me', '--from', deployer.address])).rejects.toThrow(
      /must be an address/,
    );
  });

  it('accepts a bare key in the local environment only, and an encrypted one everywhere', async () => {
    writeAddressBook(join(directory, 'testnet.json'), { ...book, environment: 'testnet' });
    const pause = ['pause', '--direction', 'both', '--send'];
    const testnet = { book: 'testnet.json' };
    await expect(run(pause, { ...testnet, ...makeKeyEnvironment(2) })).rejects.toThrow(
      /for the local environment only.*--keystore/,
    );
    await expect(run(pause, testnet)).rejects.toThrow(/The key for sending is missing: give --keystore/);
    const [keystore, password] = [join(directory, 'guardian.json'), join(directory, 'password')];
    const account = { address: guardian.address, privateKey: testKey(2) };
    writeFileSync(keystore, encryptKeystoreJsonSync(account, 'correct horse', { scrypt: { N: 1_024 } }));
    writeFileSync(password, 'correct horse\n');
    const signed = [...pause, '--keystore', keystore, '--password-file', password];
    await expect(run([...signed, '--from', deployer.address], testnet)).rejects.toThrow(
      /The key belongs to 0x3C44.*, not to/,
    );
    expect(await run(signed, testnet)).toMatch(/sent to partner: 0x/);
    await expect(run([...pause, '--keystore', keystore], testnet)).rejects.toThrow(/give --password-file/);
    writeFileSync(password, 'wrong\n');
    await expect(run(signed, testnet)).rejects.toThrow(/check the password/);
  });

  it('writes a new relayer into the address book once both contracts have it', async () => {
    const rotate = ['rotate-relayer', '--to', SOMEBODY];
    const named = () => readAddressBook(join(directory, 'book.json')).relayer;
    const first = await run([...rotate, '--chain', 'partner', '--send'], {
      ...makeKeyEnvironment(0),
      ethereumRpc: null,
    });
    expect(first).toMatch(/still names the relayer 0x7099.*: no node for ethereum was given/);
    const unknown = await run([...rotate, '--chain', 'partner', '--send'], {
      ...makeKeyEnvironment(0),
      ethereumRpc: DOWN,
    });
    expect(unknown).toMatch(/Nothing to send[^]*on ethereum it is unknown: HTTP request failed/);
    expect(await run([...rotate, '--from', deployer.address])).toMatch(/still names .*: on ethereum it is 0x7099/);
    expect(named()).toBe(book.relayer);
    expect(await run([...rotate, '--send'], makeKeyEnvironment(0))).toMatch(
      /sent to ethereum[^]*book\.json was updated/,
    );
    expect(readAddressBook(join(directory, 'book.json'))).toEqual({ ...book, relayer: SOMEBODY });
    // Also without a key, for calls that were signed elsewhere.
    writeAddressBook(join(directory, 'book.json'), book);
    expect(await run(rotate)).toMatch(/--send will also write it to .*book\.json/);
    expect(named()).toBe(book.relayer);
    await run([...rotate, '--send']);
    expect(named()).toBe(SOMEBODY);
  });

  it('activates the standby, and writes it into the address book', async () => {
    writeAddressBook(join(directory, 'book.json'), { ...book, relayer: SOMEBODY });
    expect(await run(['activate-standby', '--send'], makeKeyEnvironment(2))).toMatch(
      /sent to \w+: 0x[^]*Both contracts have the relayer 0x14dC\w+: \S+book\.json was updated/,
    );
    expect(readAddressBook(join(directory, 'book.json')).relayer).toBe(standby.address.toLowerCase());
    await expect(run(['activate-standby', '--send'], makeKeyEnvironment(2))).rejects.toThrow(
      /activateStandby of Sentinel WAS NOT DONE on ethereum: [^]*NoStandby/,
    );
  });
});
