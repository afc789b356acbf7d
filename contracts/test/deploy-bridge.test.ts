import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPublicClient, createWalletClient, parseEther, zeroAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { bridgeLockAbi, bridgeMintAbi } from '../generated/abi.js';
import {
  deployBridge,
  deploymentConfigSchema,
  readAddressBook,
  writeAddressBook,
  type DeployTarget,
} from '../deploy/index.js';
import { verifyDeployment } from '../deploy/verify-deployment.js';
import { startAnvil, type Anvil } from './start-anvil.js';

// Keys of development nodes, known to everybody.
const deployer = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const configFile = fileURLToPath(new URL('../deploy/config/local.json', import.meta.url));
const config = deploymentConfigSchema.parse(JSON.parse(readFileSync(configFile, 'utf8')));

let anvils: Anvil[];
let ethereum: DeployTarget;
let partner: DeployTarget;

function targetOf({ chain, transport }: Anvil): DeployTarget {
  return {
    client: createPublicClient({ chain, transport, pollingInterval: 50, cacheTime: 0 }),
    wallet: createWalletClient({ chain, transport, account: deployer }),
  };
}

beforeAll(async () => {
  const [first, second] = await Promise.all([startAnvil(31_337), startAnvil(8_901)]);
  anvils = [first, second];
  ethereum = targetOf(first);
  partner = targetOf(second);
}, 30_000);

afterAll(async () => {
  await Promise.all(anvils.map((anvil) => anvil.stop()));
});

describe('deployBridge', () => {
  it('deploys both ends that know each other, with fees and limits, and gives a book that survives a file', async () => {
    const steps: string[] = [];
    const book = await deployBridge({ config, ethereum, partner, onStep: (step) => steps.push(step) });
    const directory = mkdtempSync(join(tmpdir(), 'causeway-book-'));
    writeAddressBook(join(directory, 'book.json'), book);
    expect(readAddressBook(join(directory, 'book.json'))).toEqual(book);
    rmSync(directory, { recursive: true });

    const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
    const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
    expect((await ethereum.client.readContract({ ...lock, functionName: 'peer' })).toLowerCase()).toBe(
      book.partner.bridgeMint,
    );
    expect((await partner.client.readContract({ ...mint, functionName: 'peer' })).toLowerCase()).toBe(
      book.ethereum.bridgeLock,
    );
    const xcn = await partner.client.readContract({ ...mint, functionName: 'feePolicy', args: [zeroAddress] });
    expect(xcn).toEqual([25, parseEther('1000'), parseEther('5000')]);
    const room = await ethereum.client.readContract({
      ...lock,
      functionName: 'outflowRoom',
      args: [book.ethereum.tokens.USDC],
    });
    expect(room).toBe(1_000_000_000_000n);
    const [, granularity] = await ethereum.client.readContract({
      ...lock,
      functionName: 'tokenSettings',
      args: [book.ethereum.tokens.XCN],
    });
    expect(granularity).toBe(10n ** 10n);
    expect(steps.at(-1)).toBe('reading it back');
  }, 30_000);

  it('deploys beside an earlier deployment without touching it', async () => {
    const first = await deployBridge({ config, ethereum, partner });
    const second = await deployBridge({ config, ethereum, partner });
    expect(second.ethereum.bridgeLock).not.toBe(first.ethereum.bridgeLock);
    expect(second.partner.bridgeMint).not.toBe(first.partner.bridgeMint);
  }, 30_000);

  it('tells what on the chain is not what was meant', async () => {
    const book = await deployBridge({ config, ethereum, partner });
    const world = { book, config, ethereum, partner };
    await expect(verifyDeployment(world)).resolves.toBeUndefined();
    const elsewhere = { ...book, relayer: deployer.address };
    await expect(verifyDeployment({ ...world, book: elsewhere })).rejects.toThrow(/relayer of BridgeLock is 0x7099/);
    const cheaper = { ...config.feePolicies, XCN: { ...config.feePolicies.XCN, bps: 24 } };
    await expect(verifyDeployment({ ...world, config: { ...config, feePolicies: cheaper } })).rejects.toThrow(
      /fee policy of XCN is 25,/,
    );
  }, 30_000);

  it('takes only limits and policies that the contracts keep', () => {
    const raw = JSON.parse(readFileSync(configFile, 'utf8'));
    const withLimit = (limit: object) => ({ ...raw, outflowLimits: { ...raw.outflowLimits, ETH: limit } });
    const errorOf = (input: unknown) => deploymentConfigSchema.safeParse(input).error?.issues[0];
    expect(errorOf(withLimit({ capacity: '1234567890123', windowSeconds: 1 }))?.message).toMatch(/12 significant/);
    expect(errorOf(withLimit({ capacity: `${2n ** 96n}`, windowSeconds: 1 }))?.message).toMatch(/below 2\^96/);
    expect(errorOf(withLimit({ capacity: '1', windowSeconds: 2 ** 24 }))?.path).toContain('windowSeconds');
    const generous = { ...raw.feePolicies, ETH: { bps: 25, minFee: '5', minAmount: '5' } };
    expect(errorOf({ ...raw, feePolicies: generous })?.message).toBe('minAmount must be above minFee');
  });

  it('stops when the relayer would also be the admin', async () => {
    const careless = { ...config, relayer: deployer.address };
    await expect(deployBridge({ config: careless, ethereum, partner })).rejects.toThrow(/InvalidSetting|revert/);
  });

  it('is what the command does: from a reviewed file to an address book', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'causeway-deploy-'));
    const out = join(directory, 'local.json');
    const cli = fileURLToPath(new URL('../dist/deploy/cli.js', import.meta.url));
    const urls = anvils.map(({ chain }) => chain.rpcUrls.default.http[0] ?? '');
    const args = [cli, '--config', configFile, '--ethereum-rpc', urls[0]!, '--partner-rpc', urls[1]!, '--out', out];
    const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { DEPLOYER_PRIVATE_KEY: key } });
    expect(stdout).toContain('reading it back');
    const book = readAddressBook(out);
    expect(await partner.client.getCode({ address: book.partner.bridgeMint })).not.toBeUndefined();
    await expect(promisify(execFile)(process.execPath, args, { env: {} })).rejects.toThrow(
      /DEPLOYER_PRIVATE_KEY must be set/,
    );
    rmSync(directory, { recursive: true });
  }, 30_000);
});
