import type { WalletProvider } from './provider.js';
import { ask, bound, WalletError, type Binding } from './signing.js';

/** A transaction to sign and send. `value` in wei, decimal. */
export interface Call {
  readonly to: string;
  readonly data: string;
  readonly value: string;
}

/** Progress of a transaction. `REPLACED`: another transaction with the same nonce was mined. */
export type Progress =
  | { readonly state: 'PENDING'; readonly txHash: string }
  | { readonly state: 'SUCCEEDED'; readonly txHash: string; readonly replaced: string | null }
  | { readonly state: 'REVERTED'; readonly txHash: string; readonly replaced: string | null }
  | { readonly state: 'REPLACED'; readonly txHash: string; readonly by: string };

/** A transaction in a node's block. */
interface MinedTransaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly nonce: string;
  readonly input: string;
  readonly value: string;
}

/**
 * Lets the wallet send a transaction on its chain.
 *
 * @throws WalletError
 */
export async function sendTransaction(
  provider: WalletProvider,
  binding: Binding,
  { to, data, value }: Call,
  signal: AbortSignal,
): Promise<SentTransaction> {
  const transaction = { from: binding.account, to, data, value: `0x${BigInt(value).toString(16)}` };
  return bound(provider, binding, signal, async () => {
    const nonce = await ask(provider, 'eth_getTransactionCount', [binding.account, 'pending'], signal);
    const answer = await ask(provider, 'eth_sendTransaction', [transaction], signal);
    if (typeof answer !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(answer))
      throw new WalletError('FAILED', 'It returned no transaction hash.');
    return { txHash: answer.toLowerCase(), nonce: BigInt(String(nonce)) };
  });
}

interface Block {
  readonly transactions: readonly MinedTransaction[];
}

interface Receipt {
  readonly status: string;
}

const toState = ({ status }: Receipt) => (BigInt(status) === 1n ? 'SUCCEEDED' : 'REVERTED');

const isExpected = ({ from, nonce }: MinedTransaction, account: string, expected: bigint) =>
  from.toLowerCase() === account.toLowerCase() && BigInt(nonce) === expected;

/** Returns whether a mined transaction makes the same call, so that the wallet only changed the gas price. */
function isSameCall(mined: MinedTransaction, call: Call): boolean {
  return (
    mined.to?.toLowerCase() === call.to.toLowerCase() &&
    mined.input.toLowerCase() === call.data.toLowerCase() &&
    BigInt(mined.value) === BigInt(call.value)
  );
}

/** A transaction that the wallet sent. */
export interface SentTransaction {
  readonly txHash: string;
  /** The account's next nonce before the send: the transaction's nonce, unless the wallet chose another. */
  readonly nonce: bigint;
}

/** Interval between polls of the chain. */
const LOOK_MS = 1_500;
/** Blocks before the first poll's head in which a replacement is searched. */
const BLOCKS_BEFORE = 3n;

/**
 * Follows a transaction by its hash and, because wallets can replace it, by its nonce. Yields each new state. The last
 * state is mined on the wallet's node, after which the page reads the contracts again.
 *
 * @throws WalletError if the wallet fails, or the person stops waiting.
 */
export async function* followTransaction(
  provider: WalletProvider,
  { account, call, sent }: { readonly account: string; readonly call: Call; readonly sent: SentTransaction },
  signal: AbortSignal,
  pause: (milliseconds: number) => Promise<void> = (milliseconds) =>
    new Promise((resolve) => setTimeout(resolve, milliseconds)),
): AsyncGenerator<Progress> {
  const get = async <T>(method: string, ...params: readonly unknown[]) =>
    (await ask(provider, method, params, signal)) as T | null;
  const number = async (method: string, ...params: readonly unknown[]) =>
    BigInt((await get<string>(method, ...params)) ?? 0);
  const { txHash } = sent;
  yield { state: 'PENDING', txHash };
  let { nonce } = sent;
  const first = (await number('eth_blockNumber')) - BLOCKS_BEFORE;
  for (;;) {
    const receipt = await get<Receipt>('eth_getTransactionReceipt', txHash);
    if (receipt !== null) {
      yield { state: toState(receipt), txHash, replaced: null };
      return;
    }
    const pending = await get<MinedTransaction>('eth_getTransactionByHash', txHash);
    if (pending !== null) nonce = BigInt(pending.nonce);
    const head = await number('eth_blockNumber');
    // Until the nonce is used, no block can contain a transaction with it.
    const isUsed = (await number('eth_getTransactionCount', account, 'latest')) > nonce;
    const last = isUsed ? head : -1n;
    for (let block = first > 0n ? first : 0n; block <= last; block++) {
      const found = await get<Block>('eth_getBlockByNumber', `0x${block.toString(16)}`, true);
      const mined = found?.transactions.find((each) => isExpected(each, account, nonce));
      if (mined === undefined || mined.hash.toLowerCase() === txHash) continue;
      const by = mined.hash.toLowerCase();
      if (!isSameCall(mined, call)) {
        yield { state: 'REPLACED', txHash, by };
        return;
      }
      const outcome = await get<Receipt>('eth_getTransactionReceipt', by);
      if (outcome === null) break;
      yield { state: toState(outcome), txHash: by, replaced: txHash };
      return;
    }
    await pause(LOOK_MS);
  }
}
