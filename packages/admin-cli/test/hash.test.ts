import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeFunctionData, type Address } from 'viem';
import { callHash, findCommand, prepareCommand, safeFile, type PreparedTransaction } from '@causeway/governance';
import { bridgeMintAbi } from '@causeway/contracts/abi';
import { deployBridge, writeAddressBook, type AddressBook } from '@causeway/contracts/deploy';
import { localConfig, newcomer, owner, policyManager, startChains, type TestChains } from './fixtures.js';

const CLI = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'causeway-hash-'));
const bookFile = join(directory, 'book.json');
const safeFileName = join(directory, 'safe.json');

let chains: TestChains;
let book: AddressBook;

beforeAll(async () => {
  chains = await startChains();
  const config = localConfig({ admin: owner.address, adminDelaySeconds: 3_600 });
  book = await deployBridge({ config, ...chains });
  writeAddressBook(bookFile, book);
});

afterAll(async () => {
  rmSync(directory, { recursive: true });
  await chains?.stop();
});

const hash = async (...args: readonly string[]) =>
  (await promisify(execFile)(process.execPath, [CLI, 'hash', ...args, '--book', bookFile], { env: {} })).stdout;

async function prepare(name: string, options: Readonly<Record<string, string>>, account: Address) {
  const clients = { ethereum: chains.ethereum.client, partner: chains.partner.client };
  return prepareCommand({ command: findCommand(name), options, account, book, clients });
}

const policy = { asset: 'ETH', rate: '0.3%', 'min-fee': '0.003 ETH', 'min-amount': '0.01 ETH' };
const asArguments = (options: object) => Object.entries(options).flatMap(([name, text]) => [`--${name}`, text]);

describe('causeway-admin hash', () => {
  it('recomputes a hash from the address book, which detects a falsified one', async () => {
    const [prepared] = await prepare('set-policy', policy, policyManager.address);
    const printed = await hash('set-policy', ...asArguments(policy));
    expect(printed).toMatch(/^BridgeMint on partner: setFeePolicy\n {2}token = 0x/);
    expect(printed).toContain(`\nhash ${prepared?.callHash}\n`);

    const { chainId, to, value } = prepared as PreparedTransaction;
    const args = [book.partner.tokens.ETH, { bps: 9_999, minFee: 0n, minAmount: 0n }] as const;
    const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'setFeePolicy', args });
    expect(printed).not.toContain(callHash({ chainId, to, value, data }));
  });

  it('needs a node when a timelock makes the call', async () => {
    const options = ['set-treasury', '--to', newcomer.address];
    await expect(hash(...options, '--signer', owner.address)).rejects.toThrow(/give a node with --ethereum-rpc <url>/);
    const node = ['--ethereum-rpc', chains.anvils[0].url];
    await expect(hash(...options, ...node)).rejects.toThrow(/Missing option: --signer/);
    const [prepared] = await prepare('set-treasury', { to: newcomer.address }, owner.address);
    const printed = await hash(...options, ...node, '--signer', owner.address);
    expect(printed).toMatch(
      /^the admin timelock: schedule\n[^]*BridgeLock on ethereum: setTreasury\n {2}newTreasury = /,
    );
    expect(printed).toContain(`\nhash ${prepared?.callHash}\n`);
  });

  it('shows the calls of a file for a Safe, and reports one that was changed or goes elsewhere', async () => {
    const transactions = await prepare('set-policy', policy, policyManager.address);
    const file = safeFile({
      chainId: book.partner.chainId,
      safe: policyManager.address,
      description: 'set-policy',
      createdAt: new Date(0),
      transactions,
    });
    writeFileSync(safeFileName, JSON.stringify(file));
    const printed = await hash('--safe-file', safeFileName);
    expect(printed).toContain(`\nhash ${transactions[0]?.callHash}\n`);

    const elsewhere = transactions.map((one) => ({ ...one, to: newcomer.address }));
    writeFileSync(safeFileName, JSON.stringify({ ...file, transactions: elsewhere.map(asText) }));
    await expect(hash('--safe-file', safeFileName)).rejects.toMatchObject({
      stdout: expect.stringMatching(/^A CONTRACT THAT IS NOT IN THE ADDRESS BOOK/),
      stderr: expect.stringMatching(/was changed: its checksum is wrong/),
    });
    writeFileSync(safeFileName, JSON.stringify({ ...file, version: '2' }));
    await expect(hash('--safe-file', safeFileName)).rejects.toThrow(/version must be 1.0/);
  });
});

const asText = ({ to, data, value }: PreparedTransaction) => ({ to, data, value: value.toString() });
