import { getToken, type Asset, type DelayReason } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi } from '@causeway/protocol/abi';
import type { BlockRecord, Fence, Operation, Store, XcnTotals } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Address, Hex } from 'viem';
import type { BridgeChain, BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, LOGGER, STORE } from '../infrastructure.js';
import { isAnyChainHalted } from '../pipeline/halted-chains.js';
import { findReadState } from './delivery-watch.js';
import { isCaughtUp } from './judge-delivery.js';
import { RelayerWallets } from './relayer-wallets.js';
import { coversMint, type Backing } from './solvency.js';

type ReadBlock = BlockRecord & { readonly chainId: number };

/** The final blocks of both chains at which solvency is read. `at`: chain time of the partner block. */
export interface SolvencyBlocks {
  readonly ethereum: ReadBlock;
  readonly partner: ReadBlock;
  readonly at: Date;
}

/** Reads each asset's backing by a quorum of nodes, and decides before each mint whether it is backed. */
@Injectable()
export class SolvencyReader {
  private readonly wallets: RelayerWallets;
  private readonly cached = new Map<Asset, { readonly hashes: string; readonly backing: Backing }>();

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.wallets = new RelayerWallets(chains.partner);
  }

  /**
   * Chooses the blocks to read: the newest final one of Ethereum, and a final one of the partner chain that is not
   * younger than the newest block read of Ethereum. Every mint up to there then has its deposit on the Ethereum side.
   *
   * @returns null while a chain catches up, or is halted, since its nodes and the database may be on different
   * branches.
   */
  async blocks(): Promise<SolvencyBlocks | null> {
    const { ethereum, partner } = this.chains;
    const [isHalted, lockState, mintState, lock, mint, newest] = await Promise.all([
      isAnyChainHalted(this.store),
      findReadState(this.store, ethereum.chainId),
      findReadState(this.store, partner.chainId),
      this.finalBlock(ethereum),
      this.finalBlock(partner),
      this.store.scan.latestBlock(ethereum.chainId),
    ]);
    if (isHalted || !isCaughtUp(lockState) || !isCaughtUp(mintState)) return null;
    if (lock === null || mint === null || newest === null) return null;
    const [locked, minted] = await Promise.all([
      this.store.scan.blockBelow(ethereum.chainId, lock + 1n),
      this.store.scan.blockUntil(partner.chainId, mint, newest.timestamp),
    ]);
    if (locked === null || locked.number < ethereum.deployedAtBlock) return null;
    if (minted === null || minted.number < partner.deployedAtBlock) return null;
    return {
      ethereum: { ...locked, chainId: ethereum.chainId },
      partner: { ...minted, chainId: partner.chainId },
      at: minted.timestamp,
    };
  }

  /** Reads an asset's backing at these blocks. Caches the last answer for each asset. */
  async read(asset: Asset, blocks: SolvencyBlocks): Promise<Backing> {
    const known = this.cached.get(asset);
    const hashes = `${blocks.ethereum.hash} ${blocks.partner.hash}`;
    if (known?.hashes === hashes) return known.backing;
    const [ethereumBlock, partnerBlock] = [blocks.ethereum.number, blocks.partner.number];
    const [locked, outstanding] = await Promise.all([
      this.locked(asset, ethereumBlock),
      asset === 'XCN' ? this.outstandingXcn(blocks) : this.outstandingTokens(asset, partnerBlock),
    ]);
    const backing = { asset, locked, outstanding, ethereumBlock, partnerBlock };
    this.cached.set(asset, { hashes, backing });
    return backing;
  }

  /**
   * Decides right before mints whether all of them together are backed. Other deliveries need no backing.
   *
   * @returns why mints must wait, by id. The others can be sent.
   * @throws QuorumError
   * @throws FenceLostError when a mint is not backed and another relayer may have begun to pay it.
   */
  async reasonsAgainst(fence: Fence, operations: readonly Operation[]): Promise<ReadonlyMap<Hex, DelayReason>> {
    const reasons = new Map<Hex, DelayReason>();
    const mints = operations.filter(({ direction }) => direction === 'ETHEREUM_TO_PARTNER');
    if (mints.length === 0) return reasons;
    const blocks = await this.blocks();
    const isOneBranch = blocks === null ? Promise.resolve(false) : this.isOneBranch(blocks);
    // The failure is thrown where the result is awaited.
    isOneBranch.catch(() => undefined);
    const inFlight = new Map<Asset, bigint>();
    for (const { id, asset, outputAmount: amount, origin } of mints) {
      if (blocks === null || origin === null || origin.blockNumber > blocks.ethereum.number) {
        reasons.set(id, 'ORIGIN_NOT_CONFIRMED');
        continue;
      }
      const [backing, before] = await Promise.all([
        this.read(asset, blocks),
        inFlight.get(asset) ?? this.inFlight(asset, blocks),
      ]);
      if (!(await isOneBranch)) {
        reasons.set(id, 'ORIGIN_NOT_CONFIRMED');
        continue;
      }
      const isCovered = coversMint(backing, before, amount);
      inFlight.set(asset, isCovered ? before + amount : before);
      if (isCovered) continue;
      // After a lost lease, this relayer would count the next relayer's mint of the same deposit against it.
      this.store.lease.assertHeld(fence);
      this.report(id, backing, before, amount);
      reasons.set(id, 'BACKING_SHORT');
    }
    return reasons;
  }

  private report(operationId: Hex, { asset, locked, outstanding }: Backing, inFlight: bigint, amount: bigint): void {
    const details = Object.entries({ locked, outstanding, inFlight, amount }).map(([name, value]) => [
      name,
      `${value}`,
    ]);
    this.logger.fatal(
      { operationId, asset, ...Object.fromEntries(details) },
      'the mint is not backed by the collateral on Ethereum; it waits',
    );
  }

  /**
   * Whether the nodes have the blocks that were read. Until the reader has followed a reorg, a mint may be stored from
   * the old branch and pending on the new one.
   */
  private async isOneBranch({ ethereum, partner }: SolvencyBlocks): Promise<boolean> {
    const { chains } = this;
    const [lock, mint] = await Promise.all([
      chains.ethereum.connection.agreedBlock(ethereum.number),
      chains.partner.connection.agreedBlock(partner.number),
    ]);
    return lock?.hash === ethereum.hash && mint?.hash === partner.hash;
  }

  /**
   * The signed mints that the partner block does not contain. The head of a quorum can move back a little, so a mint of
   * a deposit after the Ethereum block may be pending; it is excluded, since the collateral there lacks that deposit.
   */
  private async inFlight(asset: Asset, { ethereum, partner }: SolvencyBlocks): Promise<bigint> {
    const { number: blockNumber } = partner;
    const { chainId, connection } = this.chains.partner;
    const address = this.configuration.addressBook.relayer.toLowerCase() as Address;
    const nonce = await connection.agree((client) => client.getTransactionCount({ address, blockNumber }));
    return this.store.journal.mintsFrom({ chainId, address }, BigInt(nonce), asset, ethereum.number);
  }

  /** The newest block that is final by the quorum's head and was read, so that its events are stored. */
  private async finalBlock({ chainId, finality, confirmations }: BridgeChain): Promise<bigint | null> {
    const [newest, head] = await Promise.all([this.store.scan.latestBlock(chainId), finality.recentHead()]);
    if (newest === null) return null;
    const final = head - BigInt(confirmations) + 1n;
    return final < newest.number ? final : newest.number;
  }

  private async locked(asset: Asset, blockNumber: bigint): Promise<bigint> {
    const { addressBook: book } = this.configuration;
    const args = [getToken(book, 'ethereum', asset)] as const;
    const contract = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi, functionName: 'locked' } as const;
    return this.chains.ethereum.connection.agree((client) => client.readContract({ ...contract, args, blockNumber }));
  }

  private async outstandingTokens(asset: Asset, blockNumber: bigint): Promise<bigint> {
    const address = getToken(this.configuration.addressBook, 'partner', asset);
    const token = { address, abi: bridgedTokenAbi, blockNumber } as const;
    const { connection } = this.chains.partner;
    const handedInBy = (wallet: Address) =>
      connection.agree((client) => client.readContract({ ...token, functionName: 'handedIn', args: [wallet] }));
    const known = this.wallets.known();
    const [supply, wallets, ...ofKnown] = await Promise.all([
      connection.agree((client) => client.readContract({ ...token, functionName: 'totalSupply' })),
      this.wallets.until(blockNumber),
      ...known.map(handedInBy),
    ]);
    const ofOthers = await Promise.all(wallets.filter((wallet) => !known.includes(wallet)).map(handedInBy));
    return [...ofKnown, ...ofOthers].reduce((rest, held) => rest - held, supply);
  }

  private async outstandingXcn(blocks: SolvencyBlocks): Promise<bigint> {
    const { minted, withdrawn } = await this.xcnTotals(blocks);
    return minted - withdrawn;
  }

  /** The totals of native XCN up to these blocks. */
  async xcnTotals(blocks: SolvencyBlocks): Promise<XcnTotals> {
    const token = getToken(this.configuration.addressBook, 'ethereum', 'XCN');
    return this.store.xcnTotals.at(blocks, token.toLowerCase() as Address);
  }
}
