import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getToken, parseAmount, type HistoryResponse } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { User } from '@causeway/testbed';
import { waitUntil } from '@causeway/test-kit';
import { parseEther, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { TestEnvironment } from '../temporary-environment.js';

const run = promisify(execFile);
const BINARIES = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
/** Programs that other tests run: in an empty folder, in a browser, in a generated client. */
const ELSEWHERE = ['transfer.mts', 'page.ts', 'use-hey-api.ts', 'app.tsx', 'transfers.tsx'];
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
  jsx: 'react-jsx',
  allowImportingTsExtensions: true,
  types: ['node'],
};

const TEXT = ['start', 'sdk', 'react', 'rest', 'contracts']
  .map((page) => readFileSync(new URL(`../../../docs/integrate/${page}.md`, import.meta.url), 'utf8'))
  .join('\n');

/** Returns the TypeScript of the pages in docs/integrate, by the name in its first line. */
export function readPrograms(): ReadonlyMap<string, string> {
  const blocks = [...TEXT.matchAll(/```tsx?\n(.*\n)([\s\S]*?)```/g)];
  return new Map(blocks.map(([, first = '', rest = '']) => [first.replace('//', '').trim(), first + rest]));
}

/** Returns the variables that the pages export in a shell. */
function readExports(): Readonly<Record<string, string>> {
  const words = [...TEXT.matchAll(/^export (.+)$/gm)].flatMap(([, line = '']) => line.split(' '));
  return Object.fromEntries(words.map((word) => word.split('=')));
}

/** Arguments of a program, and variables besides those that the pages export. */
interface Start {
  readonly words?: readonly string[];
  readonly flags?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** Runs the programs of docs/integrate on an empty bridge, in a folder and with variables like a reader's. */
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

  const describeStart = (name: string, { words = [], flags = [], variables = {} }: Start = {}) => {
    started.add(name);
    const { apiUrl, ethereum, partner } = getEnvironment().stack;
    const urls = { API: apiUrl, ETHEREUM_RPC: ethereum.rpcUrl, PARTNER_RPC: partner.rpcUrl };
    const options = { cwd: folder, env: { ...process.env, ...readExports(), ...urls, ...variables }, timeout: 120_000 };
    return { words: [...flags, name, ...words], options };
  };

  async function start(name: string, how?: Start): Promise<string> {
    const { words, options } = describeStart(name, how);
    return (await run(process.execPath, words, options)).stdout;
  }

  /** Starts programs in order: each when the previous one has sent its number of transactions. */
  async function runInOrder(
    side: 'ethereum' | 'partner',
    counts: Readonly<Record<string, number>>,
  ): Promise<readonly string[]> {
    const { [side]: chain, accounts } = getEnvironment();
    const countSent = async () => chain.client.getTransactionCount({ address: accounts.alice.address });
    const outputs: Promise<string>[] = [];
    for (const [name, transactions] of Object.entries(counts)) {
      const expected = (await countSent()) + transactions;
      const output = start(name);
      outputs.push(output);
      await Promise.race([output, waitUntil(`${name} has sent`, async () => (await countSent()) >= expected)]);
    }
    return Promise.all(outputs);
  }

  /** Runs a program that keeps records, and kills it once its transaction is sent. */
  async function killAfterSending(name: string): Promise<void> {
    const { words, options } = describeStart(name);
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

  /** Makes Alice withdraw ETH to an account that refuses it. Afterwards the account is one with a key. */
  async function creditAccount(privateKey: Hex): Promise<void> {
    const { ethereum, accounts } = getEnvironment();
    const { address } = privateKeyToAccount(privateKey);
    // PUSH0 PUSH0 REVERT
    await ethereum.test.setCode({ address, bytecode: '0x5f5ffd' });
    const alice = new User(getEnvironment(), accounts.alice);
    const amount = parseAmount('ETH', '0.1');
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

    it('make each transfer in the order of the pages on an empty bridge, and complete the one of a program that was killed', async () => {
      const { address } = getEnvironment().accounts.alice;
      const deposits = await runInOrder('ethereum', {
        'deposit-coin.mts': 1,
        'deposit-token.mts': 1,
        'deposit-xcn.mts': 2,
        'ethers.mts': 1,
      });
      const deposit = `Deposit USDC for ${address}`;
      const signature = 'Sign the authorization of USDC';
      const changes = [signature, `${signature}: done`, deposit, `${deposit}: pending`, `${deposit}: done`];
      const progress = ['Check the transfer', 'The transfer can begin', ...changes].join('\n');
      expect(deposits).toEqual([
        'Delivered 0.5 ETH\n',
        `${progress}\nDelivered 250 USDC\n`,
        'Delivered 20000 XCN\n',
        'Delivered 0.25 ETH\n',
      ]);

      // In parallel, since each uses one chain.
      const withdrawals = runInOrder('partner', {
        'burn.mts': 1,
        'withdraw-xcn.mts': 1,
        'withdraw-by-intent.mts': 1,
        'withdraw-by-smart-account.mts': 1,
      });
      const others = async () => [
        await start('claim.mts'),
        await killAfterSending('deposit-kept.mts').then(() => start('resume.mts')),
        ...(await runInOrder('ethereum', { 'abi.mts': 1, 'deposit-signed.mts': 0 })),
      ];
      const [ofPartner, ofEthereum] = await Promise.all([withdrawals, others()]);
      const paid = ['95 USDC', '6000 XCN', '5000 XCN', '5001 XCN'];
      expect(ofPartner).toEqual(paid.map((amount) => `Delivered ${amount}\n`));
      const rest = ['Delivered 26 USDC\n', 'Delivered 0.1 ETH\n', 'Delivered 25 USDC\n'];
      expect(ofEthereum).toEqual(['No credit\n', ...rest]);
      expect(readdirSync(join(folder, 'transfers'))).toEqual([]);
    });

    it('claim a credit', async () => {
      const claimant = generatePrivateKey();
      await creditAccount(claimant);
      expect(await start('claim.mts', { variables: { PRIVATE_KEY: claimant } })).toMatch(
        /^Claimed in 0x[\da-f]{64}\n$/,
      );
      expect(await readCredit(claimant)).toBe(0n);
    });

    it('follow transfers, and find the transfer of the killed program made once', async () => {
      const { apiUrl } = getEnvironment().stack;
      const { alice } = getEnvironment().accounts;
      const answer = await fetch(`${apiUrl}/bridge/history?address=${alice.address}&status=COMPLETED`);
      const { operations } = (await answer.json()) as HistoryResponse;
      const words = [operations[0]?.originTxHash ?? ''];
      const output = await start('watch.mts', { words });
      expect(output).toMatch(/^COMPLETED \n/);
      expect(output.match(/^26 USDC COMPLETED$/gm)).toHaveLength(1);
      const events = await start('events.mts', { words, flags: ['--experimental-eventsource'] });
      expect(events).toBe('COMPLETED\n');
    });

    it('name the problems of a transfer without signing', async () => {
      expect(await start('check.mts')).toBe(
        'blocking BALANCE_TOO_LOW Add funds to the account, or choose a lower amount.\n' +
          'blocking AMOUNT_TOO_HIGH Choose at most 1000 ETH.\n',
      );
      expect(await start('errors.mts')).toBe(
        'InvalidInputError amount\nEnter another amount.\n' +
          'CheckError amount BALANCE_TOO_LOW AMOUNT_TOO_HIGH\n' +
          'Add funds to the account, or choose a lower amount. Choose at most 1000 ETH.\n',
      );
    });

    it('are all run', () => {
      expect([...started, ...SHARED, ...ELSEWHERE].toSorted()).toEqual([...programs.keys()].toSorted());
    });
  });
}
