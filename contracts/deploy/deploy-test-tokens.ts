import { keccak256, parseAbi, parseUnits, stringToHex, type Address } from 'viem';
import { testnetUsdcBytecode, testnetXcnBytecode } from '../generated/bytecode.js';
import { CHAIN_IDS, type DeployTarget } from './chains.js';
import { deployOnce } from './deploy-contract.js';
import { computeSaltAddress, ensureFactory } from './factory.js';
import type { PlannedContract } from './plan-deployment.js';

/** The whole supply. At the faucet's default per day, 100,000 USDC and 1,000,000 XCN, it lasts for 27 years. */
const SUPPLY = { USDC: parseUnits('1000000000', 6), XCN: parseUnits('10000000000', 18) } as const;
const ABI = parseAbi(['constructor(address holder, uint256 supply)']);

/** The input of the deployment of test tokens. */
export interface DeployTestTokensInput {
  /** Ethereum's testnet, with the account that pays and receives nothing. */
  readonly ethereum: DeployTarget;
  /** Receives the whole supply of both: the faucet's wallet, or an account that refills it. */
  readonly holder: Address;
  /** Receives a line for each step. */
  readonly onStep: (step: string) => void;
}

/**
 * Deploys USDC and XCN for a testnet. Their supply is fixed and no account can mint or block, so only the faucet's
 * limits apply. A repeated run finds the tokens of the first: their addresses depend only on the deployer and the
 * factory.
 *
 * @returns the addresses, for `tokens` of the configuration of the bridge.
 * @throws Error on a chain other than Ethereum's testnet, or when the tokens exist for another holder.
 */
export async function deployTestTokens({
  ethereum,
  holder,
  onStep,
}: DeployTestTokensInput): Promise<Readonly<Record<'USDC' | 'XCN', Address>>> {
  const { client, wallet } = ethereum;
  const [chainId, testnet] = [await client.getChainId(), CHAIN_IDS.testnet.ethereum];
  if (chainId !== testnet)
    throw new Error(`Test tokens can only be deployed on chain ${testnet}, but the node serves chain ${chainId}`);
  const factory = await ensureFactory(ethereum, undefined, onStep);
  const plan = (asset: 'USDC' | 'XCN', bytecode: PlannedContract['bytecode']): PlannedContract => {
    const salt = keccak256(stringToHex(`causeway/testnet/test-token/${asset}`));
    const address = computeSaltAddress(factory, wallet.account.address, salt);
    return { name: `Testnet${asset}`, salt, address, abi: ABI, bytecode, args: [holder, SUPPLY[asset]] };
  };
  const tokens = { USDC: plan('USDC', testnetUsdcBytecode), XCN: plan('XCN', testnetXcnBytecode) };
  for (const token of Object.values(tokens)) await deployOnce(ethereum, factory, token, onStep);
  return { USDC: tokens.USDC.address, XCN: tokens.XCN.address };
}
