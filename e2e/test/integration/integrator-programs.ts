import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { assetInfo, getToken, parseAmount, type HistoryResponse } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { User } from '@causeway/testbed';
import { SmartAccounts, waitUntil } from '@causeway/test-kit';
import { parseEther, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { TestEnvironment } from '../temporary-environment.js';

const run = promisify(execFile);
const BINARIES = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
/** Programs that other tests run: in an empty folder, in a browser, in a generated client. */
const ELSEWHERE = ['transfer.mts', 'page.ts', 'use-hey-api.ts'];
/** Modules that the programs import. */
const SHARED = ['wallets.mts', 'records.mts'];
const COMPILER_OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'nodenext',
  allowImportingTsExtensions: true,
  types: ['node'],
};

const PAGES = ['start', 'sdk', 'rest', 'contracts'];

/** Returns the TypeScript of the pages in docs/integrate, by the name in its first line. */
export function readPrograms(): ReadonlyMap<string, string> {
  const texts = PAGES.map((page) =>
    readFileSync(new URL(`../../../docs/integrate/${page}.md`, import.meta.url), 'utf8'),
  );
  const blocks = [...texts.join('\n').matchAll(/```ts\n(.*\n)([\s\S]*?)```/g)];
  return new Map(blocks.map(([, first = '', rest = '']) => [first.replace('//', '').trim(), first + rest]));
}

interface Start {
  readonly privateKey: Hex;
  readonly words?: readonly string[];
  readonly flags?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** Runs the programs of docs/integrate on a bridge on which Alice has bridged assets, in a folder like a reader's. */
export function describePrograms(getEnvironment: () => TestEnvironment): void {
  const programs = readPrograms();
  const started = new Set<string>();
  let folder: string;

  beforeAll(() => {
    // Packages are resolved from here, and git ignores the folder.
    folder = mkdtempSync(fileURLToPath(new URL('../.docs-scripts-', import.meta.url)));
    for (const [name, text] of programs) writeFileSync(join(folder, name), text);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const describeStart = (name: string, { privateKey, words = [], flags = [], variables = {} }: Start) => {
    started.add(name);
    const { apiUrl, ethereum, partner } = getEnvironment().stack;
    const own = { API: apiUrl, ETHEREUM_RPC: ethereum.rpcUrl, PARTNER_RPC: partner.rpcUrl, PRIVATE_KEY: privateKey };
    const options = { cwd: folder, env: { ...process.env, ...own, ...variables }, timeout: 120_000 };
    return { words: [...flags, name, ...words], options };
  };

  async function start(name: string, how: Start): Promise<string> {
    const { words, options } = describeStart(name, how);
    return (await run(process.execPath, words, options)).stdout;
  }

  /** Runs a program that keeps records, and kills it once its transaction is sent. */
  async function killAfterSending(name: string, how: Start): Promise<void> {
    const { words, options } = describeStart(name, how);
    const child = spawn(process.execPath, words, { ...options, stdio: 'ignore' });
    const ended = once(child, 'close');
    const records = join(folder, 'transfers');
    const isSent = () =>
      existsSync(records) &&
      readdirSync(records).some((id) => id !== 'new' && /"hash"/.test(readFileSync(join(records, id), 'utf8')));
    await waitUntil('the deposit is sent', () => Promise.resolve(isSent()));
    child.kill('SIGKILL');
    await ended;
  }

  /** Creates an account on the partner chain that Bob owns, with XCN to withdraw. */
  async function createSmartAccount(): Promise<string> {
    const { partner, accounts } = getEnvironment();
    const wallet = partner.getWallet(accounts.alice);
    const bundler = new SmartAccounts(partner.client, wallet, assetInfo('XCN').granularity);
    const account = await bundler.ownedBy(privateKeyToAccount(accounts.bob.privateKey));
    await wallet.sendTransaction({ to: account.factory, data: account.factoryData });
    await bundler.fund(account.address, parseAmount('XCN', '6001'));
    return account.address;
  }

  /** Makes Alice withdraw ETH to an account that refuses it. Afterwards the account is one with a key. */
  async function creditAccount(privateKey: Hex): Promise<void> {
    const { ethereum, accounts } = getEnvironment();
    const { address } = privateKeyToAccount(privateKey);
    // PUSH0 PUSH0 REVERT
    await ethereum.test.setCode({ address, bytecode: '0x5f5ffd' });
    const alice = new User(getEnvironment(), accounts.alice);
    const amount = parseAmount('ETH', '1');
    const { originTxHash } = await alice.burn('ETH', amount, address, amount);
    await waitUntil('it is credited', async () => (await alice.status(originTxHash))?.settlement?.credited === true);
    await ethereum.test.setCode({ address, bytecode: '0x' });
    await ethereum.test.setBalance({ address, value: parseEther('1') });
  }

  async function readCredit(privateKey: Hex): Promise<bigint> {
    const { ethereum, book } = getEnvironment();
    return ethereum.client.readContract({
      address: book.ethereum.bridgeLock,
      abi: bridgeLockAbi,
      functionName: 'claimable',
      args: [getToken(book, 'ethereum', 'ETH'), privateKeyToAccount(privateKey).address],
    });
  }

  describe('the programs of docs/integrate', () => {
    it('compile in strict mode', async () => {
      const files = [...programs.keys()].filter((name) => name !== 'use-hey-api.ts');
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files }));
      const { stdout } = await run(join(BINARIES, 'tsc'), ['-p', folder]).catch((error: { stdout: string }) => error);
      expect(stdout).toBe('');
    });

    it('make each transfer, and complete the one of a program that was killed', async () => {
      const { alice, bob } = getEnvironment().accounts;
      const smartAccount = await createSmartAccount();
      const claimant = generatePrivateKey();
      const inTurn = async (...runs: (() => Promise<string>)[]) => {
        const outputs: string[] = [];
        for (const each of runs) outputs.push(await each());
        return outputs;
      };
      // In parallel, except for transactions of one account on one chain.
      const [depositsOfAlice, depositsOfBob, ofAlice, ofBob] = await Promise.all([
        inTurn(
          () => start('deposit-coin.mts', alice),
          () => start('deposit-token.mts', alice),
          async () => killAfterSending('deposit-kept.mts', alice).then(() => start('resume.mts', alice)),
        ),
        inTurn(
          () => start('ethers.mts', bob),
          () => start('abi.mts', bob),
          () => start('deposit-signed.mts', { ...alice, variables: { SUBMITTER_KEY: bob.privateKey } }),
        ),
        inTurn(
          () => start('burn.mts', alice),
          () => start('withdraw-by-intent.mts', alice),
          async () => creditAccount(claimant).then(() => start('claim.mts', { privateKey: claimant })),
        ),
        inTurn(
          () => start('withdraw-xcn.mts', bob),
          () => start('withdraw-by-smart-account.mts', { ...bob, variables: { SMART_ACCOUNT: smartAccount } }),
        ),
      ]);
      const signs = `Sign the authorization of USDC\nDeposit USDC for ${alice.address}\n`;
      expect(depositsOfAlice).toEqual(['Delivered 0.5 ETH\n', `${signs}Delivered 25 USDC\n`, 'Delivered 26 USDC\n']);
      expect(depositsOfBob).toEqual(['Delivered 0.25 ETH\n', 'Delivered 0.1 ETH\n', 'Delivered 25 USDC\n']);
      const claimed = expect.stringMatching(/^Claimed in 0x[\da-f]{64}\n$/);
      expect(ofAlice).toEqual(['Delivered 95 USDC\n', 'Delivered 5000 XCN\n', claimed]);
      expect(await readCredit(claimant)).toBe(0n);
      expect(ofBob).toEqual(['Delivered 6000 XCN\n', 'Delivered 5001 XCN\n']);
      expect(readdirSync(join(folder, 'transfers'))).toEqual([]);
    });

    it('follow transfers, and find the transfer of the killed program made once', async () => {
      const { apiUrl } = getEnvironment().stack;
      const { alice } = getEnvironment().accounts;
      const answer = await fetch(`${apiUrl}/bridge/history?address=${alice.address}&status=COMPLETED`);
      const { operations } = (await answer.json()) as HistoryResponse;
      const words = [operations[0]?.originTxHash ?? ''];
      const output = await start('watch.mts', { ...alice, words });
      expect(output).toMatch(/^COMPLETED \n/);
      expect(output.match(/^26 USDC COMPLETED$/gm)).toHaveLength(1);
      const events = await start('events.mts', { ...alice, words, flags: ['--experimental-eventsource'] });
      expect(events).toBe('COMPLETED\n');
    });

    it('name the problems of a transfer without signing', async () => {
      const { alice } = getEnvironment().accounts;
      expect(await start('check.mts', alice)).toBe(
        'blocking BALANCE_TOO_LOW Fund the account, or choose a lower amount.\n' +
          'blocking AMOUNT_TOO_HIGH Choose at most 1000 ETH.\n',
      );
      expect(await start('errors.mts', alice)).toBe(
        'InvalidInputError amount\nCorrect amount.\n' +
          'CheckError amount BALANCE_TOO_LOW AMOUNT_TOO_HIGH\n' +
          'Fund the account, or choose a lower amount. Choose at most 1000 ETH.\n',
      );
    });

    it('are all run', () => {
      expect([...started, ...SHARED, ...ELSEWHERE].toSorted()).toEqual([...programs.keys()].toSorted());
    });
  });
}
