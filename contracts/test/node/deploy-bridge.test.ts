import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseEther, zeroAddress } from 'viem';
import { bridgeLockAbi, bridgeMintAbi } from '../../generated/abi.js';
import { FACTORY_ADDRESS } from '../../deploy/factory.js';
import { deployBridge, deploymentConfigSchema, readAddressBook } from '../../deploy/index.js';
import { planDeployment } from '../../deploy/plan-deployment.js';
import {
  LOCAL_BOOK_FILE,
  LOCAL_CONFIG_FILE,
  deployer,
  localConfig,
  owner,
  startChains,
  type TestChains,
  type TestTarget,
} from './fixtures.js';

const POLICY_MANAGER = '0x00000000000000000000000000000000000000aa';

let chains: TestChains;
let ethereum: TestTarget;
let partner: TestTarget;

beforeAll(async () => {
  chains = await startChains();
  ({ ethereum, partner } = chains);
  await chains.snapshot();
});

beforeEach(async () => chains.restore());

afterAll(async () => chains?.stop());

describe('deployBridge', () => {
  it('deploys both ends that know each other, with fees and limits', async () => {
    const steps: string[] = [];
    const book = await deployBridge({ config: localConfig(), ethereum, partner, onStep: (step) => steps.push(step) });
    const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
    const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
    const peerOfLock = await ethereum.client.readContract({ ...lock, functionName: 'peer' });
    expect(peerOfLock.toLowerCase()).toBe(book.partner.bridgeMint);
    const peerOfMint = await partner.client.readContract({ ...mint, functionName: 'peer' });
    expect(peerOfMint.toLowerCase()).toBe(book.ethereum.bridgeLock);
    const xcn = await partner.client.readContract({ ...mint, functionName: 'feePolicy', args: [zeroAddress] });
    expect(xcn).toEqual([25, parseEther('1000'), parseEther('5000')]);
    const { USDC, XCN } = book.ethereum.tokens;
    const room = await ethereum.client.readContract({ ...lock, functionName: 'outflowRoom', args: [USDC] });
    expect(room).toBe(1_000_000_000_000n);
    const settings = await ethereum.client.readContract({ ...lock, functionName: 'tokenSettings', args: [XCN] });
    expect(settings).toEqual([true, 10n ** 10n]);
    expect(steps.at(-1)).toBe('reading it back');
  });

  it('puts a fresh local deployment where the published address book says', async () => {
    const published = readAddressBook(LOCAL_BOOK_FILE);
    const meant = deploymentConfigSchema.parse(JSON.parse(readFileSync(LOCAL_CONFIG_FILE, 'utf8')));
    expect(published.partner.nativeUnit).toBe(meant.nativeUnit.toString());
    expect(published.relayer).toBe(meant.relayer);
    expect((await deployBridge({ config: localConfig(), ethereum, partner })).ethereum).toEqual(published.ethereum);
    // Both chains have the factory at one address: the genesis of the embedded chain contains the proxy.
    const side = { deployer: deployer.address, factory: FACTORY_ADDRESS };
    const plan = planDeployment(meant, { ...side, chainId: 31_337 }, { ...side, chainId: 8_901 });
    const { bridgeMint, bridgedTokens } = plan;
    const planned = [bridgeMint, bridgedTokens.ETH, bridgedTokens.USDC].map(({ address }) => address.toLowerCase());
    const { tokens } = published.partner;
    expect(planned).toEqual([published.partner.bridgeMint, tokens.ETH, tokens.USDC]);
  });

  it('keeps an earlier deployment, and deploys beside it under another salt', async () => {
    const first = await deployBridge({ config: localConfig(), ethereum, partner });
    const transactions = async () => ethereum.client.getTransactionCount({ address: deployer.address });
    const before = await transactions();
    expect(await deployBridge({ config: localConfig(), ethereum, partner })).toEqual(first);
    expect(await transactions()).toBe(before);
    const second = await deployBridge({ config: localConfig({ salt: '2' }), ethereum, partner });
    expect(second.ethereum.bridgeLock).not.toBe(first.ethereum.bridgeLock);
    expect(second.partner.bridgeMint).not.toBe(first.partner.bridgeMint);
  });

  it('continues after an interruption at any step', async () => {
    const whole = await deployBridge({ config: localConfig(), ethereum, partner });
    for (let stopAfter = 1; stopAfter <= 6; stopAfter++) {
      await chains.restore();
      let steps = 0;
      const onStep = () => {
        if (++steps === stopAfter) throw new Error('power cut');
      };
      const config = localConfig();
      await expect(deployBridge({ config, ethereum, partner, onStep })).rejects.toThrow('power cut');
      const book = await deployBridge({ config, ethereum, partner });
      expect(book.ethereum.bridgeLock).toBe(whole.ethereum.bridgeLock);
      expect(book.partner).toMatchObject({ bridgeMint: whole.partner.bridgeMint, tokens: whole.partner.tokens });
    }
  });

  it('gives every role to its owner and leaves the deployer none', async () => {
    const config = localConfig({ admin: owner.address, policyManager: POLICY_MANAGER, adminDelaySeconds: 7_200 });
    const book = await deployBridge({ config, ethereum, partner });
    for (const { client, address } of [
      { client: ethereum.client, address: book.ethereum.bridgeLock },
      { client: partner.client, address: book.partner.bridgeMint },
    ]) {
      const end = { address, abi: bridgeLockAbi } as const;
      const roles = ['DEFAULT_ADMIN_ROLE', 'GUARDIAN_ROLE', 'POLICY_MANAGER_ROLE'] as const;
      for (const functionName of roles) {
        const role = await client.readContract({ ...end, functionName });
        const args = [role, deployer.address] as const;
        expect(await client.readContract({ ...end, functionName: 'hasRole', args })).toBe(false);
      }
      const admin = await client.readContract({ ...end, functionName: 'defaultAdmin' });
      expect(admin).not.toBe(owner.address);
      expect(await client.getCode({ address: admin })).toBeDefined();
    }
  });

  it('stops when the relayer would also be the admin', async () => {
    const config = { ...localConfig(), relayer: deployer.address };
    await expect(deployBridge({ config, ethereum, partner })).rejects.toThrow(/InvalidSetting|revert/);
  });

  it('does not deploy for an EVM that counts coins in another unit', async () => {
    const config = localConfig({ nativeUnit: '10000000000' });
    await expect(deployBridge({ config, ethereum, partner })).rejects.toThrow(
      'The native unit is 1 on the chain, but should be 10000000000',
    );
    expect(await partner.client.getTransactionCount({ address: deployer.address })).toBe(0);
  });

  it('does not deploy on the chains of another environment', async () => {
    const config = { ...localConfig(), environment: 'testnet' } as const;
    await expect(deployBridge({ config, ethereum, partner })).rejects.toThrow(
      'The id of the ethereum chain is 31337 on the chain, but should be 11155111',
    );
  });
});
