import { findUserOperation, lower, MirrorUnavailableError, QuorumError, type Mirror } from '@causeway/chain';
import { Inject, Injectable } from '@nestjs/common';
import {
  isAddressEqual,
  size,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, MIRROR, type Chains } from '../infrastructure.js';

/** One payment of native XCN to the relayer wallet. `amount` in 18-decimal units. */
export interface OriginPayment {
  /** The signer of a plain transfer, or the account that made the call. */
  readonly payer: Address;
  readonly amount: bigint;
  /** Data of the transfer or call if exactly 32 bytes, else null. */
  readonly memo: Hex | null;
  /** 0 for a plain transfer; for a call, its position in the call tree. */
  readonly callIndex: number;
  readonly blockNumber: bigint;
  readonly minedAt: Date;
}

/**
 * The payments of a transaction to the relayer wallet.
 *
 * - `mined`: in a block, which proves exactly these payments; empty when the transaction reverted.
 * - `not mined`: in no block, as far as the nodes know. A later answer may differ.
 * - `unavailable`: the nodes do not agree, or the mirrors do not return its calls now.
 *
 * `nonce`: the signer's nonce, if the nodes have the transaction.
 */
export type OriginPayments =
  | { readonly kind: 'mined'; readonly nonce: bigint; readonly payments: readonly OriginPayment[] }
  | { readonly kind: 'not mined' | 'unavailable'; readonly nonce: bigint | null };

/** Gas limit of a transaction that cannot run code. */
const PLAIN_GAS = 21_000n;

/** A transaction as the nodes return it. */
interface SeenTransaction {
  readonly from: Address;
  readonly to: Address | null;
  readonly value: bigint;
  readonly input: Hex;
  readonly gas: bigint;
  readonly nonce: bigint;
  /** Null until it is in a block. */
  readonly mined: {
    readonly hasSucceeded: boolean;
    readonly blockNumber: bigint;
    readonly blockHash: Hex;
    readonly timestampSeconds: bigint;
  } | null;
}

/** Reads the payments of transactions to the relayer wallet: plain transfers from receipts, calls from call trees. */
@Injectable()
export class OriginPaymentsReader {
  constructor(
    @Inject(CHAINS) private readonly chains: Pick<Chains, 'partner'>,
    @Inject(MIRROR) private readonly mirror: Mirror | null,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'addressBook'>,
  ) {}

  /** Reads by a quorum of nodes, and a majority of mirrors. */
  async read(txHash: Hex): Promise<OriginPayments> {
    const seen = await unlessDisputed(this.chains.partner.agree((client) => readTransaction(client, txHash)));
    if (seen === 'disputed') return { kind: 'unavailable', nonce: null };
    if (seen === null) return { kind: 'not mined', nonce: null };
    const { mined, nonce } = seen;
    if (mined === null) return { kind: 'not mined', nonce };
    if (!mined.hasSucceeded) return { kind: 'mined', nonce, payments: [] };
    const payments = await this.readPayments(txHash, seen);
    if (payments === null) return { kind: 'unavailable', nonce };
    const place = { blockNumber: mined.blockNumber, minedAt: new Date(Number(mined.timestampSeconds) * 1000) };
    return { kind: 'mined', nonce, payments: payments.map((payment) => ({ ...payment, ...place })) };
  }

  /**
   * Finds the transaction of a user operation, of which a client can know only the hash. Returns any other hash
   * unchanged, also when the search is not possible now.
   */
  async resolve(hash: Hex): Promise<Hex> {
    const { partner } = this.chains;
    const found = await unlessDisputed(
      (async () => {
        if ((await partner.agree((client) => readTransaction(client, hash))) !== null) return null;
        return findUserOperation(partner, hash);
      })(),
    );
    return found === null || found === 'disputed' ? hash : (found.transactionHash ?? hash);
  }

  /** Returns null while the mirrors do not return its calls. */
  private async readPayments(
    txHash: Hex,
    { from, to, value, input, gas }: SeenTransaction,
  ): Promise<Pick<OriginPayment, 'payer' | 'amount' | 'memo' | 'callIndex'>[] | null> {
    const wallet = this.configuration.addressBook.relayer.toLowerCase() as Address;
    if (to !== null && isAddressEqual(to, wallet)) {
      const memo = size(input) === 32 ? input : null;
      return value === 0n ? [] : [{ payer: from, amount: value, memo, callIndex: 0 }];
    }
    if (gas <= PLAIN_GAS) return [];
    try {
      const answer = await this.mirror?.transfersIn(txHash, [wallet]);
      return answer?.kind === 'found' ? [...answer.transfers] : null;
    } catch (error) {
      if (error instanceof MirrorUnavailableError) return null;
      throw error;
    }
  }
}

async function readTransaction(client: PublicClient, hash: Hex): Promise<SeenTransaction | null> {
  try {
    const { from, to, value, input, gas, nonce } = await client.getTransaction({ hash });
    const seen = { from: lower(from), to: to === null ? null : lower(to), value, input, gas, nonce: BigInt(nonce) };
    return { ...seen, mined: await readReceipt(client, hash) };
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return null;
    throw error;
  }
}

async function readReceipt(client: PublicClient, hash: Hex): Promise<SeenTransaction['mined']> {
  try {
    const { status, blockNumber, blockHash } = await client.getTransactionReceipt({ hash });
    const { timestamp } = await client.getBlock({ blockHash });
    return { hasSucceeded: status === 'success', blockNumber, blockHash, timestampSeconds: timestamp };
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null;
    throw error;
  }
}

/** Returns `disputed` when nodes are unavailable or do not agree. */
async function unlessDisputed<T>(reading: Promise<T>): Promise<T | 'disputed'> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof QuorumError) return 'disputed';
    throw error;
  }
}
