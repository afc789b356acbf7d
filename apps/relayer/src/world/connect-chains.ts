import { connectChain } from '@causeway/chain';
import type { Configuration } from '../config/configuration.js';
import { assertRelayer } from './assert-relayer.js';
import type { BridgeChains } from './bridge-chain.js';

/** Connects both chains and refuses to start on the wrong ones, or where the address book names another relayer than the contracts. */
export async function connectChains(configuration: Configuration): Promise<BridgeChains> {
  const { ethereum, partner } = configuration.addressBook;
  const chains: BridgeChains = {
    ethereum: {
      side: 'ethereum',
      chainId: ethereum.chainId,
      connection: connectChain({ name: 'ethereum', chainId: ethereum.chainId, urls: configuration.ethereumRpcUrls }),
      bridge: ethereum.bridgeLock,
      deployedAtBlock: BigInt(ethereum.deployedAtBlock),
      confirmations: configuration.ethereumConfirmations,
    },
    partner: {
      side: 'partner',
      chainId: partner.chainId,
      connection: connectChain({ name: 'partner', chainId: partner.chainId, urls: configuration.partnerRpcUrls }),
      bridge: partner.bridgeMint,
      deployedAtBlock: BigInt(partner.deployedAtBlock),
      confirmations: configuration.partnerConfirmations,
    },
  };
  await Promise.all([chains.ethereum.connection.assertChainId(), chains.partner.connection.assertChainId()]);
  await assertRelayer(chains, configuration.addressBook);
  return chains;
}
