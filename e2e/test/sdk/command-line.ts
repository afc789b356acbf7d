import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { testUsdcAbi } from '@causeway/protocol/abi';
import { encryptKeystore } from '@causeway/test-kit';
import { parseEther } from 'viem';
import type { TestEnvironment } from '../temporary-environment.js';
import { CommandLine, findEvent, toLines, type Json, type Running } from './command-process.js';
import { pickRecipient, readBalance } from './flows.js';
import { fundUsers, type Story, type TestUser } from './users.js';

const USDC = 10n ** 6n;
const FUNDS = {
  ethereum: { ETH: parseEther('3'), USDC: 500n * USDC },
  partner: { USDC: 500n * USDC, XCN: parseEther('30000') },
};

const withKey = ({ privateKey }: TestUser) => ({ CAUSEWAY_PRIVATE_KEY: privateKey });

/** A real bridge and the command. */
interface Scene {
  readonly environment: TestEnvironment;
  readonly cli: CommandLine;
}

async function depositWithKeystore(scene: Scene, user: TestUser) {
  const { environment, cli } = scene;
  const recipient = pickRecipient();
  const { keystore, password } = writeKeystore(scene, user, 'kept');
  const kept = ['--records', join(cli.folder, 'kept')];
  const words = ['deposit', 'USDC', '25', '--keystore', keystore, '--password-file', password, ...kept];
  const lines = await cli.read([...words, '--recipient', recipient, '--yes', '--watch']);
  expect(findEvent(lines, 'terms')).toMatchObject({ recipient, quote: { outputAmount: '25000000' } });
  expect(lines.at(-1)).toMatchObject({ event: 'status', operation: { status: 'COMPLETED' } });
  expect(await readBalance(environment, 'partner', 'USDC', recipient)).toBe(25n * USDC);

  const { file } = findEvent(lines, 'record') as { file: string };
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(cli.folder, 'kept'))).toHaveLength(1);
  expect(readFileSync(file, 'utf8')).not.toContain(user.privateKey.slice(2));
  expect(await cli.read(['resume', ...kept])).toEqual([{ transfers: [], unreadable: [] }]);

  const { originTxHash } = findEvent(lines, 'sent') as { originTxHash: string };
  const [[status], watched, [history], [verdict]] = await Promise.all([
    cli.read(['status', originTxHash]),
    cli.read(['status', originTxHash, '--watch']),
    cli.read(['history', recipient, '--role', 'recipient', '--status', 'COMPLETED']),
    cli.read(['explain', originTxHash]),
  ]);
  expect(status).toMatchObject({ status: 'COMPLETED', originTxHash });
  expect(watched).toEqual([status]);
  expect(history).toMatchObject({ operations: [{ originTxHash }] });
  expect(verdict).toMatchObject({ code: 'COMPLETED', operationIds: [status!['id']] });
  expect(await cli.read(['status', String(status!['id'])])).toEqual([status]);
}

async function followSent(
  scene: Scene,
  words: readonly string[],
  variables: Readonly<Record<string, string>>,
  input = '',
) {
  const lines = await scene.cli.read([...words, '--yes'], variables, input);
  const { originTxHash, intentId } = findEvent(lines, 'sent') as { originTxHash: string; intentId?: string };
  const states = await scene.cli.read(['status', intentId ?? originTxHash, '--watch']);
  expect(states.at(-1)).toMatchObject({ status: 'COMPLETED' });
}

async function claimCredit(scene: Scene, user: TestUser) {
  const { ethereum, accounts, book } = scene.environment;
  const { address } = user.account;
  const setBlocklisted = async (isBlocked: boolean) => {
    const hash = await ethereum.getWallet(accounts.alice).writeContract({
      address: book.ethereum.tokens.USDC,
      abi: testUsdcAbi,
      functionName: 'setBlocklisted',
      args: [address, isBlocked],
    });
    await ethereum.client.waitForTransactionReceipt({ hash });
  };
  await setBlocklisted(true);
  const lines = await scene.cli.read(['burn', 'USDC', '50', '--yes', '--watch'], withKey(user));
  expect(lines.at(-1)).toMatchObject({ operation: { status: 'COMPLETED', settlement: { credited: true } } });
  await setBlocklisted(false);
  const words = ['claim', 'USDC', '--on', 'ethereum', '--yes'];
  const claimed = await scene.cli.read(words, withKey(user));
  expect(findEvent(claimed, 'terms')).toMatchObject({ credit: '45' });
  expect(claimed.at(-1)).toMatchObject({ event: 'sent' });
  expect(await readBalance(scene.environment, 'ethereum', 'USDC', address)).toBe(545n * USDC);
  expect(await scene.cli.run([...words, '--json'], withKey(user))).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('"code":"NothingToPay"'),
  });
}

async function continueAfterDeath(scene: Scene, user: TestUser, when: 'beforeNode' | 'afterNode') {
  const { id } = await killAtSending(scene, user, when);
  const [listed] = await scene.cli.read(['resume']);
  expect((listed as { transfers: readonly { id: string }[] }).transfers.map((each) => each.id)).toContain(id);
  await scene.cli.read(['resume', id, '--yes', '--watch'], withKey(user));
  await expectOneDeposit(scene, user);
}

async function sendUndecidedAgain(scene: Scene, user: TestUser) {
  const { ethereum } = scene.environment;
  const { address } = user.account;
  const { id } = await killAtSending(scene, user, 'beforeNode');
  // Another program uses the transaction's nonce.
  const wallet = ethereum.getWallet({ address, privateKey: user.privateKey });
  const hash = await wallet.sendTransaction({ to: address, value: 1n });
  await ethereum.client.waitForTransactionReceipt({ hash });
  const undecided = await scene.cli.run(['resume', id, '--yes', '--json'], withKey(user));
  expect(undecided.code).toBe(6);
  const failure = { error: 'UndecidedError', looks: [{ showed: 'no such transfer' }] };
  expect(JSON.parse(undecided.stderr)).toMatchObject(failure);
  await scene.cli.read(['resume', id, '--yes', '--send-again', '--watch'], withKey(user));
  await expectOneDeposit(scene, user);
}

async function continueElsewhere(scene: Scene, user: TestUser) {
  const { cli } = scene;
  const { id, file } = await killAtSending(scene, user, 'beforeNode');
  const [elsewhere, altered] = [join(cli.folder, 'elsewhere'), join(cli.folder, 'altered.json')];
  const words = ['resume', file, '--records', elsewhere, '--yes'];
  const foreign = await cli.run(words, withKey(user));
  expect(foreign).toMatchObject({ code: 7, stderr: expect.stringMatching(/it pays 0\.125 ETH to 0x/) });
  writeFileSync(altered, readFileSync(file, 'utf8').replace('"125', '"225'));
  expect(await cli.run(['resume', altered, '--yes', '--json'], withKey(user))).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('"field":"checksum"'),
  });
  // This test's process is alive, so its lock counts.
  mkdirSync(elsewhere);
  const lock = join(elsewhere, `${id}.json.lock`);
  writeFileSync(lock, JSON.stringify({ pid: process.pid, host: hostname(), token: 'of the test' }));
  const locked = await cli.run([...words, '--confirm'], withKey(user));
  expect(locked).toMatchObject({ code: 9, stderr: expect.stringContaining('is in use by process') });
  rmSync(lock);
  await cli.read([...words, '--confirm', '--watch'], withKey(user));
  // The first folder now has an old record, but the chain shows that it was sent.
  await cli.read(['resume', id, '--yes'], withKey(user));
  await expectOneDeposit(scene, user);
}

async function runExamples(scene: Scene, user: TestUser) {
  const page = readFileSync(new URL('../../../docs/integrate/command.md', import.meta.url), 'utf8');
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThan(3);
  // The stack of the page, with the story's user as Alice.
  const { stack } = scene.environment;
  const alice = { address: user.account.address, privateKey: user.privateKey };
  mkdirSync(join(scene.cli.folder, '.causeway'));
  writeFileSync(
    join(scene.cli.folder, '.causeway/stack.json'),
    JSON.stringify({ ...stack, accounts: { ...stack.accounts, alice } }),
  );
  const { code, stderr } = await scene.cli.runShell(blocks.join('\n'));
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') });
}

/** Starts a deposit whose process is killed while sending, before the node has the transaction or before it answers. */
async function killAtSending(scene: Scene, user: TestUser, when: 'beforeNode' | 'afterNode') {
  let running: Running | undefined;
  const url = await scene.environment.proxyBefore('ethereum', {
    [when]: async (methods: readonly string[]) => {
      if (!methods.includes('eth_sendRawTransaction')) return true;
      running?.child.kill('SIGKILL');
      return false;
    },
  });
  const words = ['deposit', 'ETH', '0.125', '--yes', '--json'];
  running = scene.cli.start(words, { ...withKey(user), CAUSEWAY_ETHEREUM_RPC: url });
  const { code, stdout } = await running.ended;
  expect(code).toBeNull();
  return findEvent(toLines(stdout), 'record') as { readonly id: string; readonly file: string };
}

async function expectOneDeposit(scene: Scene, { account }: TestUser) {
  const [history] = await scene.cli.read(['history', account.address, '--role', 'sender']);
  expect(history).toMatchObject({ operations: [{ amountFormatted: '0.125', status: 'COMPLETED' }] });
}

function writeKeystore(scene: Scene, { privateKey }: TestUser, name: string) {
  const [keystore, password] = [join(scene.cli.folder, `${name}.json`), join(scene.cli.folder, `${name}.password`)];
  writeFileSync(keystore, encryptKeystore(privateKey, 'secret', 'scrypt'));
  writeFileSync(password, 'secret\n');
  return { keystore, password };
}

async function readWithoutKey({ environment, cli }: Scene) {
  const { book, stack } = environment;
  const [[quote], [limits], [networks]] = await Promise.all([
    cli.read(['quote', 'usdc', '50', '--to', 'ethereum']),
    cli.read(['limits', '--to', 'partner']),
    cli.read(['networks', '--environment', 'local', '--address-book', stack.addressBookFile]),
  ]);
  expect(quote).toMatchObject({ token: 'USDC', inputAmount: '50000000', outputAmount: '45000000' });
  expect(Object.keys(limits!)).toEqual(['ETHEREUM_TO_PARTNER']);
  expect(networks).toMatchObject({ bridge: { ethereum: { bridgeLock: book.ethereum.bridgeLock } } });
}

async function refuseWithoutSending({ environment, cli }: Scene, idle: TestUser) {
  const refused = await Promise.all([
    cli.run(['deposit', 'ETH', '0.1', '--json'], withKey(idle)),
    cli.run(['deposit', 'ETH', '500', '--yes', '--json'], withKey(idle)),
    cli.run(['deposit', 'ETH', '0.1', '--yes', '--json']),
    cli.run(['burn', 'USDC', '5', '--yes', '--json'], withKey(idle)),
    cli.run(['resume', `0x${'ab'.repeat(32)}`, '--yes', '--json'], withKey(idle)),
  ]);
  expect(refused.map(({ code }) => code)).toEqual([7, 3, 2, 3, 2]);
  expect(refused.map(({ stdout }) => stdout)).toEqual(['', '', '', '', '']);
  const names = ['NotConfirmedError', 'CheckError', 'UsageError', 'CheckError', 'UsageError'];
  expect(refused.map(({ stderr }) => (JSON.parse(stderr) as Json)['error'])).toEqual(names);
  const { address } = idle.account;
  expect(await environment.ethereum.client.getTransactionCount({ address })).toBe(0);
}

async function diagnose({ environment, cli }: Scene, idle: TestUser) {
  const { addressBookFile, ethereum } = environment.stack;
  const [[report], wrong] = await Promise.all([
    cli.read(['doctor', '--account', idle.account.address, '--address-book', addressBookFile]),
    cli.run(['doctor', '--partner-rpc', ethereum.rpcUrl, '--environment', 'local']),
  ]);
  const { findings } = report as { findings: readonly { severity: string; finding: string }[] };
  expect(findings.map(({ finding }) => finding).join('\n')).toMatch(/has 3 ETH, 500 USDC, 0 XCN on Ethereum/);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(wrong).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^error +nodes +.* serves chain 31337 instead of 8901 -> /m),
  });
}

/** All that users do. */
const ACTS: readonly (readonly [name: string, act: (scene: Scene, user: TestUser) => Promise<void>])[] = [
  ['deposits with a keystore, and follows the transfer to its end', depositWithKeystore],
  [
    'burns with a key from standard input',
    (scene, { privateKey }) => followSent(scene, ['burn', 'USDC', '20', '--key-stdin'], {}, `${privateKey}\n`),
  ],
  ['withdraws XCN by a call', (scene, user) => followSent(scene, ['withdraw', '6000'], withKey(user))],
  [
    'withdraws XCN by an intent, for a fee of at most 50 %',
    (scene, user) => followSent(scene, ['withdraw', '6100', '--by-intent', '--max-fee-share', '5000'], withKey(user)),
  ],
  ['claims a credit', claimCredit],
  [
    'continues after a kill before the node has the transaction',
    (scene, user) => continueAfterDeath(scene, user, 'beforeNode'),
  ],
  [
    'continues after a kill when the node has the transaction',
    (scene, user) => continueAfterDeath(scene, user, 'afterNode'),
  ],
  ['sends an undecided transfer again only when its user says so', sendUndecidedAgain],
  ['continues an imported record when confirmed', continueElsewhere],
  ['runs the examples of docs/integrate/command.md', runExamples],
  ['quotes and shows limits and networks', readWithoutKey],
  ['refuses without a terminal, after a failed check and without a key, without sending', refuseWithoutSending],
  ['reports a healthy bridge and each fault with doctor', diagnose],
];

/**
 * The command `causeway` on a real bridge: reads, refusals, transfers, kills and continuations, and doctor. Each story
 * has its own account and folder.
 */
export const COMMAND_STORIES = ACTS.map(([name, act]): Story => [
  `causeway ${name}`,
  async (environment) => {
    const cli = new CommandLine(environment);
    try {
      const [user] = await fundUsers(environment, [FUNDS]);
      if (user === undefined) throw new Error('No user was funded');
      await act({ environment, cli }, user);
    } finally {
      cli.remove();
    }
  },
]);
