import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseEther, zeroAddress, type Address } from 'viem';
import { adminTimelockAbi, bridgeLockAbi, bridgeMintAbi, sentinelAbi } from '../../generated/abi.js';
import { FACTORY_ADDRESS } from '../../deploy/factory.js';
import {
  deployBridge,
  deploymentConfigSchema,
  readAddressBook,
  simulateDeployment,
  writeAddressBook,
} from '../../deploy/index.js';
import { planDeployment } from '../../deploy/plan-deployment.js';
import {
  LOCAL_BOOK_FILE,
  LOCAL_CONFIG_FILE,
  makeAddress,
  deployer,
  guardian,
  pauser,
  localConfig,
  owner,
  policyManager,
  relayer,
  standby,
  startChains,
  treasury,
  type TestChains,
  type TestTarget,
} from './fixtures.js';

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

/** Both sides of a plan, with the factory at its address everywhere. */
function sides() {
  const side = { deployer: deployer.address, factory: FACTORY_ADDRESS };
  return [
    { ...side, chainId: 31_337 },
    { ...side, chainId: 8_901 },
  ] as const;
}

describe('deployBridge', () => {
  it('deploys both contracts as peers of each other, with fees and limits', async () => {
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
    expect(settings).toEqual([true, true, 10n ** 10n, 10n ** 16n]);
    const largest = await ethereum.client.readContract({ ...lock, functionName: 'maxAmount', args: [zeroAddress] });
    expect(largest).toBe(parseEther('50'));
    const ceiling = await partner.client.readContract({ ...mint, functionName: 'limitCeiling', args: [zeroAddress] });
    expect(ceiling).toEqual({ capacity: parseEther('2000000'), window: 1_800n, maxAmount: parseEther('1000000') });
    expect(steps.at(-1)).toBe('verifying the deployment');
  });

  it('deploys a fresh local bridge at the addresses of the published address book', async () => {
    const before = readAddressBook(LOCAL_BOOK_FILE);
    const book = await deployBridge({ config: localConfig(), ethereum, partner });
    if (process.env['UPDATE_BOOK'] === '1') {
      // `book:update`, after a change of the factory's code. Here anvil plays the partner chain.
      const { deployedAtBlock, nativeUnit } = before.partner;
      writeAddressBook(LOCAL_BOOK_FILE, { ...book, partner: { ...book.partner, deployedAtBlock, nativeUnit } });
    }
    const published = readAddressBook(LOCAL_BOOK_FILE);
    const meant = deploymentConfigSchema.parse(JSON.parse(readFileSync(LOCAL_CONFIG_FILE, 'utf8')));
    expect(published.partner.nativeUnit).toBe(meant.nativeUnit.toString());
    expect(published.relayer).toBe(meant.relayer);
    expect(book.ethereum).toEqual(published.ethereum);
    // Both chains have the factory at one address: the genesis of the embedded chain contains the proxy.
    const { bridgeMint, bridgedTokens } = planDeployment(meant, ...sides());
    const planned = [bridgeMint, bridgedTokens.ETH, bridgedTokens.USDC].map(({ address }) => address.toLowerCase());
    const { tokens } = published.partner;
    expect(planned).toEqual([published.partner.bridgeMint, tokens.ETH, tokens.USDC]);
  });

  it('keeps an earlier deployment, and deploys another one under another salt', async () => {
    const first = await deployBridge({ config: localConfig(), ethereum, partner });
    const transactions = async () => ethereum.client.getTransactionCount({ address: deployer.address });
    const before = await transactions();
    expect(await deployBridge({ config: localConfig(), ethereum, partner })).toEqual(first);
    expect(await transactions()).toBe(before);
    const second = await deployBridge({ config: localConfig({ salt: '2' }), ethereum, partner });
    expect(second.ethereum.bridgeLock).not.toBe(first.ethereum.bridgeLock);
    expect(second.partner.bridgeMint).not.toBe(first.partner.bridgeMint);
  });

  it('resumes after an interruption at any step', async () => {
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

  it('gives each role to its configured account, and the admin role to a timelock with the configured delay', async () => {
    const attesters = [makeAddress(9), makeAddress(8)];
    const config = localConfig({ admin: owner.address, adminDelaySeconds: 7_200, attesters, threshold: 2 });
    const book = await deployBridge({ config, ethereum, partner });
    for (const { client, address, sentinel } of [
      { client: ethereum.client, address: book.ethereum.bridgeLock, ...book.ethereum },
      { client: partner.client, address: book.partner.bridgeMint, ...book.partner },
    ]) {
      const bridge = { address, abi: bridgeLockAbi } as const;
      const keys = [];
      for (const functionName of ['policyManager', 'relayer', 'standby'] as const) {
        keys.push(await client.readContract({ ...bridge, functionName }));
      }
      expect(keys).toEqual([policyManager, relayer, standby].map((account) => account.address));
      const [setNumber, members, threshold] = await client.readContract({ ...bridge, functionName: 'attesters' });
      expect([setNumber, members, threshold]).toEqual([1n, [makeAddress(8), makeAddress(9)], 2n]);
      const timelock = {
        address: await client.readContract({ ...bridge, functionName: 'owner' }),
        abi: adminTimelockAbi,
      } as const;
      expect(await client.readContract({ ...timelock, functionName: 'minimumDelay' })).toBe(7_200n);
      const at = { address: sentinel, abi: sentinelAbi } as const;
      expect(await client.readContract({ ...at, functionName: 'timelock' })).toBe(timelock.address);
      expect(await client.readContract({ ...at, functionName: 'isPauser', args: [pauser.address] })).toBe(true);
      expect(await client.readContract({ ...timelock, functionName: 'guardian' })).toBe(guardian.address);
      const proposer = await client.readContract({ ...timelock, functionName: 'PROPOSER_ROLE' });
      const proposes = async (account: Address) =>
        client.readContract({ ...timelock, functionName: 'hasRole', args: [proposer, account] });
      expect([await proposes(owner.address), await proposes(deployer.address)]).toEqual([true, false]);
    }
  });

  it('simulates a deployment without sending anything', async () => {
    const before = await ethereum.client.getTransactionCount({ address: deployer.address });
    const input = { config: localConfig(), ethereum, partner };
    const simulated = await simulateDeployment(input);
    expect(simulated.withoutFactory).toEqual(['ethereum', 'partner']);
    expect(await ethereum.client.getTransactionCount({ address: deployer.address })).toBe(before);
    const book = await deployBridge(input);
    const { plan, contracts } = simulated;
    expect(plan.bridgeLock.address.toLowerCase()).toBe(book.ethereum.bridgeLock);
    const { name, address } = plan.bridgeMint;
    expect(contracts).toContainEqual({ side: 'partner', name, address, exists: false });
    const again = await simulateDeployment(input);
    expect(again.contracts.every(({ exists }) => exists)).toBe(true);
    expect(again.withoutFactory).toEqual([]);
  });

  it('reports the decoded error of a constructor before anything is sent', async () => {
    // The schema also refuses this; the contract is the last defence.
    const twice = { ...localConfig(), policyManager: { ethereum: treasury.address, partner: owner.address } };
    const config = { ...twice, limits: { ...twice.limits, ETH: { ...twice.limits.ETH, capacity: 1n } } };
    const input = { config: twice, ethereum, partner };
    const refused = `BridgeLock cannot be deployed: its constructor reverts with RoleTaken(${treasury.address})`;
    await expect(simulateDeployment(input)).rejects.toThrow(refused);
    await expect(simulateDeployment({ ...input, config })).rejects.toThrow(
      /reverts with NotInUnits\(1, 10000000000000\)/,
    );
    await expect(deployBridge(input)).rejects.toThrow(refused);
    const { address } = planDeployment(twice, ...sides()).bridgeLock;
    expect(await ethereum.client.getCode({ address })).toBeUndefined();
  });

  it('stops when the deployer, here the admin, has another role', async () => {
    const config = { ...localConfig(), relayer: deployer.address };
    await expect(deployBridge({ config, ethereum, partner })).rejects.toThrow(/must not be the relayer of local/);
  });

  it('refuses an EVM that counts its coin in another unit', async () => {
    const config = localConfig({ nativeUnit: '10000000000' });
    await expect(deployBridge({ config, ethereum, partner })).rejects.toThrow(
      'The native unit is 1 on the chain, but should be 10000000000',
    );
    expect(await partner.client.getTransactionCount({ address: deployer.address })).toBe(0);
  });

  it('refuses the chains of another environment', async () => {
    const config = { ...localConfig(), environment: 'testnet' } as const;
    await expect(deployBridge({ config, ethereum, partner })).rejects.toThrow(
      'The chain id of ethereum is 31337 on the chain, but should be 11155111',
    );
  });
});
