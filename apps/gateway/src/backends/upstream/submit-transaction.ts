import { setTimeout as sleep } from 'node:timers/promises';
import { isHex, keccak256, type Hex } from 'viem';
import { RpcError } from '../../jsonrpc/errors.js';
import { judgeRefusal } from './judge-refusal.js';
import { NodeFailure } from './node-failure.js';
import type { NodeMonitor } from './node-monitor.js';
import { NodeRefusal } from './node-refusal.js';
import type { NodeSet } from './node-set.js';

/** Nodes a transaction is handed to, at most. */
const TRIES = 3;
/** Looks for a transaction whose fate is unknown, and the pause between them. */
const LOOKS = 3;
const LOOK_PAUSE_MS = 250;
/** What a node says of a transaction that it has in its pool, or has mined already. */
const PERHAPS_KNOWN =
  /already (known|imported|exists|in mempool)|known transaction|tx with same hash|nonce.*too low|nonce.*already/i;

/**
 * Hands a signed transaction to a node and answers with its hash, which is computed here and not believed from the node.
 *
 * It is never sent again blindly: when it is unclear whether a node took it, all nodes are first asked for it by its hash. Only when none has it
 * the same bytes go to the next node. That cannot make two transactions: the bytes fix the hash, and sender and nonce with it, and a chain takes
 * a nonce of a sender once; at worst the next node says that it knows them. For the same reason "already known" and "nonce too low" are a success
 * when a node has the transaction under its hash: a client that repeats itself gets the same answer twice.
 *
 * @throws RpcError TRANSACTION_REJECTED when a node refuses it and none has it; RESOURCE_UNAVAILABLE when no node took it, or when it is unknown
 * whether one did (the message says which).
 */
export async function submitTransaction(nodes: NodeSet, raw: unknown): Promise<Hex> {
  if (!isHex(raw)) throw new RpcError('INVALID_PARAMS', 'params[0] must be a signed transaction in hex');
  const hash = keccak256(raw);
  const asked: NodeMonitor[] = [];
  let unclear = false;
  let refusal: RpcError | undefined;
  while (asked.length < TRIES) {
    const monitor = nodes.usable().find((one) => !asked.includes(one));
    if (monitor === undefined) break;
    asked.push(monitor);
    const outcome = await submitTo(monitor, raw, hash);
    if (outcome === 'taken') return hash;
    if (outcome === 'unclear') unclear = true;
    const perhaps = outcome === 'unclear' || (typeof outcome === 'object' && outcome.perhapsKnown);
    if (perhaps && (await isKnown(nodes, hash))) return hash;
    if (typeof outcome === 'object') {
      refusal = outcome.error;
      if (outcome.final) break;
    }
  }
  if (unclear && (await isKnownSoon(nodes, hash))) return hash;
  if (unclear) {
    const detail = `it is not known whether the transaction was accepted, ask for ${hash} before sending another one`;
    throw new RpcError('RESOURCE_UNAVAILABLE', detail);
  }
  throw refusal ?? new RpcError('RESOURCE_UNAVAILABLE', 'no node took the transaction, try again later');
}

interface Refused {
  readonly error: RpcError;
  readonly final: boolean;
  readonly perhapsKnown: boolean;
}

async function submitTo(
  monitor: NodeMonitor,
  raw: Hex,
  hash: Hex,
): Promise<'taken' | 'unclear' | 'not sent' | Refused> {
  try {
    const answer = await monitor.node.call('eth_sendRawTransaction', [raw]);
    if (typeof answer === 'string' && answer.toLowerCase() === hash) {
      monitor.callAnswered();
      return 'taken';
    }
    monitor.callFailed(new NodeFailure('malformed', 'answered with the hash of another transaction'));
    return 'unclear';
  } catch (error) {
    if (error instanceof NodeRefusal) {
      const verdict = judgeRefusal('eth_sendRawTransaction', error);
      // -32603 and the like: something broke in the node, before or after it took the transaction.
      const clear = verdict.final || error.code === -32601 || error.code === -32005;
      return clear ? { ...verdict, perhapsKnown: PERHAPS_KNOWN.test(error.message) } : 'unclear';
    }
    if (!(error instanceof NodeFailure)) throw error;
    // That too many wait is not the node's failure, and no reason to take its reads away.
    if (error.kind !== 'overloaded') monitor.callFailed(error);
    return error.mayHaveHappened ? 'unclear' : 'not sent';
  }
}

/** Whether any node has the transaction, pending or mined. */
async function isKnown(nodes: NodeSet, hash: Hex): Promise<boolean> {
  const looks = nodes
    .usable()
    .flatMap(({ node }) => [
      has(node.call('eth_getTransactionByHash', [hash], true), 'hash', hash),
      has(node.call('eth_getTransactionReceipt', [hash], true), 'transactionHash', hash),
    ]);
  return (await Promise.all(looks)).some(Boolean);
}

async function isKnownSoon(nodes: NodeSet, hash: Hex): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    if (await isKnown(nodes, hash)) return true;
    await sleep(LOOK_PAUSE_MS);
  }
  return false;
}

async function has(answer: Promise<unknown>, field: string, hash: Hex): Promise<boolean> {
  try {
    const value = await answer;
    if (typeof value !== 'object' || value === null) return false;
    const found: unknown = (value as Record<string, unknown>)[field];
    return typeof found === 'string' && found.toLowerCase() === hash;
  } catch (error) {
    // A node that cannot be asked does not know the transaction; another one may.
    if (error instanceof NodeFailure || error instanceof NodeRefusal) return false;
    throw error;
  }
}
