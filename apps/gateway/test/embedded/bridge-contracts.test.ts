import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import { findCommand, prepareCommand } from '@causeway/governance';
import { deployBridge, deploymentConfigSchema, type AddressBook, type DeployTarget } from '@causeway/contracts/deploy';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createPublicClient,
  createWalletClient,
  custom,
  defineChain,
  parseEther,
  parseEventLogs,
  RpcRequestError,
  zeroAddress,
  type Hex,
} from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { createEmbeddedBackend, type EmbeddedBackend } from '../../src/backends/embedded/embedded-backend.js';
import { developmentGenesis } from '../../src/backends/embedded/genesis.js';

// Tests the contracts on an EVM whose coin has 8 decimals: the unit, simulated calls, native deliveries, credits, and a
// deployment on a chain that refuses the deterministic-deployment proxy. Both sides are embedded chains, which is
// enough for the Ethereum side here.

const DEPLOYER = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const RELAYER = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');
const POLICY_MANAGER = '0x00000000000000000000000000000000000000a3';
const NEWCOMER: Hex = '0x00000000000000000000000000000000feed0001';
const UNIT = 10n ** 10n;
const DETERMINISTIC_PROXY = '0x4e59b44847b379578588920ca78fbf26c0b4956c';
/**
 * Deploys a contract that refuses coins until it was called with any data: `if (msg.data) accepts = 1; else
 * require(accepts);`
 */
const REFUSER: Hex = '0x6014600a5f3960145ff336600c575f546012575f5ffd5b60015f55005b00';

const per = <T>(value: T) => ({ ETH: value, USDC: value, XCN: value });
const policies = per({ bps: 25, minFee: '1', minAmount: '2' });
const most = parseEther('1000').toString();
const limits = per({ capacity: most, windowSeconds: 3_600, maxAmount: most });
const settings = (over: object = {}) =>
  deploymentConfigSchema.parse({
    environment: 'local',
    relayer: RELAYER.address,
    guardian: '0x00000000000000000000000000000000000000a2',
    recovery: '0x00000000000000000000000000000000000000a5',
    policyManager: POLICY_MANAGER,
    treasury: '0x00000000000000000000000000000000000000a4',
    adminDelaySeconds: 0,
    nativeUnit: UNIT.toString(),
    unitExponents: per(12),
    feePolicies: policies,
    feeCeilings: policies,
    limits,
    limitCeilings: limits,
    ...over,
  });

async function openSide(chainId: number) {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-bridge-'));
  const genesisFile = join(directory, 'genesis.json');
  const accounts = Object.entries(developmentGenesis.alloc ?? {});
  const alloc = Object.fromEntries(accounts.filter(([address]) => address.toLowerCase() !== DETERMINISTIC_PROXY));
  writeFileSync(genesisFile, JSON.stringify({ ...developmentGenesis, alloc }));
  const backend: EmbeddedBackend = await createEmbeddedBackend({
    chainId,
    dataDirectory: join(directory, 'chain'),
    genesisFile,
    blockIntervalMs: 0,
    clientVersion: 'Causeway/test',
  });
  const chain = defineChain({
    id: chainId,
    name: 'embedded',
    nativeCurrency: { name: 'XCN', symbol: 'XCN', decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });
  const request = async (body: { method: string; params?: unknown }) => {
    try {
      return await backend.request(body.method, (body.params as unknown[]) ?? []);
    } catch (error) {
      // As received over HTTP, where viem finds a contract's reason.
      throw new RpcRequestError({ body, url: '', error: error as { code: number; message: string } });
    }
  };
  const transport = custom({ request }, { retryCount: 0 });
  const client = createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 });
  const makeWallet = (account: PrivateKeyAccount) => createWalletClient({ chain, transport, account });
  const target: DeployTarget = { client, wallet: makeWallet(DEPLOYER) };
  const close = async () => {
    await backend.close();
    rmSync(directory, { recursive: true });
  };
  return { client, makeWallet, target, close };
}

describe('the bridge on the partner chain', () => {
  let ethereum: Awaited<ReturnType<typeof openSide>>;
  let partner: Awaited<ReturnType<typeof openSide>>;
  let book: AddressBook;

  beforeAll(async () => {
    [ethereum, partner] = await Promise.all([openSide(31_337), openSide(8_901)]);
    book = await deployBridge({ config: settings(), ethereum: ethereum.target, partner: partner.target });
  });
  afterAll(async () => {
    await Promise.all([ethereum?.close(), partner?.close()]);
  });

  const mintNative = async (nonce: bigint, recipient: Hex, amount: bigint, value = amount) => {
    const contract = { address: book.partner.bridgeMint, abi: bridgeMintAbi, functionName: 'mint' } as const;
    const call = { ...contract, args: [nonce, zeroAddress, recipient, amount], value } as const;
    // Simulated first, so that a refusal has the contract's reason.
    await partner.client.simulateContract({ ...call, account: RELAYER });
    const hash = await partner.makeWallet(RELAYER).writeContract(call);
    return partner.client.waitForTransactionReceipt({ hash });
  };
  const claimable = async (account: Hex) =>
    partner.client.readContract({
      address: book.partner.bridgeMint,
      abi: bridgeMintAbi,
      functionName: 'claimable',
      args: [zeroAddress, account],
    });

  it('is deployed once: a rerun after an interruption finds its own factory', async () => {
    const again = await deployBridge({ config: settings(), ethereum: ethereum.target, partner: partner.target });
    expect(again).toEqual(book);
  });

  it("is not deployed with another EVM's unit", async () => {
    const wrong = { config: settings({ nativeUnit: '1' }), ethereum: ethereum.target, partner: partner.target };
    await expect(deployBridge(wrong)).rejects.toThrow('The native unit is 10000000000 on the chain, but should be 1');
  });

  it.each([
    ['top-up', { chain: 'partner', amount: '7.00000001 XCN' }, DEPLOYER.address, ['0 XCN', '7.00000001 XCN']],
    [
      'set-max-amount',
      { chain: 'partner', asset: 'XCN', amount: '9.000001 XCN' },
      POLICY_MANAGER,
      ['1000 XCN', '9.000001 XCN'],
    ],
    ['set-standby', { chain: 'partner', to: NEWCOMER }, DEPLOYER.address, ['none', NEWCOMER]],
  ] as const)('simulates %s %j: the values have the decimals of the RPC', async (name, options, account, values) => {
    const prepare = async (client: typeof partner.client) => {
      const clients = { ethereum: ethereum.client, partner: client };
      return (await prepareCommand({ command: findCommand(name), options, account, book, clients }))[0];
    };
    const simulated = await prepare(partner.client);
    expect(simulated).toMatchObject({ problem: null, maySend: true, isSimulated: true });
    expect(simulated?.changes.map(({ before, after }) => [before, after])).toEqual([values]);
  });

  it('delivers native coins exactly, even to a new account', async () => {
    const receipt = await mintNative(1n, NEWCOMER, parseEther('3') + UNIT);
    expect(receipt.status).toBe('success');
    expect(await partner.client.getBalance({ address: NEWCOMER })).toBe(parseEther('3') + UNIT);
    expect(await claimable(NEWCOMER)).toBe(0n);
  });

  it('refuses a value that is not the amount', async () => {
    const recipient: Hex = '0x00000000000000000000000000000000feed0002';
    await expect(mintNative(2n, recipient, parseEther('1'), parseEther('1') + UNIT)).rejects.toThrow(/ValueMismatch/);
    await expect(mintNative(2n, recipient, parseEther('1') + 1n, parseEther('1'))).rejects.toThrow(/ValueMismatch/);
  });

  it('withdraws native coins into the float, which pays a mint without value up to its balance', async () => {
    const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
    const float = () => partner.client.readContract({ ...mint, functionName: 'float' });
    const recipient: Hex = '0x00000000000000000000000000000000feed0003';
    await expect(mintNative(2n, recipient, UNIT, 0n)).rejects.toThrow(/InsufficientCollateral/);
    const amount = parseEther('5') + UNIT;
    const args = [recipient, amount] as const;
    const hash = await partner
      .makeWallet(DEPLOYER)
      .writeContract({ ...mint, functionName: 'withdrawNative', args, value: amount });
    const { logs } = await partner.client.waitForTransactionReceipt({ hash });
    const [withdraw] = parseEventLogs({ abi: bridgeMintAbi, eventName: 'Withdraw', logs });
    expect(withdraw?.args).toMatchObject({ token: zeroAddress, sender: DEPLOYER.address, amount, nonce: 0n });
    expect(await float()).toBe(amount);
    await mintNative(2n, recipient, amount, 0n);
    expect(await float()).toBe(0n);
    expect(await partner.client.getBalance({ address: recipient })).toBe(amount);
  });

  it('credits coins that a contract refuses, in 18 decimals, and pays them in coins', async () => {
    const deployment = await partner.makeWallet(DEPLOYER).sendTransaction({ data: REFUSER });
    const { contractAddress } = await partner.client.waitForTransactionReceipt({ hash: deployment });
    const refuser = contractAddress!;
    // Plus the smallest unit: 200,000,001 units of 8 decimals in total.
    const amount = parseEther('2') + UNIT;
    await mintNative(3n, refuser, amount);
    expect(await claimable(refuser)).toBe(amount);
    expect(await partner.client.getBalance({ address: book.partner.bridgeMint })).toBe(amount);
    const claim = {
      address: book.partner.bridgeMint,
      abi: bridgeMintAbi,
      functionName: 'claimFor',
      args: [zeroAddress, refuser],
    } as const;
    await expect(partner.client.simulateContract({ ...claim, account: DEPLOYER })).rejects.toThrow(
      /NativeTransferFailed/,
    );

    const change = await partner.makeWallet(DEPLOYER).sendTransaction({ to: refuser, data: '0x01' });
    expect((await partner.client.waitForTransactionReceipt({ hash: change })).status).toBe('success');
    const hash = await partner.makeWallet(DEPLOYER).writeContract(claim);
    expect((await partner.client.waitForTransactionReceipt({ hash })).status).toBe('success');
    expect(await claimable(refuser)).toBe(0n);
    expect(await partner.client.getBalance({ address: refuser })).toBe(amount);
    expect(await partner.client.getBalance({ address: book.partner.bridgeMint })).toBe(0n);
  });

  it('accepts only deposits of XCN that the partner chain can count', async () => {
    const { XCN } = book.ethereum.tokens;
    const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
    const deposit = {
      ...lock,
      functionName: 'deposit',
      account: DEPLOYER,
      args: [XCN, UNIT + 1n, RELAYER.address],
    } as const;
    await expect(ethereum.client.simulateContract({ ...deposit })).rejects.toThrow(/Dust/);
  });
});
