import { connectChain, readRelayers, type ChainConnection } from '@causeway/chain';
import type { AddressBook } from '@causeway/protocol';
import { isAddressEqual, type Address } from 'viem';
import type { Configuration } from './configuration.js';

/** One of the two chains, as the stages use it. */
export interface BridgeChain {
  readonly side: 'ethereum' | 'partner';
  readonly chainId: number;
  readonly connection: ChainConnection;
  /** BridgeLock on Ethereum, BridgeMint on the partner chain. */
  readonly bridge: Address;
  readonly deployedAtBlock: bigint;
  /** Confirmations after which a block of this chain is final. */
  readonly confirmations: number;
}

/** Both chains. */
export interface BridgeChains {
  readonly ethereum: BridgeChain;
  readonly partner: BridgeChain;
}

/** Lists both chains, for code that does the same on each. */
export function eachChain(chains: BridgeChains): readonly BridgeChain[] {
  return [chains.ethereum, chains.partner];
}

/**
 * Connects both chains.
 *
 * @throws WrongChainError, NodeUnavailableError, and Error when the address book names an outdated relayer.
 */
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
  await assertCurrentRelayer(chains, configuration.addressBook);
  return chains;
}

/**
 * Compares the relayer wallet of the address book with the one of each contract. After a rotation they differ until the
 * address book is replaced.
 *
 * @throws Error naming the contract and both wallets.
 */
export async function assertCurrentRelayer({ ethereum, partner }: BridgeChains, book: AddressBook): Promise<void> {
  const clients = { ethereum: ethereum.connection.client, partner: partner.connection.client };
  const relayers = await readRelayers(clients, book);
  for (const side of ['ethereum', 'partner'] as const) {
    if (isAddressEqual(relayers[side], book.relayer)) continue;
    throw new Error(
      `The relayer of the bridge on ${side} is ${relayers[side]}, but the address book names ${book.relayer}: ` +
        'point ADDRESS_BOOK to the current file',
    );
  }
}
