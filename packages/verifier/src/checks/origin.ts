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
  const found = await findOrigin(verifier, side, origin, finals);
  if (found === 'NOT_FINAL')
    return wait({ chain: side, block: origin.blockNumber }, 'The block of the origin is not final.');
  if (found === null) return refuse('ORIGIN_NOT_FOUND', `${origin.transactionHash} in block ${origin.blockNumber}.`);
  if (!found.transaction.hasSucceeded) return refuse('ORIGIN_FAILED', origin.transactionHash);
  return found;
}

/** Finds the transaction of an origin. It may have failed. */
export async function findOrigin(
  { readers }: Verifier,
  side: Side,
  { blockNumber, transactionHash }: Origin,
  finals: FinalHeaders,
): Promise<ProvenOrigin | 'NOT_FINAL' | null> {
  if (blockNumber > finals[side].number) return 'NOT_FINAL';
  const block = await readProvenBlock(readers[side], blockNumber);
  const transaction = block.transactions.find(({ hash }) => hash === transactionHash);
  if (transaction === undefined) return null;
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
