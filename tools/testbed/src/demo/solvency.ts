import { listAssets, getToken, type Asset } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { isAddressEqual } from 'viem';
import type { Environment } from '../environment/environment.js';
import { feePaid } from './balance-sheet.js';

/** The backing of an asset on the partner chain, in atomic units. */
export interface Solvency {
  readonly asset: Asset;
  /** Held by BridgeLock, less fees and credits. */
  readonly locked: bigint;
  /** Held by users on the partner chain through the bridge. */
  readonly minted: bigint;
  /** Kept by BridgeLock for the treasury. */
  readonly fees: bigint;
}

/**
 * Reads from the contracts how much of each asset is locked and how much is minted.
 *
 * A burn moves bridged tokens to the relayer wallet; they do not count as minted, whether retired or not. Minted XCN is
 * the coin paid into float and relayer wallet by the operators, less what both hold and what was spent on gas: mints
 * take from it, withdrawals and intents add to it. The partner chain is read at one block, since a retirement or sweep
 * can occur at any moment.
 */
export async function readSolvency(environment: Environment): Promise<Solvency[]> {
  const { book, ethereum, partner } = environment;
  const blockNumber = await partner.client.getBlockNumber({ cacheTime: 0 });
  const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
  const funding = await partner.client.getContractEvents({
    ...mint,
    eventName: 'ToppedUp',
    fromBlock: 0n,
    toBlock: blockNumber,
  });
  const atGenesis = await partner.client.getBalance({ address: book.relayer, blockNumber: 0n });
  const funded = funding.reduce((sum, { args }) => sum + (args.amount ?? 0n), atGenesis);
  const spentOnGas = await sumRelayerGas(environment, blockNumber);
  const wallet = await partner.client.getBalance({ address: book.relayer, blockNumber });
  const float = await partner.client.readContract({ ...mint, functionName: 'float', blockNumber });
  return Promise.all(
    listAssets().map(async (asset) => {
      const lock = {
        address: book.ethereum.bridgeLock,
        abi: bridgeLockAbi,
        args: [getToken(book, 'ethereum', asset)],
      } as const;
      const token = { address: getToken(book, 'partner', asset), abi: bridgedTokenAbi, blockNumber } as const;
      const minted =
        asset === 'XCN'
          ? funded - spentOnGas - wallet - float
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

/** The gas fees of the relayer's deliveries, retirements and sweeps on the partner chain up to a block, in wei. */
async function sumRelayerGas({ book, partner: { client } }: Environment, toBlock: bigint): Promise<bigint> {
  const contract = { address: book.partner.bridgeMint, abi: bridgeMintAbi, fromBlock: 0n, toBlock } as const;
  const events = await Promise.all(
    (['Mint', 'Retired', 'Swept'] as const).map((eventName) => client.getContractEvents({ ...contract, eventName })),
  );
  // One transaction can emit several events.
  const hashes = new Set(events.flat().map(({ transactionHash }) => transactionHash));
  const receipts = await Promise.all([...hashes].map((hash) => client.getTransactionReceipt({ hash })));
  const sent = receipts.filter(({ from }) => isAddressEqual(from, book.relayer));
  return sent.reduce((sum, receipt) => sum + feePaid('partner', receipt), 0n);
}
