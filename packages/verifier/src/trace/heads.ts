import { bridgeMintAbi } from '@causeway/contracts/abi';
import type { Address, Hex } from 'viem';
import type { Header } from '../blocks/header.js';
import { readQuantity } from '../blocks/json.js';
import { readContract } from '../checks/contract-reads.js';
import type { Side } from '../nodes/finality.js';
import { readProvenBlock, type ProvenTransaction } from '../nodes/proven-block.js';
import { NoQuorumError } from '../nodes/quorum-reader.js';
import type { Verifier } from '../verifier.js';

/** The newest blocks that a quorum of each chain's nodes has. A trace reads the chains up to them. */
export type Heads = Readonly<Record<Side, Header>>;

/** A transaction with its block, which proves it. */
export interface PlacedTransaction {
  readonly side: Side;
  readonly transaction: ProvenTransaction;
  readonly blockNumber: bigint;
  /** Unix seconds of the block. */
  readonly timestamp: bigint;
}

/**
 * Reads the newest block of a chain.
 *
 * @throws NoQuorumError also for nodes of another chain.
 */
export async function readHead({ readers, settings }: Verifier, side: Side): Promise<Header> {
  const reader = readers[side];
  const { chainId } = settings[side];
  const found = await reader.agree('their chain', async (ask) => readQuantity(await ask('eth_chainId', []), 'chainId'));
  if (found !== BigInt(chainId))
    throw new NoQuorumError(side, 'their chain', [`they are of chain ${found} instead of ${chainId}`], false);
  return reader.headerAt(await reader.head());
}

/** Reads a transaction of a block. Null if the block does not contain it. */
export async function readPlaced(
  { readers }: Verifier,
  side: Side,
  place: { readonly transactionHash: Hex; readonly blockNumber: bigint },
): Promise<PlacedTransaction | null> {
  const { header, transactions } = await readProvenBlock(readers[side], place.blockNumber);
  const transaction = transactions.find(({ hash }) => hash === place.transactionHash);
  if (transaction === undefined) return null;
  return { side, transaction, blockNumber: header.number, timestamp: header.timestamp };
}

/** Finds a mined transaction by its hash. Null if a quorum of nodes has none up to the head. */
export async function findTransaction(
  verifier: Verifier,
  side: Side,
  transactionHash: Hex,
  heads: Heads,
): Promise<PlacedTransaction | null> {
  const blockNumber = await verifier.readers[side].agree(`the block of ${transactionHash}`, async (ask) => {
    const receipt = await ask('eth_getTransactionReceipt', [transactionHash]);
    return receipt === null ? null : readQuantity((receipt as { blockNumber?: unknown }).blockNumber, 'blockNumber');
  });
  if (blockNumber === null || blockNumber > heads[side].number) return null;
  return readPlaced(verifier, side, { transactionHash, blockNumber });
}

/** Reads the relayer wallet that BridgeMint names at the head. */
export async function traceWallet({ readers, settings }: Verifier, { partner }: Heads): Promise<Address> {
  const read = { address: settings.partner.contract, abi: bridgeMintAbi, functionName: 'relayer', args: [] };
  return String(await readContract(readers.partner, { ...read, blockHash: partner.hash })).toLowerCase() as Address;
}
