import { setTimeout } from 'node:timers/promises';
import { connectChain, QuorumError, readRelayer, type ChainConnection, type NodeEvent } from '@causeway/chain';
import { EX_CONFIG } from '@causeway/service/configuration';
import type { AddressBook } from '@causeway/protocol';
import { isAddressEqual, type Address } from 'viem';
import type { Configuration } from './configuration.js';
import { FinalBlocks } from './final-blocks.js';

export interface BridgeChain {
  readonly side: 'ethereum' | 'partner';
  readonly chainId: number;
  readonly connection: ChainConnection;
  /** BridgeLock on Ethereum, BridgeMint on the partner chain. */
  readonly bridge: Address;
  readonly deployedAtBlock: bigint;
  /** Confirmations after which a block of this chain is final. */
  readonly confirmations: number;
  /** Reports whether a block is final, by a quorum of the chain's nodes. */
  readonly finality: FinalBlocks;
}

export interface BridgeChains {
  readonly ethereum: BridgeChain;
  readonly partner: BridgeChain;
}

/** Lists both chains, for code that treats them alike. */
export function eachChain<Chain>(chains: Readonly<Record<BridgeChain['side'], Chain>>): readonly Chain[] {
  return [chains.ethereum, chains.partner];
}

export function getChainIds({ ethereum, partner }: BridgeChains): {
  readonly ethereum: number;
  readonly partner: number;
} {
  return { ethereum: ethereum.chainId, partner: partner.chainId };
}

/** Milliseconds before a check that the nodes did not answer is repeated. */
const CHECK_AGAIN_MS = 2_000;

/**
 * Connects both chains. Returns immediately: an unavailable node delays neither the start nor the other chain.
 *
 * @param report receives node events for the log.
 */
export function connectChains(configuration: Configuration, report: (event: NodeEvent) => void): BridgeChains {
  const { addressBook, ethereumNodes, partnerNodes, ethereumConfirmations, partnerConfirmations } = configuration;
  const { ethereum, partner } = addressBook;
  const connected = (side: BridgeChain['side'], chainId: number, confirmations: number) => {
    const nodes = side === 'ethereum' ? ethereumNodes : partnerNodes;
    const connection = connectChain({ name: side, chainId, ...nodes, confirmations, report });
    return { side, chainId, confirmations, connection, finality: new FinalBlocks(connection, () => performance.now()) };
  };
  return {
    ethereum: {
      ...connected('ethereum', ethereum.chainId, ethereumConfirmations),
      bridge: ethereum.bridgeLock,
      deployedAtBlock: BigInt(ethereum.deployedAtBlock),
    },
    partner: {
      ...connected('partner', partner.chainId, partnerConfirmations),
      bridge: partner.bridgeMint,
      deployedAtBlock: BigInt(partner.deployedAtBlock),
    },
  };
}

/** The bridge contract names another relayer wallet than the address book, which is outdated after a rotation. */
export class OutdatedRelayerError extends Error {
  override readonly name = 'OutdatedRelayerError';
  readonly exitCode = EX_CONFIG;
  constructor(
    readonly side: BridgeChain['side'],
    readonly current: Address,
    readonly named: Address,
  ) {
    super(
      `The bridge contract on ${side} names the relayer ${current}, but the address book names ${named}: ` +
        'point ADDRESS_BOOK to the current file',
    );
  }
}

/**
 * Checks that the nodes serve the configured chains and that both contracts name the wallet of the address book. Each
 * chain is checked on its own, and repeatedly until a quorum of its nodes has answered.
 *
 * @returns when both chains have passed.
 * @throws WrongChainError, OutdatedRelayerError as soon as one chain fails.
 */
export async function checkChains(chains: BridgeChains, book: AddressBook): Promise<void> {
  await Promise.all(eachChain(chains).map((chain) => checkChain(chain, book)));
}

async function checkChain({ side, connection, finality }: BridgeChain, book: AddressBook): Promise<void> {
  await connection.ready();
  for (;;) {
    try {
      const blockNumber = await finality.head();
      const current = await connection.agree((client) => readRelayer(client, book, side, { blockNumber }));
      if (!isAddressEqual(current, book.relayer)) throw new OutdatedRelayerError(side, current, book.relayer);
      return;
    } catch (error) {
      if (!(error instanceof QuorumError)) throw error;
      await setTimeout(CHECK_AGAIN_MS, undefined, { ref: false });
    }
  }
}
