import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@causeway/test-kit';
import {
  createPublicClient,
  http,
  keccak256,
  parseTransaction,
  type Hex,
  type PrivateKeyAccount,
  type PublicClient,
} from 'viem';

/** Milliseconds between reads of the newest block. */
const LOOK_MS = 20;

/** How a user replaces a pending transaction in the wallet. */
export interface Replacement {
  /** `cancel`: an empty transaction. `speed-up`: the same call. Both have its nonce and a higher fee. */
  readonly kind: 'cancel' | 'speed-up';
  /** Whether the client has seen the first transaction before its replacement. */
  readonly isSeen: boolean;
}

interface Request {
  readonly method: string;
  readonly params?: unknown;
}

/** The node of a wallet whose user replaces the first transaction. */
export class ReplacingNode {
  /** Number of transactions that the wallet has sent, besides the replacement. */
  sendings = 0;
  /** The replacement, if it came before the block of the first transaction. */
  replacedBy: Hex | null = null;
  private readonly node: PublicClient;
  private readonly kind: Replacement['kind'] | undefined;
  private first: Hex | null = null;
  /** Reads of the receipt of the first transaction that found none. */
  private looks = 0;

  constructor(
    private readonly account: PrivateKeyAccount,
    url: string,
    private replacement: Replacement | null,
  ) {
    this.node = createPublicClient({ transport: http(url, { retryCount: 0 }) });
    this.kind = replacement?.kind;
  }

  readonly request = async ({ method, params }: Request): Promise<unknown> => {
    const [given] = (params ?? []) as readonly Hex[];
    if (method === 'eth_sendRawTransaction') this.sendings += 1;
    const isSending = method === 'eth_sendRawTransaction' && this.first === null;
    // The replacement then has about a second until the next block.
    if (isSending && this.replacement !== null) await this.awaitBlock();
    const answer = await this.node.request({ method, params } as never);
    if (isSending && given !== undefined) this.first = given;
    const isSeen = this.notice(method, given, answer);
    if (this.replacement?.isSeen === false ? isSending : isSeen) await this.replace();
    return answer;
  };

  /** Waits until the replacement is mined. Returns its hash if it cancelled the first transaction. */
  async readCancellation(): Promise<Hex | null> {
    if (this.kind !== 'cancel' || this.first === null || this.replacedBy === null) return null;
    const [first, second] = [keccak256(this.first), this.replacedBy];
    const isMined = async (hash: Hex) =>
      (await this.node.request({ method: 'eth_getTransactionReceipt', params: [hash] })) !== null;
    await waitUntil('one of two transactions is mined', async () => (await isMined(first)) || (await isMined(second)));
    return (await isMined(second)) ? second : null;
  }

  /** Returns whether the client knows that the first transaction is pending. A key's client only reads its receipt. */
  private notice(method: string, given: Hex | undefined, answer: unknown): boolean {
    if (this.first === null || given !== keccak256(this.first)) return false;
    if (method === 'eth_getTransactionReceipt' && answer === null) this.looks += 1;
    return this.looks > 1 || (method === 'eth_getTransactionByHash' && answer !== null);
  }

  private async awaitBlock(): Promise<void> {
    const before = await this.node.getBlockNumber({ cacheTime: 0 });
    while ((await this.node.getBlockNumber({ cacheTime: 0 })) === before) await sleep(LOOK_MS);
  }

  private async replace(): Promise<void> {
    const { account, first, replacement } = this;
    if (first === null || replacement === null) return;
    this.replacement = null;
    const { type, chainId, nonce, to, value, data, gas, maxFeePerGas, maxPriorityFeePerGas } = parseTransaction(first);
    if (type !== 'eip1559' || to === undefined || to === null) throw new Error(`The wallet sent ${first}`);
    const call = replacement.kind === 'cancel' ? { to: account.address } : { to, value, data };
    const fees = { maxFeePerGas: raise(maxFeePerGas), maxPriorityFeePerGas: raise(maxPriorityFeePerGas) };
    const serializedTransaction = await account.signTransaction({ type, chainId, nonce, gas, ...call, ...fees });
    // The node refuses it if the first one is mined.
    this.replacedBy = await this.node.sendRawTransaction({ serializedTransaction }).catch(() => null);
  }
}

const raise = (fee: bigint | undefined): bigint => (fee ?? 0n) * 2n + 1n;
