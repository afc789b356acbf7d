import { keccak256, TransactionNotFoundError, type Hex, type PublicClient } from 'viem';
import { NodeRefusedError, NodeUnavailableError } from '../rpc/chain-error.js';
import { classifyRpcError } from '../rpc/classify-rpc-error.js';
import { classifyBroadcastError, type BroadcastResult } from './classify-broadcast-error.js';

/**
 * Sends a signed transaction. Sending the same one again does no harm, so in doubt it is sent again. Nodes call a nonce
 * used also when it was this very transaction that used it: that is asked, and then it is `known`.
 */
export async function broadcast(client: PublicClient, raw: Hex): Promise<BroadcastResult> {
  const hash = keccak256(raw);
  const result = await send(client, raw, hash);
  return result.kind === 'nonce-used' && (await isKnown(client, hash)) ? { kind: 'known' } : result;
}

async function send(client: PublicClient, raw: Hex, hash: Hex): Promise<BroadcastResult> {
  try {
    const told = await client.sendRawTransaction({ serializedTransaction: raw });
    if (told === hash) return { kind: 'accepted' };
    return { kind: 'unreachable', reason: `the node answered the hash ${told} to transaction ${hash}` };
  } catch (error) {
    const failure = classifyRpcError(error);
    if (failure instanceof NodeRefusedError) return classifyBroadcastError(failure.reason, true);
    const reason = failure instanceof NodeUnavailableError ? failure.reason : failure.message;
    return classifyBroadcastError(reason, false);
  }
}

async function isKnown(client: PublicClient, hash: Hex): Promise<boolean> {
  try {
    return (await client.getTransaction({ hash })).hash === hash;
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return false;
    // Not knowing is the answer the caller had before; it looks for the receipt itself.
    classifyRpcError(error);
    return false;
  }
}
