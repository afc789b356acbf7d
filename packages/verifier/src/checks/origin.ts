import { readProvenBlock, type ProvenBlock, type ProvenTransaction } from '../nodes/proven-block.js';
import type { Side } from '../nodes/finality.js';
import type { Origin } from '../items.js';
import { refuse, wait, type OriginProof } from '../verdict.js';
import type { FinalHeaders, Verifier } from '../verifier.js';

/** A transaction of a final block, with the proof of its receipt. */
export interface ProvenOrigin {
  readonly transaction: ProvenTransaction;
  /** Unix seconds of its block. */
  readonly timestamp: bigint;
  readonly proof: OriginProof;
}

/** Proves the transaction of an origin in a final block. */
export async function proveOrigin(
  verifier: Verifier,
  side: Side,
  origin: Origin,
  finals: FinalHeaders,
): Promise<ProvenOrigin> {
  const { blockNumber, transactionHash } = origin;
  if (blockNumber > finals[side].number)
    return wait({ chain: side, block: blockNumber }, 'The block of the origin is not final.');
  const block = await readProvenBlock(verifier.readers[side], blockNumber);
  const transaction = block.transactions.find(({ hash }) => hash === transactionHash);
  if (transaction === undefined) return refuse('ORIGIN_NOT_FOUND', `${transactionHash} in block ${blockNumber}.`);
  if (!transaction.hasSucceeded) return refuse('ORIGIN_FAILED', transactionHash);
  return { transaction, timestamp: block.header.timestamp, proof: toProof(side, block, transaction) };
}

function toProof(side: Side, { header }: ProvenBlock, { index, receiptPath }: ProvenTransaction): OriginProof {
  return {
    chain: side,
    blockNumber: header.number,
    blockHash: header.hash,
    receiptsRoot: header.receiptsRoot,
    receiptIndex: index,
    receiptPath,
  };
}
