import { keccak256, parseAbi, parseUnits, stringToHex, type Address } from 'viem';
import { testnetUsdcBytecode, testnetXcnBytecode } from '../generated/bytecode.js';
import { CHAIN_IDS, type DeployTarget } from './chains.js';
import { deployOnce } from './deploy-contract.js';
import { computeSaltAddress, ensureFactory } from './factory.js';
import type { PlannedContract } from './plan-deployment.js';

/** The whole supply. At the faucet's default of a day, 100,000 USDC and 1,000,000 XCN, it lasts for 27 years. */
const SUPPLY = { USDC: parseUnits('1000000000', 6), XCN: parseUnits('10000000000', 18) } as const;
const ABI = parseAbi(['constructor(address holder, uint256 supply)']);

/** The input of the deployment of test tokens. */
export interface DeployTestTokensInput {
  /** Ethereum's testnet, and the account that pays. It receives nothing. */
  readonly ethereum: DeployTarget;
  /** Receives the whole supply of both: the wallet of the faucet, or an account that fills it up. */
  readonly holder: Address;
  /** Receives a line for every step. */
  readonly onStep: (step: string) => void;
}

/**
 * Deploys USDC and XCN for a testnet. Their supply is fixed, and no account may mint or block, so that the limits of
 * the faucet are those of the tokens. A repeated run finds the tokens of the first: their addresses depend on the
 * deployer and the factory only.
 *
 * @returns the addresses, for `tokens` of the configuration of the bridge.
 * @throws Error on any other chain than Ethereum's testnet, or when the tokens exist for another holder.
 */
export async function deployTestTokens({
  ethereum,
  holder,
  onStep,
}: DeployTestTokensInput): Promise<Readonly<Record<'USDC' | 'XCN', Address>>> {
  const { client, wallet } = ethereum;
  const [chainId, testnet] = [await client.getChainId(), CHAIN_IDS.testnet.ethereum];
  if (chainId !== testnet) throw new Error(`Test tokens are for chain ${testnet} only, and the node is of ${chainId}`);
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
