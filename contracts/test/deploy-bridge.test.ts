import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPublicClient, createWalletClient, parseEther, zeroAddress, type Address } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { bridgeLockAbi, bridgeMintAbi } from '../generated/abi.js';
import {
  deployBridge,
  deploymentConfigSchema,
  readAddressBook,
  writeAddressBook,
  type DeployTarget,
} from '../deploy/index.js';
import { startAnvil, type Anvil } from './start-anvil.js';

// Keys of development nodes, known to everybody.
const deployer = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const relayer: Address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const units = (whole: string) => parseEther(whole).toString();

const config = deploymentConfigSchema.parse({
  environment: 'local',
  relayer,
  guardian: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  treasury: '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
  adminDelaySeconds: 3_600,
  nativeUnit: '10000000000',
  feePolicies: {
    ETH: { bps: 25, minFee: units('0.003'), minAmount: units('0.01') },
    USDC: { bps: 25, minFee: '5000000', minAmount: '10000000' },
    XCN: { bps: 25, minFee: units('1000'), minAmount: units('5000') },
  },
  outflowLimits: {
    ETH: { capacity: units('100'), windowSeconds: 3_600 },
    USDC: { capacity: '1000000000000', windowSeconds: 3_600 },
    XCN: { capacity: units('1000000'), windowSeconds: 3_600 },
  },
});

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

  it('stops when the relayer would also be the admin', async () => {
    const careless = { ...config, relayer: deployer.address };
    await expect(deployBridge({ config: careless, ethereum, partner })).rejects.toThrow(/InvalidSetting|revert/);
  });
});
