import { encodeFunctionData, getContractAddress, isAddressEqual, zeroAddress, type Address, type Hex } from 'viem';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi, testUsdcAbi, testXcnAbi } from '../generated/abi.js';
import {
  bridgedTokenBytecode,
  bridgeLockBytecode,
  bridgeMintBytecode,
  testUsdcBytecode,
  testXcnBytecode,
} from '../generated/bytecode.js';
import type { AddressBook } from './address-book.js';
import { deployContract, type DeployTarget } from './deploy-contract.js';
import type { DeploymentConfig } from './deployment-config.js';
import { verifyDeployment } from './verify-deployment.js';
import { XCN_GRANULARITY_EXPONENT } from './xcn-granularity-exponent.js';

/** What a deployment needs. The wallets' accounts become the admins and policy managers. */
export interface DeployBridgeInput {
  readonly config: DeploymentConfig;
  readonly ethereum: DeployTarget;
  readonly partner: DeployTarget;
  /** Hears of every step, for people who wait. */
  readonly onStep?: (step: string) => void;
}

/**
 * Deploys both ends of the bridge and their tokens, lists the tokens, sets fees and limits, and reads everything back.
 * The two ends name each other as immutables, so their addresses are computed from the deployers' nonces beforehand.
 *
 * @throws Error when a transaction reverts or what is on the chain is not what was meant.
 */
export async function deployBridge({ config, ethereum, partner, onStep }: DeployBridgeInput): Promise<AddressBook> {
  const step = onStep ?? (() => undefined);
  step('tokens on Ethereum');
  const tokens = config.tokens ?? (await deployTestTokens(ethereum));
  const [bridgeLock, bridgeMint] = await Promise.all([nextAddress(ethereum), nextAddress(partner)]);
  const [ethereumChainId, partnerChainId] = [ethereum.wallet.chain.id, partner.wallet.chain.id];
  const setup = (target: DeployTarget, peerChainId: number, peer: Address) => ({
    peerChainId: BigInt(peerChainId),
    peer,
    relayer: config.relayer,
    admin: target.wallet.account.address,
    adminDelay: config.adminDelaySeconds,
    guardian: config.guardian,
    policyManager: target.wallet.account.address,
  });

  step('BridgeLock and BridgeMint');
  const [lock, mint] = await Promise.all([
    deployContract(ethereum, {
      abi: bridgeLockAbi,
      bytecode: bridgeLockBytecode,
      args: [setup(ethereum, partnerChainId, bridgeMint), tokens.XCN, config.treasury],
    }),
    deployContract(partner, {
      abi: bridgeMintAbi,
      bytecode: bridgeMintBytecode,
      args: [setup(partner, ethereumChainId, bridgeLock), config.nativeUnit],
    }),
  ]);
  if (!isAddressEqual(lock.address, bridgeLock) || !isAddressEqual(mint.address, bridgeMint)) {
    throw new Error(
      'A deployer sent another transaction in between: the contracts do not know each other. Deploy again.',
    );
  }

  step('bridged tokens');
  const bridged = async (name: string, symbol: string, decimals: number) =>
    (
      await deployContract(partner, {
        abi: bridgedTokenAbi,
        bytecode: bridgedTokenBytecode,
        args: [name, symbol, decimals, bridgeMint],
      })
    ).address;
  const bridgedEth = await bridged('Bridged Ether', 'ETH', 18);
  const bridgedUsdc = await bridged('Bridged USD Coin', 'USDC', 6);

  step('token lists, limits and fees');
  const { outflowLimits, feePolicies } = config;
  await Promise.all([
    configure(ethereum, bridgeLock, [
      ...listed(bridgeLockAbi, zeroAddress, 0, outflowLimits.ETH),
      ...listed(bridgeLockAbi, tokens.USDC, 0, outflowLimits.USDC),
      ...listed(bridgeLockAbi, tokens.XCN, XCN_GRANULARITY_EXPONENT, outflowLimits.XCN),
    ]),
    configure(partner, bridgeMint, [
      ...listed(bridgeMintAbi, bridgedEth, 0, outflowLimits.ETH),
      ...listed(bridgeMintAbi, bridgedUsdc, 0, outflowLimits.USDC),
      ...listed(bridgeMintAbi, zeroAddress, XCN_GRANULARITY_EXPONENT, outflowLimits.XCN),
      priced(bridgedEth, feePolicies.ETH),
      priced(bridgedUsdc, feePolicies.USDC),
      priced(zeroAddress, feePolicies.XCN),
    ]),
  ]);

  const book: AddressBook = {
    environment: config.environment,
    ethereum: {
      chainId: ethereumChainId,
      bridgeLock: lower(bridgeLock),
      tokens: { USDC: lower(tokens.USDC), XCN: lower(tokens.XCN) },
      deployedAtBlock: Number(lock.blockNumber),
    },
    partner: {
      chainId: partnerChainId,
      bridgeMint: lower(bridgeMint),
      tokens: { ETH: lower(bridgedEth), USDC: lower(bridgedUsdc) },
      deployedAtBlock: Number(mint.blockNumber),
      nativeUnit: config.nativeUnit.toString(),
    },
    relayer: lower(config.relayer),
  };
  step('reading it back');
  await verifyDeployment({ book, config, ethereum, partner });
  return book;
}

async function deployTestTokens(target: DeployTarget): Promise<{ USDC: Address; XCN: Address }> {
  const usdc = await deployContract(target, { abi: testUsdcAbi, bytecode: testUsdcBytecode, args: [] });
  const xcn = await deployContract(target, { abi: testXcnAbi, bytecode: testXcnBytecode, args: [] });
  return { USDC: usdc.address, XCN: xcn.address };
}

async function nextAddress({ wallet, client }: DeployTarget): Promise<Address> {
  const from = wallet.account.address;
  return getContractAddress({ from, nonce: BigInt(await client.getTransactionCount({ address: from })) });
}

function listed(
  abi: typeof bridgeLockAbi | typeof bridgeMintAbi,
  token: Address,
  exponent: number,
  { capacity, windowSeconds }: { capacity: bigint; windowSeconds: number },
): Hex[] {
  const shared = abi as typeof bridgeLockAbi;
  return [
    encodeFunctionData({ abi: shared, functionName: 'setToken', args: [token, true, exponent] }),
    encodeFunctionData({ abi: shared, functionName: 'setOutflowLimit', args: [token, capacity, windowSeconds] }),
  ];
}

function priced(token: Address, { bps, minFee, minAmount }: { bps: number; minFee: bigint; minAmount: bigint }): Hex {
  return encodeFunctionData({
    abi: bridgeMintAbi,
    functionName: 'setFeePolicy',
    args: [token, bps, minFee, minAmount],
  });
}

/** Sends the calls without waiting in between, then waits for all. */
async function configure({ wallet, client }: DeployTarget, to: Address, calls: readonly Hex[]): Promise<void> {
  const first = await client.getTransactionCount({ address: wallet.account.address });
  const hashes = await Promise.all(
    calls.map((data, index) => wallet.sendTransaction({ to, data, nonce: first + index })),
  );
  for (const hash of hashes) {
    const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 100 });
    if (receipt.status !== 'success') throw new Error(`The configuration of ${to} reverted in ${hash}`);
  }
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address;
}
