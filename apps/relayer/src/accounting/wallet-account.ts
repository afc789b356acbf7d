import { MirrorUnavailableError, type Mirror, type MirrorAnswer } from '@causeway/chain';
import { assetInfo, getCoin, type AddressBook } from '@causeway/protocol';
import type { AccountedBlock, Fence, ScannedTransfer, Store, Wallet, WalletState } from '@causeway/store';
import type { Logger } from 'pino';
import { isAddressEqual, size, zeroAddress, type Address, type Hex, type Transaction } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';
import type { Clock } from '../infrastructure.js';
import { explainDifference, type AskedTransaction, type Explanation } from './explain-difference.js';
import { receiver, separateDust } from '../pipeline/arrivals.js';
import { BlockReads, type StateAt } from './block-reads.js';
import { computeDifference, RangeSize } from './wallet-flows.js';

/** Ranges per run. The next run continues from there. */
const MAX_RANGES = 20;
/** Call trees requested in parallel. */
const CONCURRENT_TREES = 8;
/** Gas limit of a transaction that cannot run code. */
const PLAIN_GAS = 21_000n;
/** How long nodes and mirrors that contradict the chain are asked again before the difference is recorded. */
const PATIENCE_MS = 15 * 60_000;
/** Why the blocks between two states cannot be examined one by one. */
const LOST = 'the nodes have lost the state of the blocks before it';
/** Milliseconds before nodes or mirrors are asked again about a block. */
const RETRY_MS = 2_000;
/** The cost of a range without a transaction of the wallet. */
const NOTHING = { transactions: 0n, cost: 0n } as const;

export interface AccountSetting {
  readonly chain: Pick<
    BridgeChain,
    'side' | 'chainId' | 'bridge' | 'deployedAtBlock' | 'confirmations' | 'connection' | 'finality'
  >;
  readonly wallet: Wallet;
  readonly book: AddressBook;
  /** Null when none is configured. */
  readonly mirror: Mirror | null;
  readonly store: Pick<Store, 'scan' | 'audits'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error' | 'info'>;
}

type MinedTransaction = Pick<Transaction, 'hash' | 'from' | 'to' | 'value' | 'input' | 'gas'>;

/**
 * The account of one wallet: every change of its native balance, up to the newest block read. Recorded transfers are
 * income; values and fees of its own transactions are expenses. Where that does not add up, the block's call trees show
 * payments made inside contract calls. The rest is recorded as a difference for an operator.
 */
export class WalletAccount {
  private readonly range = new RangeSize();
  /** Since when the account has waited for mirrors about the next block, and when they are asked again. */
  private waiting: { readonly sinceMs: number; readonly nextAtMs: number } | null = null;

  constructor(private readonly setting: AccountSetting) {}

  private get native(): 'ETH' | 'XCN' {
    return getCoin(this.setting.chain.side);
  }

  /** How long the account has waited for mirrors, in milliseconds; 0 when it does not wait. */
  get waitingMs(): number {
    return this.waiting === null ? 0 : Math.max(1, this.setting.clock.now() - this.waiting.sinceMs);
  }

  /**
   * Accounts for blocks that were read, at most MAX_RANGES ranges.
   *
   * @returns whether it stored transfers or blocks remain.
   */
  async run(fence: Fence): Promise<boolean> {
    const { store, chain, wallet, clock } = this.setting;
    if (this.waiting !== null && clock.now() < this.waiting.nextAtMs) return false;
    const newest = await store.scan.latestBlock(chain.chainId);
    if (newest === null || newest.number < chain.deployedAtBlock) return false;
    const known = await store.audits.last(wallet);
    if (known !== null && known.blockNumber >= newest.number) return false;
    const final = min((await chain.finality.recentHead()) - BigInt(chain.confirmations) + 1n, newest.number);
    const reads = new BlockReads(chain, wallet);
    let state = known ?? (await this.start(fence, reads, final));
    if (state === null) return false;
    let hasFound = false;
    for (let ranges = 0; ranges < MAX_RANGES && state.blockNumber < newest.number; ranges++) {
      // A step ends at the newest final block, so that the account can resume there after a reorg.
      const last = state.blockNumber < final ? final : newest.number;
      const step = await this.account(fence, reads, state, last);
      if (step === 'later') return hasFound;
      state = step.state;
      hasFound ||= step.hasFound;
    }
    return hasFound || state.blockNumber < newest.number;
  }

  /**
   * Starts the account at the block before the deployment, or at the newest final block if the nodes lack so old a
   * state.
   */
  private async start(fence: Fence, reads: BlockReads, final: bigint): Promise<WalletState | null> {
    const { chain, logger, store, wallet } = this.setting;
    if (final < chain.deployedAtBlock) return null;
    const now = await reads.state(final);
    const first = chain.deployedAtBlock > 0n ? chain.deployedAtBlock - 1n : 0n;
    const state = await reads.state(first).catch((error: unknown) => {
      logger.warn(
        { err: error, block: final.toString() },
        'the nodes have no state from before the deployment: the account starts at the newest final block',
      );
      return now;
    });
    const isStored = await store.audits.advance(fence, wallet, this.accounted(state, null, [], 0n));
    return isStored ? state : null;
  }

  /**
   * Accounts for the next range, or halves it.
   *
   * @returns the state reached; `later` when nodes or mirrors must catch up.
   */
  private async account(fence: Fence, reads: BlockReads, before: WalletState, last: bigint) {
    const { store, wallet, chain } = this.setting;
    const from = before.blockNumber;
    const wanted = this.range.end(from, last);
    const after = await reads.state(wanted).catch((error: unknown) => this.stateBeyondLost(error, reads, last));
    const to = after.blockNumber;
    const stored = await store.scan.block(chain.chainId, to);
    if (stored !== null && stored.hash !== after.hash) return 'later';
    const isLost = to > wanted;
    const isOneStep = isLost || to === from + 1n;
    const isUnsent = after.nonce === before.nonce;
    if (!isOneStep && !isUnsent) return this.halve(before, to);
    if (!isUnsent) reads.readAhead(to, last);
    const received = await store.audits.received(wallet, this.native, from, to);
    if (received === null) return 'later';
    const spent = isLost || isUnsent ? NOTHING : await reads.spent(after);
    // Each transaction takes a nonce. If the numbers differ, the nodes returned the state of another block.
    if (!isLost && after.nonce - before.nonce !== spent.transactions) {
      if (this.waiting === null) this.warn(after, 'the nonces do not match the transactions of the block');
      if (this.recordWait()) return 'later';
    }
    const difference = computeDifference({ before: before.balance, after: after.balance, received, spent: spent.cost });
    if (difference !== 0n && !isOneStep) return this.halve(before, to);
    const explained = isLost ? unexplained(difference, LOST) : await this.explain(after, difference);
    if (explained === null) return 'later';
    const transfers = explained.transfers.map((transfer): ScannedTransfer => ({
      asset: this.native,
      ...transfer,
      ...receiver(transfer.wallet, this.setting.book),
    }));
    const found = this.accounted(after, from, transfers, explained.rest);
    if (!(await store.audits.advance(fence, wallet, found))) return 'later';
    this.waiting = null;
    this.log(after, explained);
    if (difference === 0n) this.range.grow();
    return { state: after as WalletState, hasFound: transfers.length > 0 };
  }

  /**
   * Nodes without old state delay the account for at most PATIENCE_MS. If they still fail then, it continues at the
   * step's last block, with one difference for all blocks in between.
   */
  private async stateBeyondLost(error: unknown, reads: BlockReads, last: bigint): Promise<StateAt> {
    if (this.recordWait()) throw error;
    return reads.state(last);
  }

  /** Schedules another request to nodes or mirrors. Returns false after PATIENCE_MS. */
  private recordWait(): boolean {
    const now = this.setting.clock.now();
    const sinceMs = this.waiting?.sinceMs ?? now;
    this.waiting = { sinceMs, nextAtMs: now + RETRY_MS };
    return now - sinceMs < PATIENCE_MS;
  }

  private halve(before: WalletState, to: bigint) {
    this.range.shrink(before.blockNumber, to);
    return { state: before, hasFound: false };
  }

  /** Explains the difference of one block. Null when the mirrors must be asked again later. */
  private async explain(at: StateAt, difference: bigint): Promise<Explanation | null> {
    const { mirror, chain } = this.setting;
    // Transfers and call trees show only income, so they cannot explain a deficit.
    if (difference <= 0n) return unexplained(difference);
    if (chain.side === 'ethereum') return explainDifference(difference, await this.plainTransfers(at));
    if (mirror === null) return unexplained(difference);
    const waiting = this.waiting;
    const mayWait = this.recordWait();
    try {
      const explanation = explainDifference(difference, await this.askMirror(mirror, at, difference));
      if (explanation.doubt === null || !mayWait) return explanation;
      if (waiting === null) this.warn(at, explanation.doubt);
      return null;
    } catch (error) {
      // An outage says nothing about the block, so the account waits for its end without a limit.
      if (!(error instanceof MirrorUnavailableError)) throw error;
      if (waiting === null) this.warn(at, error.message);
      return null;
    }
  }

  /** The plain transfers of a block to the wallet. On Ethereum the block reader reads only events, not transactions. */
  private async plainTransfers(at: StateAt): Promise<AskedTransaction[]> {
    const { address: wallet } = this.setting.wallet;
    const block = await this.readTransactions(at.blockNumber);
    const paying = block.filter(({ to, value }) => to !== null && isAddressEqual(to, wallet) && value > 0n);
    return Promise.all(
      paying.map(async ({ hash: txHash, from, value: amount, input }) => {
        const memo = size(input) === 32 ? input : null;
        const payer = from.toLowerCase() as Address;
        const transfers = [{ callIndex: 0, payer, wallet, amount, memo }];
        const hasSucceeded = await this.hasSucceeded(txHash, at.hash);
        return { txHash, answer: { kind: 'found', transfers: hasSucceeded ? transfers : [] } };
      }),
    );
  }

  /** Reads the call trees of a block until they explain the difference. */
  private async askMirror(mirror: Mirror, at: StateAt, difference: bigint): Promise<AskedTransaction[]> {
    const { address } = this.setting.wallet;
    const block = await this.readTransactions(at.blockNumber);
    // The wallet's own transactions are already accounted for, including what they got back.
    const candidates = block.filter(({ gas, from }) => gas > PLAIN_GAS && !isAddressEqual(from, address));
    const asked: AskedTransaction[] = [];
    for (let start = 0; start < candidates.length; start += CONCURRENT_TREES) {
      const part = candidates.slice(start, start + CONCURRENT_TREES);
      asked.push(
        ...(await Promise.all(
          part.map(async ({ hash }) => ({
            txHash: hash,
            answer: await this.confirmed(hash, at.hash, await mirror.transfersIn(hash, [address])),
          })),
        )),
      );
      if (explainDifference(difference, asked).rest === 0n) break;
    }
    return asked;
  }

  /** A payment counts only in a transaction of this block that succeeded, by the receipt of a quorum. */
  private async confirmed(hash: Hex, blockHash: Hex, answer: MirrorAnswer): Promise<MirrorAnswer> {
    if (answer.kind === 'missing' || answer.transfers.length === 0) return answer;
    if (await this.hasSucceeded(hash, blockHash)) return answer;
    return { kind: 'missing', reason: `${hash} failed, but a call tree shows its payments` };
  }

  private async hasSucceeded(hash: Hex, blockHash: Hex): Promise<boolean> {
    return this.setting.chain.connection.agree(async (client) => {
      const receipt = await client.getTransactionReceipt({ hash });
      return receipt.status === 'success' && receipt.blockHash === blockHash;
    });
  }

  private async readTransactions(blockNumber: bigint): Promise<readonly MinedTransaction[]> {
    return this.setting.chain.connection.agree(async (client) => {
      const { transactions } = await client.getBlock({ blockNumber, includeTransactions: true });
      return transactions.map(({ hash, from, to, value, input, gas }) => ({ hash, from, to, value, input, gas }));
    });
  }

  /**
   * The part of a block to store. Dust from an unknown payer raises no alarm, since any account could send it.
   */
  private accounted(
    { hash, timestamp, ...state }: StateAt,
    since: bigint | null,
    transfers: readonly ScannedTransfer[],
    rest: bigint,
  ): AccountedBlock {
    const { address: wallet } = this.setting.wallet;
    const found = { state, since, block: { hash, timestamp }, ...separateDust(transfers) };
    if (rest <= 0n || rest >= assetInfo(this.native).dust) return { ...found, difference: rest };
    const unknown = { wallet, asset: this.native, payer: zeroAddress, amount: rest, transfers: 1 };
    return { ...found, dust: [...found.dust, unknown], difference: 0n };
  }

  private warn({ blockNumber }: StateAt, reason: string): void {
    const { logger, wallet } = this.setting;
    logger.warn(
      { block: blockNumber.toString(), wallet: wallet.address, reason },
      'the wallet balance is not explained yet; asking again',
    );
  }

  private log({ blockNumber }: StateAt, { transfers, rest, doubt }: Explanation): void {
    const { logger, wallet, chain } = this.setting;
    for (const { txHash, payer, amount } of transfers)
      logger.info({ chainId: chain.chainId, txHash, payer, amount: amount.toString() }, 'internal transfer found');
    if (rest !== 0n)
      logger.error(
        { block: blockNumber.toString(), wallet: wallet.address, difference: rest.toString(), reason: doubt },
        'the wallet balance is not explained by its transfers and transactions',
      );
  }
}

function unexplained(difference: bigint, doubt: string | null = null): Explanation {
  return { transfers: [], rest: difference, doubt };
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
