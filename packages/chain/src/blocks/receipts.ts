import { concatHex, numberToHex, toRlp, type Hex, type PublicClient } from 'viem';
import { z } from 'zod';
import { askNode, InconsistentBlockError, NodeRefusedError } from '../rpc/chain-error.js';
import { orderedTrieRoot, rlpInteger } from './header.js';
import { inPieces, PIECES } from './pieces.js';
import { parseAnswer, rpcReceipt, type RpcBlock, type RpcReceipt, type RpcTransaction } from './rpc-shapes.js';

/**
 * Reads the receipts of a block and verifies them: one per transaction, logs numbered through the block, and together
 * they must give the receipts root of the header (Yellow Paper 4.4.1, EIP-2718).
 *
 * @param pieces how many receipts to request concurrently; null to request all receipts in one answer.
 * @throws InconsistentBlockError, NodeUnavailableError, NodeRefusedError, AnswerTooLargeError
 */
export async function readVerifiedReceipts(
  client: PublicClient,
  block: RpcBlock,
  pieces: number | null = null,
): Promise<RpcReceipt[]> {
  const number = BigInt(block.number);
  const answer = await requestReceipts(client, block, pieces);
  const receipts = parseAnswer(z.array(rpcReceipt), answer, number);
  if (receipts.length !== block.transactions.length) {
    throw new InconsistentBlockError(
      number,
      `${block.transactions.length} transactions, but ${receipts.length} receipts`,
    );
  }
  assertInOrder(block, receipts);
  // Nodes without EIP-2718 omit the type of a receipt.
  const typed = receipts.map((receipt, index) => ({
    ...receipt,
    type: receipt.type ?? block.transactions[index]?.type,
  }));
  const root = await orderedTrieRoot(typed.map(encodeReceipt));
  if (root !== block.receiptsRoot) {
    throw new InconsistentBlockError(number, `its receipts give the root ${root}, not ${block.receiptsRoot}`);
  }
  return typed;
}

/** Requests by block hash, so that a reorg between requests cannot return receipts of another block. */
async function requestReceipts(client: PublicClient, block: RpcBlock, pieces: number | null): Promise<unknown> {
  if (pieces === null) {
    try {
      return await request(client, 'eth_getBlockReceipts', block.hash);
    } catch (error) {
      if (!isUnknownMethod(error)) throw error;
    }
  }
  const single = ({ hash }: RpcTransaction) => request(client, 'eth_getTransactionReceipt', hash);
  return inPieces(block.transactions, single, pieces ?? PIECES);
}

function request(client: PublicClient, method: string, parameter: Hex): Promise<unknown> {
  return askNode(() =>
    client.request<{ Method: string; Parameters: [Hex]; ReturnType: unknown }>({ method, params: [parameter] }),
  );
}

/** -32601 by JSON-RPC 2.0, -32004 by EIP-1474; some providers only say it in the message. */
function isUnknownMethod(error: unknown): boolean {
  if (!(error instanceof NodeRefusedError)) return false;
  return (
    error.rpcCode === -32601 ||
    error.rpcCode === -32004 ||
    /method.*(not (found|supported|available|allowed)|does not exist|unsupported)|unsupported method/i.test(
      error.reason,
    )
  );
}

function assertInOrder(block: RpcBlock, receipts: readonly RpcReceipt[]): void {
  const number = BigInt(block.number);
  let nextLogIndex = 0n;
  for (const [index, receipt] of receipts.entries()) {
    const transaction = block.transactions[index];
    if (
      receipt.blockHash !== block.hash ||
      receipt.transactionHash !== transaction?.hash ||
      BigInt(receipt.transactionIndex) !== BigInt(index)
    ) {
      throw new InconsistentBlockError(
        number,
        `receipt ${index} is not of transaction ${transaction?.hash} in this block`,
      );
    }
    for (const log of receipt.logs) {
      if (
        BigInt(log.logIndex) !== nextLogIndex ||
        log.transactionHash !== receipt.transactionHash ||
        log.blockHash !== block.hash
      ) {
        throw new InconsistentBlockError(
          number,
          `log ${log.logIndex} is out of order, or of another transaction or block`,
        );
      }
      nextLogIndex += 1n;
    }
  }
}

function encodeReceipt(receipt: RpcReceipt): Hex {
  const body = toRlp([
    rlpInteger(receipt.status),
    rlpInteger(receipt.cumulativeGasUsed),
    receipt.logsBloom,
    receipt.logs.map((log) => [log.address, log.topics, log.data]),
  ]);
  const type = BigInt(receipt.type ?? '0x0');
  return type === 0n ? body : concatHex([numberToHex(type, { size: 1 }), body]);
}
