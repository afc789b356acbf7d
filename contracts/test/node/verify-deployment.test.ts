import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { encodeFunctionData, zeroHash, type Address, type Hex } from 'viem';
import { bridgeLockAbi } from '../../generated/abi.js';
import { deployBridge, verifyDeployment, type AddressBook, type DeploymentConfig } from '../../deploy/index.js';
import { deployer, localConfig, owner, startChains, type TestChains, type TestTarget } from './fixtures.js';

// Each test changes one thing of a correct deployment, and expects the verification to name it.

const SOMEBODY: Address = '0x00000000000000000000000000000000000000ab';

let chains: TestChains;
let ethereum: TestTarget;
let partner: TestTarget;
let config: DeploymentConfig;
let book: AddressBook;

beforeAll(async () => {
  chains = await startChains();
  ({ ethereum, partner } = chains);
  config = localConfig({ admin: owner.address, adminDelaySeconds: 7_200 });
  book = await deployBridge({ config, ethereum, partner });
  await chains.snapshot();
});

beforeEach(async () => chains.restore());

afterAll(async () => chains?.stop());

const verify = async (over: { book?: AddressBook; config?: DeploymentConfig } = {}) =>
  verifyDeployment({
    book,
    config,
    deployers: { ethereum: deployer.address, partner: deployer.address },
    ethereum,
    partner,
    ...over,
  });

/** Sends a call from an account without its key. */
async function callAs({ cheat, client }: typeof ethereum, account: Address, to: Address, data: Hex): Promise<void> {
  await cheat.setBalance({ address: account, value: 10n ** 20n });
  await cheat.impersonateAccount({ address: account });
  const hash = await cheat.sendUnsignedTransaction({ from: account, to, data });
  const { status } = await client.waitForTransactionReceipt({ hash });
  if (status !== 'success') throw new Error('the preparation of a test reverted');
}

const lockAdmin = async () =>
  ethereum.client.readContract({ address: book.ethereum.bridgeLock, abi: bridgeLockAbi, functionName: 'defaultAdmin' });

describe('verifyDeployment', () => {
  it('finds nothing in a correct deployment', async () => {
    await expect(verify()).resolves.toBeUndefined();
  });

  it('finds another relayer, and another fee', async () => {
    await expect(verify({ book: { ...book, relayer: SOMEBODY } })).rejects.toThrow(
      /relayer of BridgeLock is 0x7099.* should be 0x0+ab/,
    );
    const cheaper = { ...config.feePolicies, XCN: { ...config.feePolicies.XCN, bps: 24 } };
    await expect(verify({ config: { ...config, feePolicies: cheaper } })).rejects.toThrow(
      /fee policy of XCN is 25,1000.* should be 24,1000/,
    );
  });

  it.each([
    ['BridgeLock', () => ethereum, () => book.ethereum.bridgeLock],
    ['BridgeMint', () => partner, () => book.partner.bridgeMint],
    ['the bridged USDC', () => partner, () => book.partner.tokens.USDC],
    ['the admin of BridgeLock', () => ethereum, lockAdmin],
  ] as const)('finds other code at the address of %s', async (name, target, address) => {
    const at = await address();
    const code = (await target().client.getCode({ address: at })) ?? '0x';
    // One byte of the metadata hash at the end of the code.
    const bytecode: Hex = `0x${code.slice(2, -4)}${code.endsWith('0033') ? '0034' : '0033'}`;
    await target().cheat.setCode({ address: at, bytecode });
    await expect(verify()).rejects.toThrow(`The code of ${name} at`);
  });

  it('finds a role that was granted later', async () => {
    const role = await ethereum.client.readContract({
      address: book.ethereum.bridgeLock,
      abi: bridgeLockAbi,
      functionName: 'POLICY_MANAGER_ROLE',
    });
    const grant = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'grantRole', args: [role, SOMEBODY] });
    await callAs(ethereum, await lockAdmin(), book.ethereum.bridgeLock, grant);
    await expect(verify()).rejects.toThrow(/policy manager of BridgeLock is .*0x0+ab/);
  });

  it('finds a pending transfer of the admin role', async () => {
    const begin = encodeFunctionData({
      abi: bridgeLockAbi,
      functionName: 'beginDefaultAdminTransfer',
      args: [SOMEBODY],
    });
    await callAs(ethereum, await lockAdmin(), book.ethereum.bridgeLock, begin);
    await expect(verify()).rejects.toThrow(/next admin of BridgeLock is 0x0+ab/);
  });

  it('finds a deployer that kept a role', async () => {
    // In this local configuration the deployer is the policy manager. The changed one names another.
    const meant = { ...config, policyManager: { ethereum: owner.address, partner: owner.address } };
    await expect(verify({ config: meant })).rejects.toThrow(
      new RegExp(`policy manager of BridgeLock is ${deployer.address} .*should be ${owner.address}`, 'i'),
    );
    // An admin without a timelock is a difference, too.
    const { admin: _, ...direct } = config;
    await expect(verify({ config: direct })).rejects.toThrow(/admin of BridgeLock is 0x.* should be 0xf39f/);
  });

  it('finds a further admin of the timelock', async () => {
    const admin = await lockAdmin();
    const data = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'grantRole', args: [zeroHash, SOMEBODY] });
    await callAs(ethereum, admin, admin, data);
    await expect(verify()).rejects.toThrow(/admin of the admin timelock of BridgeLock is .*0x0+ab/);
  });
});
