import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { encodeFunctionData, zeroAddress, type Address, type Hex } from 'viem';
import { adminTimelockAbi, bridgeLockAbi, bridgeMintAbi } from '../../generated/abi.js';
import { deployBridge, verifyDeployment, type AddressBook, type DeploymentConfig } from '../../deploy/index.js';
import {
  deployer,
  localConfig,
  owner,
  policyManager,
  startChains,
  type TestChains,
  type TestTarget,
} from './fixtures.js';

// Each test changes one setting of a correct deployment, and expects the verification to name it.

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
  ethereum.client.readContract({ address: book.ethereum.bridgeLock, abi: bridgeLockAbi, functionName: 'owner' });

describe('verifyDeployment', () => {
  it('accepts a correct deployment', async () => {
    await expect(verify()).resolves.toBeUndefined();
  });

  it('reports a wrong relayer, and a wrong fee', async () => {
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
  ] as const)('reports other code at the address of %s', async (name, target, address) => {
    const at = await address();
    const code = (await target().client.getCode({ address: at })) ?? '0x';
    // One byte of the metadata hash at the end of the code.
    const bytecode: Hex = `0x${code.slice(2, -4)}${code.endsWith('0033') ? '0034' : '0033'}`;
    await target().cheat.setCode({ address: at, bytecode });
    await expect(verify()).rejects.toThrow(`The code of ${name} at`);
  });

  it.each([
    ['setGuardian', [SOMEBODY], /guardian of BridgeLock is 0x0+ab/],
    ['setPolicyManager', [SOMEBODY], /policyManager of BridgeLock is 0x0+ab/],
    ['setStandby', [zeroAddress], /standby of BridgeLock is 0x0+ on the chain, but should be 0x14dc/],
    ['setTreasury', [SOMEBODY], /treasury is 0x0+ab/],
    ['setAttesters', [[SOMEBODY], 1n], /attester set of BridgeLock is 2,0x0+ab,1 on the chain, but should be 1,,0/],
    ['transferOwnership', [SOMEBODY], /pendingOwner of BridgeLock is 0x0+ab/],
    ['pause', [true, false], /pauses of BridgeLock is 4294967295,false,1/],
    ['setListing', [zeroAddress, false, true], /listing of ETH in BridgeLock is false,true,1,10000000000000/],
    [
      'setLimitCeiling',
      [zeroAddress, { capacity: 10n ** 20n, window: 3_600n, maxAmount: 5n * 10n ** 19n }],
      /limit ceiling of ETH in BridgeLock is 1000+,3600,5000+ /,
    ],
  ] as const)('reports a later %s', async (functionName, args, difference) => {
    const data = encodeFunctionData({ abi: bridgeLockAbi, functionName, args });
    await callAs(ethereum, await lockAdmin(), book.ethereum.bridgeLock, data);
    await expect(verify()).rejects.toThrow(difference);
  });

  it('reports a wrong limit and a wrong maximum', async () => {
    const limits = [
      ['setOutflowLimit', [zeroAddress, 10n ** 19n, 3_600n], /outflow limit of XCN in BridgeMint is 1000+,3600 /],
      ['setMaxAmount', [zeroAddress, 10n ** 19n], /maximum amount of XCN in BridgeMint is 1000+ /],
      [
        'setFeePolicy',
        [zeroAddress, { bps: 1, minFee: 1n, minAmount: 2n }],
        /fee policy of XCN is 1,1,2 on the chain, but should be 25,/,
      ],
    ] as const;
    for (const [functionName, args, difference] of limits) {
      await chains.restore();
      const data = encodeFunctionData({ abi: bridgeMintAbi, functionName, args });
      await callAs(partner, policyManager.address, book.partner.bridgeMint, data);
      await expect(verify()).rejects.toThrow(difference);
    }
  });

  it('reports an admin without a timelock', async () => {
    const { admin: _, ...direct } = config;
    await expect(verify({ config: direct })).rejects.toThrow(/admin of BridgeLock is 0x.* should be 0xf39f/);
  });

  it('reports a wrong delay', async () => {
    const meant = { ...config, adminDelaySeconds: 3_600 };
    await expect(verify({ config: meant })).rejects.toThrow(
      /delay of the admin of BridgeLock is 7200.* should be 3600/,
    );
  });

  it('reports a wrong exit window', async () => {
    const meant = { ...config, exitWindowSeconds: 2_592_000 };
    await expect(verify({ config: meant })).rejects.toThrow(/exit window of BridgeLock is 0 .* should be 2592000/);
  });

  it('reports a wrong guardian of the timelock', async () => {
    const admin = await lockAdmin();
    const data = encodeFunctionData({ abi: adminTimelockAbi, functionName: 'replace', args: [1, SOMEBODY] });
    await callAs(ethereum, admin, admin, data);
    await expect(verify()).rejects.toThrow(/guardian of the admin of BridgeLock is .*0x0+ab/i);
  });
});
