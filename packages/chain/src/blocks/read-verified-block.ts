import { numberToHex, type Hex, type PublicClient } from 'viem';
import { z } from 'zod';
import { InconsistentBlockError } from '../rpc/chain-error.js';
import { bloomMayContain } from './bloom-may-contain.js';
import { headerHash } from './header-hash.js';
import { receiptsRoot } from './receipts-root.js';
import { recoverSignedTransaction } from './recover-signed-transaction.js';
import { rpcBlock, rpcReceipt, type RpcBlock, type RpcReceipt, type RpcTransaction } from './rpc-shapes.js';
import type { NativeTransfer, VerifiedBlock, VerifiedLog, Watch } from './verified-block.js';

/**
 * Reads a block and believes nothing of it that does not follow from its hash: the hash is computed from the header; when
 * the header's bloom says that a watched contract may have logged, or a transaction pays a watched receiver, all
 * receipts are read and must give the receipts root of the header. So logs can be neither invented, nor altered, nor
 * left out, and a failed payment cannot pass for a good one.
 *
 * @returns null when the node has no block with this number yet.
 * @throws InconsistentBlockError naming what does not fit.
 */
export async function readVerifiedBlock(
  client: PublicClient,
  number: bigint,
  watch: Watch,
): Promise<VerifiedBlock | null> {
  const answer = await client.request({ method: 'eth_getBlockByNumber', params: [numberToHex(number), true] });
  if (answer === null) return null;
  const block = parse(rpcBlock, answer, number);
  if (BigInt(block.number) !== number)
    throw new InconsistentBlockError(number, `the node answered block ${block.number}`);
  const computed = headerHash(block);
  if (computed !== block.hash)
    throw new InconsistentBlockError(number, `its header gives the hash ${computed}, not ${block.hash}`);

  const receivers = new Set(watch.receivers.map((address) => address.toLowerCase()));
  const paying = block.transactions.filter(
    ({ to, value }) => to && BigInt(value) > 0n && receivers.has(to.toLowerCase()),
  );
  const logged = watch.contracts.some((contract) => bloomMayContain(block.logsBloom, contract));
  const receipts = logged || paying.length > 0 ? await readVerifiedReceipts(client, block, number) : [];
  return {
    number,
    hash: block.hash,
    parentHash: block.parentHash,
    timestampSeconds: BigInt(block.timestamp),
    logs: logged ? watchedLogs(receipts, watch) : [],
    transfers: await successfulTransfers(client, number, paying, receipts),
  };
}

async function readVerifiedReceipts(client: PublicClient, block: RpcBlock, number: bigint): Promise<RpcReceipt[]> {
  const answer = await client.request<{ Method: 'eth_getBlockReceipts'; Parameters: [Hex]; ReturnType: unknown }>({
    method: 'eth_getBlockReceipts',
    params: [block.hash],
  });
  const receipts = parse(z.array(rpcReceipt), answer, number);
  if (receipts.length !== block.transactions.length) {
    throw new InconsistentBlockError(
      number,
      `${block.transactions.length} transactions, but ${receipts.length} receipts`,
    );
  }
  let nextLogIndex = 0n;
  for (const [index, receipt] of receipts.entries()) {
    const transaction = block.transactions[index];
    if (receipt.blockHash !== block.hash || receipt.transactionHash !== transaction?.hash) {
      throw new InconsistentBlockError(
        number,
        `receipt ${index} is not of transaction ${transaction?.hash} in this block`,
      );
    }
    for (const log of receipt.logs) {
      if (BigInt(log.logIndex) !== nextLogIndex || log.transactionHash !== receipt.transactionHash) {
        throw new InconsistentBlockError(number, `log ${log.logIndex} is out of order or of another transaction`);
      }
      nextLogIndex += 1n;
    }
  }
  const root = await receiptsRoot(receipts);
  if (root !== block.receiptsRoot) {
    throw new InconsistentBlockError(number, `its receipts give the root ${root}, not ${block.receiptsRoot}`);
  }
  return receipts;
}

function watchedLogs(receipts: readonly RpcReceipt[], watch: Watch): VerifiedLog[] {
  const contracts = new Set(watch.contracts.map((address) => address.toLowerCase()));
  return receipts
    .flatMap((receipt) => receipt.logs)
    .filter((log) => contracts.has(log.address.toLowerCase()))
    .map(({ address, topics, data, logIndex, transactionHash }) => ({
      address,
      topics,
      data,
      logIndex: Number(logIndex),
      transactionHash,
    }));
}

async function successfulTransfers(
  client: PublicClient,
  number: bigint,
  paying: readonly RpcTransaction[],
  receipts: readonly RpcReceipt[],
): Promise<NativeTransfer[]> {
  const transfers: NativeTransfer[] = [];
  for (const { hash, from, to, value, transactionIndex } of paying) {
    const receipt = receipts[Number(transactionIndex)];
    if (receipt?.transactionHash !== hash || !to) throw new InconsistentBlockError(number, `no receipt for ${hash}`);
    if (BigInt(receipt.status) !== 1n) continue;
    await assertSignedAs(client, number, { hash, from, to, value });
    transfers.push({ transactionHash: hash, from, to, value: BigInt(value) });
  }
  return transfers;
}

/** Sender, receiver and value of a payment must follow from the signed transaction, whose hash the block names. */
async function assertSignedAs(
  client: PublicClient,
  number: bigint,
  claimed: { hash: Hex; from: Hex; to: Hex; value: Hex },
): Promise<void> {
  const signed = await recoverSignedTransaction(client, claimed.hash);
  const fits =
    signed.hash === claimed.hash &&
    signed.from.toLowerCase() === claimed.from.toLowerCase() &&
    signed.to?.toLowerCase() === claimed.to.toLowerCase() &&
    signed.value === BigInt(claimed.value);
  if (!fits) throw new InconsistentBlockError(number, `transaction ${claimed.hash} is not what its signature covers`);
}

function parse<S extends z.ZodType>(schema: S, answer: unknown, number: bigint): z.output<S> {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new InconsistentBlockError(number, `${issue?.path.join('.')} ${issue?.message}`);
}
