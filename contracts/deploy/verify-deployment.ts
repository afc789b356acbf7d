import { zeroAddress, type Address, type PublicClient } from 'viem';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '../generated/abi.js';
import { bridgedTokenCode, bridgeLockCode, bridgeMintCode } from '../generated/deployed-code.js';
import type { AddressBook } from './address-book.js';
import { refuseDeployer, type DeploymentConfig } from './deployment-config.js';
import { expectCode, expectSame } from './expect.js';
import { XCN_GRANULARITY_EXPONENT } from './plan-deployment.js';
import { verifyOwners } from './verify-roles.js';

const ASSETS = ['ETH', 'USDC', 'XCN'] as const;

/** A deployment and its configuration. */
export interface VerifyDeploymentInput {
  readonly book: AddressBook;
  readonly config: DeploymentConfig;
  /**
   * The deployers must hold only roles that the configuration gives them: none outside the local environment. Where a
   * local configuration leaves an owner out, the deployer is the owner.
   */
  readonly deployers: { readonly ethereum: Address; readonly partner: Address };
  readonly ethereum: { readonly client: PublicClient };
  readonly partner: { readonly client: PublicClient };
}

/**
 * Compares the contracts on the chains with the address book and the configuration: code, peers, relayer, roles, and
 * every token's granularity, limit and fees.
 *
 * @throws Error naming the first difference.
 */
export async function verifyDeployment(input: VerifyDeploymentInput): Promise<void> {
  const { book, config, ethereum, partner } = input;
  refuseDeployer(config, input.deployers);
  const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
  const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
  const { client: one } = ethereum;
  const { client: other } = partner;
  await expectCode(one, 'BridgeLock', lock.address, bridgeLockCode);
  await expectCode(other, 'BridgeMint', mint.address, bridgeMintCode);
  expectSame('peer of BridgeLock', await one.readContract({ ...lock, functionName: 'peer' }), mint.address);
  expectSame('peer of BridgeMint', await other.readContract({ ...mint, functionName: 'peer' }), lock.address);
  const chainOfMint = await one.readContract({ ...lock, functionName: 'peerChainId' });
  expectSame('peer chain of BridgeLock', chainOfMint, book.partner.chainId);
  const chainOfLock = await other.readContract({ ...mint, functionName: 'peerChainId' });
  expectSame('peer chain of BridgeMint', chainOfLock, book.ethereum.chainId);
  expectSame('relayer of BridgeLock', await one.readContract({ ...lock, functionName: 'relayer' }), book.relayer);
  expectSame('relayer of BridgeMint', await other.readContract({ ...mint, functionName: 'relayer' }), book.relayer);
  expectSame('treasury', await one.readContract({ ...lock, functionName: 'treasury' }), config.treasury);
  expectSame('XCN of BridgeLock', await one.readContract({ ...lock, functionName: 'xcn' }), book.ethereum.tokens.XCN);
  const nativeUnit = await other.readContract({ ...mint, functionName: 'nativeUnit' });
  expectSame('native unit', nativeUnit, book.partner.nativeUnit);
  for (const [asset, address] of Object.entries(book.partner.tokens)) {
    await expectCode(other, `the bridged ${asset}`, address, bridgedTokenCode);
    const bridge = await other.readContract({ address, abi: bridgedTokenAbi, functionName: 'bridge' });
    expectSame(`bridge of the bridged ${asset}`, bridge, mint.address);
    const decimals = await other.readContract({ address, abi: bridgedTokenAbi, functionName: 'decimals' });
    expectSame(`decimals of the bridged ${asset}`, decimals, asset === 'USDC' ? 6 : 18);
    const symbol = await other.readContract({ address, abi: bridgedTokenAbi, functionName: 'symbol' });
    expectSame(`symbol of the bridged ${asset}`, symbol, asset);
  }
  for (const asset of ASSETS) {
    const here: Address = asset === 'ETH' ? zeroAddress : book.ethereum.tokens[asset];
    const there: Address = asset === 'XCN' ? zeroAddress : book.partner.tokens[asset];
    const granularity = 10n ** BigInt(asset === 'XCN' ? XCN_GRANULARITY_EXPONENT : 0);
    const { capacity, windowSeconds } = config.outflowLimits[asset];
    const { bps, minFee, minAmount } = config.feePolicies[asset];
    const settings = [true, granularity];
    const limit = [capacity, windowSeconds];
    const ofHere = { args: [here] } as const;
    const ofThere = { args: [there] } as const;
    const listedHere = await one.readContract({ ...lock, functionName: 'tokenSettings', ...ofHere });
    expectSame(`${asset} in BridgeLock`, listedHere, settings);
    const listedThere = await other.readContract({ ...mint, functionName: 'tokenSettings', ...ofThere });
    expectSame(`${asset} in BridgeMint`, listedThere, settings);
    const limitHere = await one.readContract({ ...lock, functionName: 'outflowLimit', ...ofHere });
    expectSame(`outflow limit of ${asset} in BridgeLock`, limitHere, limit);
    const limitThere = await other.readContract({ ...mint, functionName: 'outflowLimit', ...ofThere });
    expectSame(`outflow limit of ${asset} in BridgeMint`, limitThere, limit);
    const policy = await other.readContract({ ...mint, functionName: 'feePolicy', ...ofThere });
    expectSame(`fee policy of ${asset}`, policy, [bps, minFee, minAmount]);
  }
  const bridges = [
    { name: 'BridgeLock', side: 'ethereum', address: lock.address, ...book.ethereum },
    { name: 'BridgeMint', side: 'partner', address: mint.address, ...book.partner },
  ] as const;
  for (const bridge of bridges) {
    await verifyOwners(input[bridge.side].client, bridge, config, input.deployers[bridge.side]);
  }
}
