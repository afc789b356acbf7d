import { readRelayer } from '@causeway/chain';
import { listAssets, getToken, type Asset, type Side } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { CompletedOperations, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import { zeroAddress, type Address } from 'viem';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, STORE, type Chains } from '../infrastructure.js';
import { LastKnownValue } from '../last-known-value.js';
import { readPauses, type PauseRow } from './contract-state.js';

/** Amounts of an asset in atomic units, each at the last block that the relayer has read on its chain. */
export interface AssetBacking {
  readonly asset: Asset;
  /** BridgeLock's holdings, less fees and credits. */
  readonly locked: bigint;
  /** Supply of the bridged token; for XCN, all mints less all withdrawals. */
  readonly supply: bigint;
  /** The part of the supply handed in to relayer wallets. It is not owed to any holder. */
  readonly handedIn: bigint;
}

/** A wallet that a contract names or that has signed transactions. */
interface WalletState {
  readonly side: Side;
  readonly address: Address;
  readonly isCurrent: boolean;
  /** In wei, as the RPC returns it. */
  readonly balance: bigint;
}

/** The relayer's roles in the contracts. */
export interface RelayerRoles {
  readonly wallets: readonly WalletState[];
  readonly standby: readonly { readonly side: Side; readonly address: Address | null }[];
  readonly attesters: { readonly addresses: readonly Address[]; readonly threshold: number };
}

const TIMES = { freshMs: 5_000, patienceMs: 2_000, oldestMs: 5_000 };
const DAY_MS = 86_400_000;
/** In milliseconds. At five operations a second, the database sums up a day in 250 ms. */
const DAY_TIMES = { freshMs: 60_000, patienceMs: 10_000, oldestMs: 60_000 };
const SIDES = ['ethereum', 'partner'] as const;

/**
 * Reads, by a quorum of nodes, the holdings of contracts and wallets for the console. All readers of a process share
 * one reading. Null means that the nodes do not agree now.
 */
@Injectable()
export class BridgeStateService {
  private readonly backings = new LastKnownValue(async () => this.readBackings(), TIMES);
  private readonly floats = new LastKnownValue(async () => this.readFloat(), TIMES);
  private readonly roles = new LastKnownValue(async () => this.readRoles(), TIMES);
  private readonly pauseRows = new LastKnownValue(async () => this.readPauses(), TIMES);
  private readonly day = new LastKnownValue(
    async () => this.store.overview.completedSince(new Date(Date.now() - DAY_MS)),
    DAY_TIMES,
  );
  private readonly headOf = {
    ethereum: new LastKnownValue(async () => this.chains.ethereum.agreedHead(), TIMES),
    partner: new LastKnownValue(async () => this.chains.partner.agreedHead(), TIMES),
  };

  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** Returns locked and owed amounts of all assets. */
  async backing(): Promise<readonly AssetBacking[] | null> {
    return orNull(this.backings);
  }

  /** Returns the native XCN that BridgeMint can deliver, in 18-decimal units. */
  async float(): Promise<bigint | null> {
    return orNull(this.floats);
  }

  /** Returns the highest block that a quorum has reached. */
  async head(side: Side): Promise<bigint | null> {
    return orNull(this.headOf[side]);
  }

  /** Returns the pauses of both contracts, active or not. */
  async pauses(): Promise<readonly PauseRow[] | null> {
    return orNull(this.pauseRows);
  }

  /** Returns sums over the operations completed in the last 24 hours, at most a minute old. */
  async readCompletedOfDay(): Promise<readonly CompletedOperations[]> {
    return this.day.fresh();
  }

  /** Returns the wallets with their balances, the standby addresses and the attesters. */
  async relayerRoles(): Promise<RelayerRoles | null> {
    return orNull(this.roles);
  }

  private async readBackings(): Promise<AssetBacking[]> {
    const { ethereum, partner } = this.configuration.addressBook;
    const read = await this.store.overview.chains();
    const getLastBlock = (chainId: number) => (read.find((each) => each.chainId === chainId)?.nextBlock ?? 1n) - 1n;
    // The relayer reads a deposit before it mints, and a burn before it releases. So the amounts at these two blocks
    // are consistent.
    const blocks = {
      ethereum: { chainId: ethereum.chainId, number: getLastBlock(ethereum.chainId) },
      partner: { chainId: partner.chainId, number: getLastBlock(partner.chainId) },
    };
    const { minted, withdrawn } = await this.store.xcnTotals.at(blocks, ethereum.tokens.XCN.toLowerCase() as Address);
    return Promise.all(
      listAssets().map(async (asset) => {
        const locked = await this.readLocked(asset, blocks.ethereum.number);
        if (asset === 'XCN') return { asset, locked, supply: minted - withdrawn, handedIn: 0n };
        return { asset, locked, ...(await this.readSupply(asset, blocks.partner.number)) };
      }),
    );
  }

  private async readLocked(asset: Asset, blockNumber: bigint): Promise<bigint> {
    const { addressBook: book } = this.configuration;
    const args = [getToken(book, 'ethereum', asset)] as const;
    const contract = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi, functionName: 'locked' } as const;
    return this.chains.ethereum.agree((client) => client.readContract({ ...contract, args, blockNumber }));
  }

  private async readSupply(asset: Asset, blockNumber: bigint): Promise<{ supply: bigint; handedIn: bigint }> {
    const { addressBook: book } = this.configuration;
    const token = { address: getToken(book, 'partner', asset), abi: bridgedTokenAbi, blockNumber } as const;
    const wallets = await this.listWallets('partner');
    return this.chains.partner.agree(async (client) => {
      const [supply, ...parts] = await Promise.all([
        client.readContract({ ...token, functionName: 'totalSupply' }),
        ...wallets.map((wallet) => client.readContract({ ...token, functionName: 'handedIn', args: [wallet] })),
      ]);
      return { supply, handedIn: parts.reduce((sum, part) => sum + part, 0n) };
    });
  }

  private async readFloat(): Promise<bigint> {
    const { partner } = this.chains;
    const { bridgeMint: address } = this.configuration.addressBook.partner;
    const blockNumber = await partner.agreedHead();
    const contract = { address, abi: bridgeMintAbi, blockNumber } as const;
    return partner.agree((client) => client.readContract({ ...contract, functionName: 'float' }));
  }

  private async readPauses(): Promise<PauseRow[]> {
    const { chains, configuration } = this;
    const sides = SIDES.map(async (side) => readPauses(chains[side], configuration.addressBook, side));
    return (await Promise.all(sides)).flat();
  }

  private async readRoles(): Promise<RelayerRoles> {
    const { addressBook: book } = this.configuration;
    const sides = await Promise.all(
      SIDES.map(async (side) => {
        const known = await this.listWallets(side);
        const blockNumber = await this.chains[side].agreedHead();
        const address = side === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint;
        // Both contracts inherit these functions from the same base.
        const contract = { address, abi: bridgeLockAbi, blockNumber } as const;
        return this.chains[side].agree(async (client) => {
          const [named, standby, [, members, threshold]] = await Promise.all([
            readRelayer(client, book, side, { blockNumber }),
            client.readContract({ ...contract, functionName: 'standby' }),
            client.readContract({ ...contract, functionName: 'attesters' }),
          ]);
          const current = named.toLowerCase() as Address;
          const wallets = await Promise.all(
            [...new Set([current, ...known])].map(async (wallet): Promise<WalletState> => {
              const balance = await client.getBalance({ address: wallet, blockNumber });
              return { side, address: wallet, isCurrent: wallet === current, balance };
            }),
          );
          const standing = { side, address: standby === zeroAddress ? null : (standby.toLowerCase() as Address) };
          const addresses = members.map((member) => member.toLowerCase() as Address);
          return { wallets, standby: standing, attesters: { addresses, threshold: Number(threshold) } };
        });
      }),
    );
    const [ethereum] = sides;
    return {
      wallets: sides.flatMap(({ wallets }) => wallets),
      standby: sides.map(({ standby }) => standby),
      attesters: ethereum?.attesters ?? { addresses: [], threshold: 0 },
    };
  }

  /** The wallet of the address book and all earlier signing wallets. */
  async listWallets(side: Side): Promise<Address[]> {
    const { addressBook: book } = this.configuration;
    const signed = await this.store.calls.wallets(book[side].chainId);
    return [...new Set([book.relayer, ...signed])];
  }
}

async function orNull<T>(value: LastKnownValue<T>): Promise<T | null> {
  // The page shows the other values. The log and GET /health name the nodes that do not agree.
  return value.fresh().catch(() => null);
}
