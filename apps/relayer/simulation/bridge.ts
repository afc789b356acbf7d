import { lower } from '@causeway/chain';
import { bridgeFactoryAbi } from '@causeway/contracts/abi';
import { deploymentConfigSchema, planDeployment, type DeploymentPlan } from '@causeway/contracts/deploy';
import { bridgeFactoryCode } from '@causeway/contracts/deployed-code';
import { DEFAULT_FEE_POLICIES, type AddressBook, type Side } from '@causeway/protocol';
import { encodeDeployData, encodeFunctionData, parseEther, parseUnits, type Address, type Hex } from 'viem';
import { Account } from './chain/account.ts';
import { accountEntry } from './chain/evm.ts';
import { SimulatedChain } from './chain/simulated-chain.ts';
import { CODES, FUNDED } from './environment/people.ts';

/** The accounts with a role. Their keys are the same in every simulation. */
export const ROLES = {
  admin: new Account('admin'),
  guardian: new Account('guardian'),
  recovery: new Account('recovery'),
  policyManager: new Account('policy manager'),
  treasury: new Account('treasury'),
  relayer: new Account('relayer'),
} as const;

/** Both chains with the contracts of the bridge. */
export interface SimulatedBridge {
  readonly book: AddressBook;
  readonly ethereum: SimulatedChain;
  readonly partner: SimulatedChain;
}

/** A transaction of an account; fields that are left out have the usual value. `value` in wei of the RPC. */
export interface Sending {
  readonly to: Address;
  readonly data?: Hex;
  readonly value?: bigint;
  readonly gas?: bigint;
  readonly nonce?: number;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
}

/** When all simulations start, in epoch milliseconds. */
export const START_MS = Date.UTC(2030, 0, 1);
/** The initial coin of each funded account on both chains, in wei. */
export const COIN_OF_EACH = parseEther('1000000');
/** The hourly limit of each asset, in atomic units. */
export const HOURLY = {
  ETH: parseEther('1000'),
  USDC: parseUnits('5000000', 6),
  XCN: parseEther('40000000'),
} as const;

const ASSETS = ['ETH', 'USDC', 'XCN'] as const;
const FACTORY: Address = `0x${'fac7'.repeat(10)}`;
const USUAL_GAS = 2_000_000n;
const DEPLOYMENT_GAS = 9_000_000n;
const GAS_LIMIT = 30_000_000n;
/** Time of the first block, in seconds. */
const FIRST_TIME = START_MS / 1_000 - 60;
const NATIVE_UNIT = 10n ** 10n;
const CHAINS = {
  ethereum: { chainId: 31_337, blockSeconds: 12, baseFeePerGas: 10n ** 9n, coinUnit: 1n },
  partner: { chainId: 8_901, blockSeconds: 2, baseFeePerGas: 10n ** 11n, coinUnit: NATIVE_UNIT },
} as const;

const PLAN = planBridge();

/** The address book of every simulation. */
export const BOOK: AddressBook = {
  environment: 'local',
  ethereum: {
    chainId: CHAINS.ethereum.chainId,
    bridgeLock: lower(PLAN.bridgeLock.address),
    sentinel: lower(PLAN.owners.ethereum.guardian),
    tokens: { USDC: lower(PLAN.tokens.USDC), XCN: lower(PLAN.tokens.XCN) },
    deployedAtBlock: 1,
  },
  partner: {
    chainId: CHAINS.partner.chainId,
    bridgeMint: lower(PLAN.bridgeMint.address),
    sentinel: lower(PLAN.owners.partner.guardian),
    tokens: { ETH: lower(PLAN.bridgedTokens.ETH.address), USDC: lower(PLAN.bridgedTokens.USDC.address) },
    deployedAtBlock: 1,
    nativeUnit: NATIVE_UNIT.toString(),
  },
  relayer: ROLES.relayer.address,
};

/** Both chains after the deployment, which runs once per thread. They are only copied, never changed. */
const DEPLOYED = { ethereum: await deploy('ethereum'), partner: await deploy('partner') };

/** Creates both chains, with the contracts in block 1. */
export function simulatedBridge(): SimulatedBridge {
  const copy = (chain: SimulatedChain) => new SimulatedChain(chain.input, chain);
  return { book: BOOK, ethereum: copy(DEPLOYED.ethereum), partner: copy(DEPLOYED.partner) };
}

/**
 * Signs and submits a transaction of an account.
 *
 * @returns its hash.
 * @throws PoolError
 */
export function send(chain: SimulatedChain, from: Account, { to, data, value, ...terms }: Sending): Hex {
  const { raw } = from.sign({
    chainId: chain.input.chainId,
    nonce: terms.nonce ?? chain.pendingNonce(from.address),
    to,
    value: value ?? 0n,
    input: data ?? '0x',
    gas: terms.gas ?? USUAL_GAS,
    maxFeePerGas: terms.maxFeePerGas ?? 2n * chain.baseFeePerGas + chain.tip,
    maxPriorityFeePerGas: terms.maxPriorityFeePerGas ?? chain.tip,
  });
  return chain.submit(raw);
}

/** Plans the deployment like the command. The deployer stays the admin. */
function planBridge(): DeploymentPlan {
  const { relayer, guardian, recovery, treasury, policyManager, admin } = ROLES;
  const each = <T>(of: (asset: keyof typeof HOURLY) => T) =>
    Object.fromEntries(ASSETS.map((asset) => [asset, of(asset)]));
  const limits = each((asset) => ({
    capacity: `${HOURLY[asset]}`,
    windowSeconds: 3_600,
    maxAmount: `${HOURLY[asset]}`,
  }));
  const fees = each((asset) => {
    const { bps, minFee, minAmount } = DEFAULT_FEE_POLICIES[asset];
    return { bps, minFee: `${minFee}`, minAmount: `${minAmount}` };
  });
  const config = deploymentConfigSchema.parse({
    environment: 'local',
    relayer: relayer.address,
    guardian: guardian.address,
    recovery: recovery.address,
    treasury: treasury.address,
    policyManager: policyManager.address,
    adminDelaySeconds: 0,
    nativeUnit: `${NATIVE_UNIT}`,
    unitExponents: { ETH: 13, USDC: 4, XCN: 16 },
    feePolicies: fees,
    feeCeilings: fees,
    limits,
    limitCeilings: limits,
  });
  const on = ({ chainId }: { readonly chainId: number }) => ({ chainId, deployer: admin.address, factory: FACTORY });
  return planDeployment(config, on(CHAINS.ethereum), on(CHAINS.partner));
}

/** A chain with the funded accounts and their contracts, and the deployment in its first block. */
async function deploy(side: Side): Promise<SimulatedChain> {
  const input = { ...CHAINS[side], timestamp: FIRST_TIME, gasLimit: GAS_LIMIT };
  const { relayer, admin, guardian, policyManager } = ROLES;
  const funded = [...[relayer, admin, guardian, policyManager].map(({ address }) => address), ...FUNDED];
  const coin = COIN_OF_EACH / input.coinUnit;
  const genesis = new Map([
    ...[...CODES].map(([address, code]) => accountEntry(address, 0n, code)),
    ...funded.map((address) => accountEntry(address, coin, CODES.get(address))),
    accountEntry(FACTORY, 0n, bridgeFactoryCode.code),
  ]);
  const chain = new SimulatedChain({ ...input, genesis });
  for (const { salt, ...contract } of PLAN.contracts[side]) {
    const args = [salt, encodeDeployData(contract)] as const;
    const data = encodeFunctionData({ abi: bridgeFactoryAbi, functionName: 'deploy', args });
    send(chain, admin, { to: FACTORY, data, gas: DEPLOYMENT_GAS });
  }
  const { mined } = await chain.mine(FIRST_TIME + input.blockSeconds);
  const failed = mined.find(({ succeeded }) => !succeeded);
  if (failed !== undefined || mined.length !== PLAN.contracts[side].length)
    throw new Error(`The deployment on ${side} failed: ${failed?.output ?? 'a transaction is missing'}`);
  return chain;
}
