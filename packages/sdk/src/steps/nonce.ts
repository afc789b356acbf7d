import { hexToBigInt, isAddressEqual, numberToHex, type Address, type Hex } from 'viem';
import { WalletFailedError } from '../errors.js';
import { askNode, readNewestBlock, readNonce, type NodeTransaction } from '../wallet/node.js';
import type { Wallet } from '../wallet/wallet.js';

/** A transaction of a block. */
export interface MinedTransaction extends NodeTransaction {
  readonly hash: Hex;
}

/** The next nonces of an account: after its mined, and after its pending transactions. */
export interface AccountNonces {
  readonly mined: number;
  readonly pending: number;
}

/** Returns whether an account has code, also by EIP-7702: others can then act for it without its nonce. */
export async function hasCode(wallet: Wallet): Promise<boolean> {
  return (await askNode(wallet, 'eth_getCode', [wallet.account, 'latest'])) !== '0x';
}

/** Reads the nonces of an account; null for an account with code, whose nonce proves nothing. */
export async function readNonces(wallet: Wallet): Promise<AccountNonces | null> {
  const [mined, pending, isContract] = await Promise.all([
    readNonce(wallet, 'latest'),
    readNonce(wallet, 'pending'),
    hasCode(wallet),
  ]);
  return isContract ? null : { mined, pending };
}

/**
 * Finds the mined transaction of the account with a nonce, by bisection over the blocks from `fromBlock` on.
 *
 * @returns null if there is none, or the node lacks the state of these blocks.
 */
export async function findMined(wallet: Wallet, nonce: number, fromBlock: bigint): Promise<MinedTransaction | null> {
  const { account } = wallet;
  const readCount = async (block: bigint) =>
    Number(await askNode(wallet, 'eth_getTransactionCount', [account, numberToHex(block)]));
  try {
    let [low, high] = [fromBlock - 1n, (await readNewestBlock(wallet)).number];
    if ((low >= 0n && (await readCount(low)) > nonce) || (await readCount(high)) <= nonce) return null;
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      if ((await readCount(middle)) > nonce) high = middle;
      else low = middle;
    }
    const block = await askNode(wallet, 'eth_getBlockByNumber', [numberToHex(high), true]);
    const { transactions = [] } = (block ?? {}) as { readonly transactions?: readonly MinedTransaction[] };
    return transactions.find((each) => isSentBy(each, account) && Number(each.nonce) === nonce) ?? null;
  } catch (error) {
    // The node lacks the state of these blocks.
    if (error instanceof WalletFailedError) return null;
    throw error;
  }
}

const isSentBy = ({ from }: NodeTransaction, account: Address) => isAddressEqual(from, account);

/** Returns whether a transaction makes a call. Pure. */
export function makesCall(
  { to, input, value }: MinedTransaction,
  call: { readonly to: Address; readonly data: Hex; readonly value: bigint },
): boolean {
  const isTo = to !== null && isAddressEqual(to, call.to);
  return isTo && input.toLowerCase() === call.data.toLowerCase() && hexToBigInt(value) === call.value;
}
