import type { Fence, Store, WalletState } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { isAddressEqual, type Address, type PublicClient } from 'viem';
import type { BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, LOGGER, STORE } from '../infrastructure.js';
import { differenceOf, RangeSize, spentOn, type SentTransaction } from './inflows.js';

/** Ranges per run. While the audit catches up, the next run continues. */
const MAX_RANGES = 20;

/**
 * Accounts for every change of the wallet's balance on the partner chain, block by block up to the newest final one:
 * recorded transfers came in, values and fees of its own transactions went out. The rest is coin that came by
 * another way, such as the call of a contract: nobody would ever refund it.
 */
@Injectable()
export class BalanceAudit {
  private readonly range = new RangeSize();

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Accounts for the blocks that have become final, as far as one run may.
   *
   * @returns whether blocks are left.
   */
  async run(fence: Fence): Promise<boolean> {
    const last = await this.lastFinalBlock();
    if (last === null) return false;
    let state = await this.start(fence, last);
    for (let ranges = 0; ranges < MAX_RANGES && state.blockNumber < last; ranges++)
      state = await this.account(fence, state, last);
    return state.blockNumber < last;
  }

  private async lastFinalBlock(): Promise<bigint | null> {
    const { chainId, finality, confirmations, deployedAtBlock } = this.chains.partner;
    const newest = await this.store.scan.latestBlock(chainId);
    if (newest === null) return null;
    const final = (await finality.head()) - BigInt(confirmations) + 1n;
    const last = final < newest.number ? final : newest.number;
    return last < deployedAtBlock ? null : last;
  }

  /** The first time, the account begins before the deployment, or now if the nodes do not have so old a state. */
  private async start(fence: Fence, last: bigint): Promise<WalletState> {
    const known = await this.store.audits.last(this.wallet());
    if (known !== null) return known;
    const now = await this.stateAt(last);
    const { deployedAtBlock } = this.chains.partner;
    const first = await this.stateAt(deployedAtBlock > 0n ? deployedAtBlock - 1n : 0n).catch((error: unknown) => {
      this.logger.warn({ err: error, block: last.toString() }, 'the nodes have no old state: the audit begins now');
      return now;
    });
    await this.store.audits.advance(fence, this.wallet(), first, 0n);
    return first;
  }

  /**
   * Accounts for the next range, or halves it.
   *
   * @returns the state up to which the wallet is accounted for now.
   */
  private async account(fence: Fence, before: WalletState, last: bigint): Promise<WalletState> {
    const from = before.blockNumber;
    const to = this.range.end(from, last);
    const after = await this.stateAt(to);
    const isOneBlock = to === from + 1n;
    const isUnsent = after.nonce === before.nonce;
    if (!isOneBlock && !isUnsent) return this.halve(before, to);
    const received = await this.store.audits.received(this.wallet(), from, to);
    const spent = isUnsent ? 0n : await this.spentIn(to);
    const difference = differenceOf({ before: before.balance, after: after.balance, received, spent });
    if (difference !== 0n && !isOneBlock) return this.halve(before, to);
    // The call trees of this block say where the difference came from. Nothing reads them yet: an operator does.
    if (difference !== 0n)
      this.logger.error(
        { block: to.toString(), wallet: this.wallet().address, difference: difference.toString() },
        'the balance of the wallet is not explained by its transfers and transactions',
      );
    await this.store.audits.advance(fence, this.wallet(), after, difference);
    if (difference === 0n) this.range.grow();
    return after;
  }

  private halve(before: WalletState, to: bigint): WalletState {
    this.range.shrink(before.blockNumber, to);
    return before;
  }

  private async stateAt(blockNumber: bigint): Promise<WalletState> {
    const { address } = this.wallet();
    const { connection } = this.chains.partner;
    const [balance, nonce] = await Promise.all([
      connection.agree((client) => client.getBalance({ address, blockNumber })),
      connection.agree((client) => client.getTransactionCount({ address, blockNumber })),
    ]);
    return { blockNumber, balance, nonce: BigInt(nonce) };
  }

  private async spentIn(blockNumber: bigint): Promise<bigint> {
    const { connection, bridge } = this.chains.partner;
    const { address } = this.wallet();
    return connection.agree(async (client) => spentOn(await sentIn(client, blockNumber, address), bridge));
  }

  private wallet(): { readonly chainId: number; readonly address: Address } {
    const { relayer } = this.configuration.addressBook;
    return { chainId: this.chains.partner.chainId, address: relayer.toLowerCase() as Address };
  }
}

/** All transactions of a wallet in a block, those that failed as well. */
async function sentIn(client: PublicClient, blockNumber: bigint, wallet: Address): Promise<SentTransaction[]> {
  const block = await client.getBlock({ blockNumber, includeTransactions: true });
  const sent = block.transactions.filter(({ from }) => isAddressEqual(from, wallet));
  return Promise.all(
    sent.map(async ({ hash, to, value }) => ({ to, value, receipt: await client.getTransactionReceipt({ hash }) })),
  );
}
