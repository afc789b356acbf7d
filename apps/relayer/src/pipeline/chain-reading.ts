import { ChainReader, watchedEvents, type NodeFault, type NumberedEvents, type ReadPosition } from '@causeway/chain';
import { listAssets, getToken, type AddressBook } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Store } from '@causeway/store';
import { encodeFunctionData, zeroAddress, type Address } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';

/**
 * Blocks per request of logs on the partner chain, whose gateway limits only the results. This is twice the reader's
 * own limit, since each range there also costs the reads of the wallets' accounts.
 */
const PARTNER_RANGE_BLOCKS = 20_000;

/** The events that begin operations. The contracts number them. */
function numberedEvents({ side, bridge }: Pick<BridgeChain, 'side' | 'bridge'>): NumberedEvents {
  const isEthereum = side === 'ethereum';
  const origin = isEthereum ? 'Deposit' : 'Withdraw';
  const topic = [...watchedEvents(side)].find(([, { name }]) => name === origin)?.[0];
  if (topic === undefined) throw new Error(`The ABI of the contract on ${side} has no ${origin}`);
  const counter = isEthereum
    ? encodeFunctionData({ abi: bridgeLockAbi, functionName: 'depositNonce' })
    : encodeFunctionData({ abi: bridgeMintAbi, functionName: 'withdrawNonce' });
  return { contract: bridge, topic, counter };
}

/** The relayer wallets whose arrivals are read, and the address book of the tokens. */
export interface WatchedWallets {
  readonly wallets: readonly Address[];
  readonly book: AddressBook;
}

interface ReadChain extends Pick<BridgeChain, 'side' | 'chainId' | 'bridge' | 'confirmations'> {
  readonly connection: ConstructorParameters<typeof ChainReader>[0]['nodes'];
}

/**
 * Creates the reader of a chain. It compares the chain with the store, and writes nothing.
 *
 * @param report called for a node that provably hid or invented logs.
 */
export function createReader(
  { scan }: { readonly scan: Pick<Store['scan'], 'block' | 'blockBelow' | 'nextOriginNumber'> },
  chain: ReadChain,
  { wallets, book }: WatchedWallets,
  report: (fault: NodeFault) => void = () => undefined,
): ChainReader {
  const { chainId, connection, bridge, side, confirmations } = chain;
  return new ChainReader({
    nodes: connection,
    watch: {
      contracts: [bridge],
      topics: [...watchedEvents(side).keys()],
      receivers: side === 'partner' ? wallets : [],
      tokenTransfers: { tokens: listTokens(book, side), to: wallets },
    },
    numbered: numberedEvents(chain),
    confirmations,
    limits: side === 'partner' ? { rangeBlocks: PARTNER_RANGE_BLOCKS } : {},
    stored: {
      findHash: async (number) => (await scan.block(chainId, number))?.hash ?? null,
      below: (number) => scan.blockBelow(chainId, number),
      nextNumber: () => scan.nextOriginNumber(chainId),
    },
    report,
  });
}

/** The ERC-20 contracts of the bridged assets on a side. */
function listTokens(book: AddressBook, side: BridgeChain['side']): Address[] {
  return listAssets()
    .map((asset) => getToken(book, side, asset))
    .filter((token) => token !== zeroAddress);
}

/** Returns where reading continues; null before the first read. */
export async function readPosition(
  { scan }: { readonly scan: Pick<Store['scan'], 'cursor' | 'block'> },
  chainId: number,
): Promise<ReadPosition | null> {
  const cursor = await scan.cursor(chainId);
  if (cursor === null) return null;
  const last = await scan.block(chainId, cursor.nextBlock - 1n);
  return { nextBlock: cursor.nextBlock, lastHash: last?.hash ?? null };
}
