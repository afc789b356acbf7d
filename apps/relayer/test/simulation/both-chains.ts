import { deployBridge, deploymentConfigSchema } from '@causeway/contracts/deploy';
import { ASSETS, type AddressBook, type Asset } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { ETHEREUM, PARTNER, startAnvil, type Anvil } from '@causeway/test-kit';
import { encodeFunctionData, numberToHex, parseEther, type Address, type Hex } from 'viem';
import { Account } from '../../simulation/chain/account.ts';
import { SimulatedChain } from '../../simulation/chain/simulated-chain.ts';
import { ending, forwarder, refuser, regretful } from '../../simulation/contracts/accounts.ts';
import type { Limits } from '../../simulation/contracts/bridge-tokens.ts';
import { deploymentOf, FACTORY } from '../../simulation/contracts/deployment.ts';

/** Accounts that call: roles, users, and those that roles may rotate to. */
export const ACTORS = {
  admin: new Account('admin'),
  guardian: new Account('guardian'),
  policyManager: new Account('policy manager'),
  treasury: new Account('treasury'),
  relayer: new Account('relayer'),
  secondRelayer: new Account('second relayer'),
  alice: new Account('alice'),
  bob: new Account('bob'),
} as const;

/** Contracts of users, with the same code on both chains. */
export const REFUSER: Address = `0x${'0e'.repeat(20)}`;
export const FORWARDER: Address = `0x${'0f'.repeat(20)}`;
export const REGRETFUL: Address = `0x${'1e'.repeat(20)}`;
export const ENDING: Address = `0x${'1f'.repeat(20)}`;
const USER_CONTRACTS = new Map([
  [REFUSER, refuser],
  [FORWARDER, forwarder],
  [REGRETFUL, regretful],
  [ENDING, ending],
]);

const COIN = parseEther('100000');
const UNIT_EXPONENTS = { ETH: 13, USDC: 4, XCN: 17 } as const;
const DECIMALS = { ETH: 18, USDC: 6, XCN: 18 } as const;
const HOUR = 3_600n;

/** In whole coins: low, so that the limits are often reached. */
const CAPACITY = 100n;
const MAXIMUM = 60n;

/** A chain twice: real and simulated. */
export interface TwinChain {
  readonly side: 'ethereum' | 'partner';
  readonly anvil: Anvil;
  readonly model: SimulatedChain;
}

/** What a transaction did, in either simulation. */
export interface Outcome {
  readonly succeeded: boolean;
  /** What it returned, or reverted with. */
  readonly output: Hex;
  readonly logs: readonly { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }[];
}

/** Deploys the real contracts on two development nodes, and the simulated ones with the same addresses and terms. */
export async function startTwins(): Promise<{ book: AddressBook; chains: readonly TwinChain[] }> {
  const args = ['--base-fee', '0', '--gas-price', '0'];
  const [ethereum, partner] = await Promise.all([
    startAnvil({ chainId: ETHEREUM, args }),
    startAnvil({ chainId: PARTNER, args }),
  ]);
  const book = await deployBridge({ config: configuration(), ethereum, partner });
  const { admin, guardian, policyManager, treasury } = ACTORS;
  const deployment = deploymentOf({
    book,
    roles: {
      admin: admin.address,
      guardian: guardian.address,
      policyManager: policyManager.address,
      treasury: treasury.address,
    },
    limits: limitsOf(1n, HOUR),
    limitCeilings: limitsOf(5n, 60n),
    fees: feesOf(1n),
    feeCeilings: feesOf(5n),
  });
  const chains = [
    { side: 'ethereum', anvil: ethereum, bridge: book.ethereum.bridgeLock },
    { side: 'partner', anvil: partner, bridge: book.partner.bridgeMint },
  ] as const;
  const twins = await Promise.all(
    chains.map(async ({ side, anvil, bridge }) => {
      await handOver(anvil, bridge);
      const { timestamp } = await anvil.client.getBlock();
      const model = new SimulatedChain({
        chainId: anvil.chain.id,
        timestamp: Number(timestamp),
        blockSeconds: 1,
        gasLimit: 30_000_000n,
        baseFeePerGas: 0n,
        coinUnit: 1n,
        contracts: new Map([...deployment[side], ...USER_CONTRACTS]),
        balances: new Map(Object.values(ACTORS).map(({ address }) => [address, COIN])),
      });
      await anvil.request('evm_setAutomine', [false]);
      const twin = { side, anvil, model };
      model.submit(signed(twin, admin, { to: FACTORY, data: '0x', value: 0n }).raw);
      model.mine(Number(timestamp) + 1);
      return twin;
    }),
  );
  return { book, chains: twins };
}

/** A call that is the same on both. */
export interface TwinCall {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
}

/** Sends one transaction to both at the same time, in seconds, and returns what it did in each. */
export async function sendToBoth(
  twin: TwinChain,
  from: Account,
  call: TwinCall,
  timestamp: number,
): Promise<{ readonly real: Outcome; readonly simulated: Outcome }> {
  const { anvil, model } = twin;
  const { raw, hash } = signed(twin, from, call);
  model.submit(raw);
  const [mined] = model.mine(timestamp).mined;
  if (mined === undefined) throw new Error('The simulated chain did not mine the transaction');
  await anvil.request('evm_setNextBlockTimestamp', [timestamp]);
  await anvil.request('eth_sendRawTransaction', [raw]);
  await anvil.request('evm_mine');
  const [receipt, trace] = await Promise.all([
    anvil.client.getTransactionReceipt({ hash }),
    anvil.request('debug_traceTransaction', [hash, { tracer: 'callTracer' }]) as Promise<{ output?: Hex }>,
  ]);
  return {
    real: {
      succeeded: receipt.status === 'success',
      output: trace.output ?? '0x',
      logs: receipt.logs.map(({ address, topics, data }) => ({ address, topics, data })),
    },
    simulated: { succeeded: mined.succeeded, output: mined.output, logs: mined.logs },
  };
}

function signed({ model }: TwinChain, from: Account, { to, data, value }: TwinCall) {
  return from.sign({
    chainId: model.input.chainId,
    nonce: model.pendingNonce(from.address),
    to,
    input: data,
    value,
    gas: 8_000_000n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
  });
}

/** Makes the simulated admin the owner of a real contract, and gives every account its coin. */
async function handOver(anvil: Anvil, bridge: Address): Promise<void> {
  const { admin } = ACTORS;
  const data = encodeFunctionData({
    abi: bridgeLockAbi,
    functionName: 'transferOwnership',
    args: [admin.address],
  });
  await anvil.client.waitForTransactionReceipt({ hash: await anvil.wallet.sendTransaction({ to: bridge, data }) });
  const accept = admin.sign({
    chainId: anvil.chain.id,
    nonce: 0,
    to: bridge,
    value: 0n,
    input: encodeFunctionData({ abi: bridgeLockAbi, functionName: 'acceptOwnership' }),
    gas: 200_000n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
  });
  await anvil.request('eth_sendRawTransaction', [accept.raw]);
  await anvil.client.waitForTransactionReceipt({ hash: accept.hash });
  for (const { address } of Object.values(ACTORS))
    await anvil.request('anvil_setBalance', [address, numberToHex(COIN)]);
  for (const [address, { code }] of USER_CONTRACTS) await anvil.request('anvil_setCode', [address, code]);
}

function limitsOf(factor: bigint, window: bigint): Record<Asset, Limits> {
  return perAsset((asset) => {
    const coin = 10n ** BigInt(DECIMALS[asset]);
    return { capacity: factor * CAPACITY * coin, window, maxAmount: factor * MAXIMUM * coin };
  });
}

function feesOf(factor: bigint) {
  return perAsset((asset) => {
    const coin = 10n ** BigInt(DECIMALS[asset]);
    return { bps: 25 * Number(factor), minFee: (factor * coin) / 100n, minAmount: (factor * coin) / 10n };
  });
}

function configuration() {
  const text = <T extends object>(record: T) =>
    Object.fromEntries(
      Object.entries(record).map(([name, value]) => [name, typeof value === 'bigint' ? `${value}` : value]),
    );
  const limits = (factor: bigint, window: bigint) =>
    perAsset((asset) => {
      const { capacity, maxAmount } = limitsOf(factor, window)[asset];
      return text({ capacity, windowSeconds: Number(window), maxAmount });
    });
  const { relayer, guardian, treasury, policyManager } = ACTORS;
  return deploymentConfigSchema.parse({
    environment: 'local',
    relayer: relayer.address,
    guardian: guardian.address,
    treasury: treasury.address,
    policyManager: policyManager.address,
    adminDelaySeconds: 0,
    nativeUnit: '1',
    unitExponents: UNIT_EXPONENTS,
    feePolicies: perAsset((asset) => text(feesOf(1n)[asset])),
    feeCeilings: perAsset((asset) => text(feesOf(5n)[asset])),
    limits: limits(1n, HOUR),
    limitCeilings: limits(5n, 60n),
  });
}

function perAsset<T>(make: (asset: Asset) => T): Record<Asset, T> {
  return Object.fromEntries(ASSETS.map((asset) => [asset, make(asset)])) as Record<Asset, T>;
}
