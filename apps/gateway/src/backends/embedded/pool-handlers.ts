import type { PartnerChain } from '@causeway/partner-chain';
import { getAddress, type Hex } from 'viem';
import { PENDING_BOUNDS } from './block-handlers.js';
import { formatTransaction, quantity, type RpcObject } from './format-transactions.js';

/** Items by sender and nonce. */
type BySender<Item> = Record<string, Record<string, Item>>;

/** Methods about the transaction pool. Each of its two parts is limited like the pending block. */
export function poolHandlers(chain: PartnerChain) {
  const inTwoParts = async <Part>(read: (isQueued: boolean) => Promise<Part>) => {
    const [pending, queued] = await Promise.all([read(false), read(true)]);
    return { pending, queued };
  };
  const list = async (isQueued: boolean, sender?: Hex): Promise<RpcObject[]> => {
    const bounds = { ...PENDING_BOUNDS, isQueued, ...(sender === undefined ? {} : { sender }) };
    return (await chain.pendingTransactions(bounds)).map((transaction) => formatTransaction(transaction, null));
  };

  return {
    txpool_status: () =>
      inTwoParts(async (isQueued) => quantity(await chain.pendingCount({ ...PENDING_BOUNDS, isQueued }))),
    txpool_content: () => inTwoParts(async (isQueued) => groupBySender(await list(isQueued), (each) => each)),
    txpool_contentFrom: (sender: Hex) =>
      inTwoParts(async (isQueued) =>
        Object.fromEntries((await list(isQueued, sender)).map((each) => [toDecimal(each['nonce']), each])),
      ),
    txpool_inspect: () => inTwoParts(async (isQueued) => groupBySender(await list(isQueued), describeTransaction)),
  };
}

function groupBySender<Item>(transactions: readonly RpcObject[], show: (each: RpcObject) => Item): BySender<Item> {
  const result: BySender<Item> = {};
  for (const each of transactions) {
    const sender = getAddress(each['from'] as Hex);
    (result[sender] ??= {})[toDecimal(each['nonce'])] = show(each);
  }
  return result;
}

/** A transaction as geth's txpool_inspect writes it. */
function describeTransaction({ to, value, gas, gasPrice }: RpcObject): string {
  const recipient = to === null ? 'contract creation' : getAddress(to as Hex);
  return `${recipient}: ${toDecimal(value)} wei + ${toDecimal(gas)} gas × ${toDecimal(gasPrice)} wei`;
}

function toDecimal(value: unknown): string {
  return BigInt(value as Hex).toString();
}
