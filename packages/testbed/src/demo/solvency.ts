import { ASSETS, tokenOfAsset, type Asset } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { World } from '../world/world.js';
import { feePaid } from './fee-paid.js';
import type { Finished } from './transfer.js';

/** What backs an asset on the partner chain, in atomic units. */
export interface Solvency {
  readonly asset: Asset;
  /** Held by BridgeLock, less fees and credits. */
  readonly locked: bigint;
  /** In the hands of users on the partner chain because of the bridge. */
  readonly minted: bigint;
  /** Kept by BridgeLock for the treasury. */
  readonly fees: bigint;
}

/**
 * Reads from the contracts what is locked and what is out. A burn moves bridged tokens to the relayer wallet, so those
 * are not out any more, before the relayer retires them and after; XCN that is out is what the float has given less what
 * it got back. The partner chain is read at one block, since a retirement may come at any moment.
 *
 * @param floatBefore balance of the relayer wallet on the partner chain before the transfers.
 */
export async function readSolvency(
  world: World,
  floatBefore: bigint,
  transfers: readonly Finished[],
): Promise<Solvency[]> {
  const { book, ethereum, partner } = world;
  const blockNumber = await partner.client.getBlockNumber({ cacheTime: 0 });
  const gasPaid = transfers
    .filter(({ direction }) => direction === 'ETHEREUM_TO_PARTNER')
    .reduce((sum, { delivery }) => sum + feePaid('partner', delivery), await retirementGas(world, blockNumber));
  const floatNow = await partner.client.getBalance({ address: book.relayer, blockNumber });
  return Promise.all(
    ASSETS.map(async (asset) => {
      const lock = {
        address: book.ethereum.bridgeLock,
        abi: bridgeLockAbi,
        args: [tokenOfAsset(book, 'ethereum', asset)],
      } as const;
      const token = { address: tokenOfAsset(book, 'partner', asset), abi: bridgedTokenAbi, blockNumber } as const;
      const minted =
        asset === 'XCN'
          ? floatBefore - gasPaid - floatNow
          : (await partner.client.readContract({ ...token, functionName: 'totalSupply' })) -
            (await partner.client.readContract({ ...token, functionName: 'balanceOf', args: [book.relayer] }));
      return {
        asset,
        locked: await ethereum.client.readContract({ ...lock, functionName: 'locked' }),
        minted,
        fees: await ethereum.client.readContract({ ...lock, functionName: 'feesAccrued' }),
      };
    }),
  );
}

/** What the relayer paid for the gas of its retirements up to a block, in wei. */
async function retirementGas({ book, partner: { client } }: World, toBlock: bigint): Promise<bigint> {
  const where = { address: book.partner.bridgeMint, abi: bridgeMintAbi, eventName: 'Retired' } as const;
  const events = await client.getContractEvents({ ...where, fromBlock: 0n, toBlock });
  const receipts = await Promise.all(
    events.map(({ transactionHash }) => client.getTransactionReceipt({ hash: transactionHash })),
  );
  return receipts.reduce((sum, receipt) => sum + feePaid('partner', receipt), 0n);
}
