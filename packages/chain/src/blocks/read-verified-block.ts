import type { Address, Hex, PublicClient } from 'viem';
import { bloomMayContain } from './bloom-may-contain.js';
import { readHeaderWithTransactions } from './read-header.js';
import { readVerifiedReceipts } from './read-verified-receipts.js';
import type { RpcBlock, RpcReceipt } from './rpc-shapes.js';
import { assertTransactionHash, recoverSender, verifyTransactions } from './verify-transactions.js';
import type { NativeTransfer, VerifiedBlock, VerifiedLog, Watch } from './verified-block.js';

/**
 * Reads a block and believes nothing of it that does not follow from its hash: the hash is computed from the header; when
 * receivers are watched the transactions must give the transactions root; when the header's bloom says that a watched
 * contract may have logged, or a transaction pays a watched receiver, all receipts are read and must give the receipts
 * root. So logs and payments can be neither invented, nor altered, nor left out, and a failed payment cannot pass for a
 * good one.
 *
 * What this cannot show is that the header is of the chain most validators follow: that is what confirmations are for.
 *
 * @returns null when the node has no block with this number yet.
 * @throws InconsistentBlockError naming what does not fit; UnsupportedTransactionError, NodeUnavailableError,
 * NodeRefusedError.
 */
export async function readVerifiedBlock(
  client: PublicClient,
  number: bigint,
  watch: Watch,
): Promise<VerifiedBlock | null> {
  const block = await readHeaderWithTransactions(client, number);
  if (block === null) return null;
  const { hash, parentHash, timestamp } = block;
  const receivers = lowerCased(watch.receivers ?? []);
  const contracts = lowerCased(watch.contracts);
  const logged = [...contracts].some((contract) => bloomMayContain(block.logsBloom, contract));
  const encoded = logged || receivers.size > 0 ? await verifyTransactions(block) : [];
  const paying = payments(block, receivers);
  const receipts = logged || paying.length > 0 ? await readVerifiedReceipts(client, block) : [];
  return {
    number,
    hash,
    parentHash,
    timestampSeconds: BigInt(timestamp),
    logs: logged ? watchedLogs(number, receipts, encoded, contracts) : [],
    transfers: await successfulTransfers(number, paying, receipts, encoded),
  };
}

type Payment = RpcBlock['transactions'][number] & { readonly index: number; readonly to: Address };

function payments(block: RpcBlock, receivers: ReadonlySet<Hex>): Payment[] {
  return block.transactions.flatMap((transaction, index) =>
    transaction.to && receivers.has(transaction.to) && BigInt(transaction.value) > 0n
      ? [{ ...transaction, index, to: transaction.to }]
      : [],
  );
}

function watchedLogs(
  number: bigint,
  receipts: readonly RpcReceipt[],
  encoded: readonly Hex[],
  contracts: ReadonlySet<Hex>,
): VerifiedLog[] {
  return receipts.flatMap((receipt, index) => {
    const logs = receipt.logs.filter(({ address }) => contracts.has(address));
    if (logs.length > 0) assertTransactionHash(number, encoded[index] ?? '0x', receipt.transactionHash);
    return logs.map(({ address, topics, data, logIndex, transactionHash }) => ({
      address,
      topics,
      data,
      logIndex: Number(logIndex),
      transactionHash,
    }));
  });
}

async function successfulTransfers(
  number: bigint,
  paying: readonly Payment[],
  receipts: readonly RpcReceipt[],
  encoded: readonly Hex[],
): Promise<NativeTransfer[]> {
  const transfers: NativeTransfer[] = [];
  for (const { index, hash, from, to, value, nonce } of paying) {
    if (BigInt(receipts[index]?.status ?? '0x0') !== 1n) continue;
    const raw = encoded[index] ?? '0x';
    assertTransactionHash(number, raw, hash);
    const payer = await recoverSender(number, raw, from);
    transfers.push({ transactionHash: hash, from: payer, to, value: BigInt(value), nonce: BigInt(nonce) });
  }
  return transfers;
}

function lowerCased(addresses: readonly Address[]): ReadonlySet<Hex> {
  return new Set(addresses.map((address) => address.toLowerCase() as Address));
}
