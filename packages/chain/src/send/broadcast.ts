import { BaseError, RpcRequestError, type Hex, type PublicClient } from 'viem';
import { classifyBroadcastError, type BroadcastResult } from './classify-broadcast-error.js';

/** Sends a signed transaction. Sending the same one again does no harm, so in doubt it is sent again. */
export async function broadcast(client: PublicClient, raw: Hex): Promise<BroadcastResult> {
  try {
    await client.sendRawTransaction({ serializedTransaction: raw });
    return { kind: 'accepted' };
  } catch (error) {
    const answer = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcRequestError) : null;
    const message =
      answer instanceof RpcRequestError ? answer.details : error instanceof Error ? error.message : String(error);
    return classifyBroadcastError(message, answer !== null);
  }
}
