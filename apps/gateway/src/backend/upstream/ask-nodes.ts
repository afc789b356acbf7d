import { RpcError } from '../../json-rpc/rpc-error.js';
import { checkAnswer } from './check-answer.js';
import { isBehind } from './is-behind.js';
import { judgeRefusal } from './judge-refusal.js';
import { laneOf } from './lane-of.js';
import { NodeFailure } from './node-failure.js';
import type { NodeMonitor } from './node-monitor.js';
import { NodeRefusal } from './node-refusal.js';
import type { NodeSet } from './node-set.js';

/** After so many nodes ran out of time over the same logs or trace, the question is to blame, and the other nodes are spared it. */
const HEAVY_TIMEOUTS = 2;

type Outcome = { readonly result: unknown } | { readonly error: RpcError; readonly final: boolean };

/**
 * Asks for something that can be asked twice: whatever does not change anything.
 *
 * The first node that can be used is asked, and then one after the other while they fail to answer, have not got what the others have, or could
 * not judge the call. With a single node it is asked once more. An answer of the chain, such as a revert, is final.
 *
 * @param head the highest block number that clients have seen, or null.
 * @throws RpcError what the last node said, or RESOURCE_UNAVAILABLE when no node can be used.
 */
export async function askNodes(
  nodes: NodeSet,
  method: string,
  params: readonly unknown[],
  head: () => number | null,
): Promise<unknown> {
  let last: Outcome | undefined;
  let timeouts = 0;
  const asked: NodeMonitor[] = [];
  for (;;) {
    const monitor = nextNode(nodes, asked);
    if (monitor === undefined || (laneOf(method) === 'heavy' && timeouts >= HEAVY_TIMEOUTS)) break;
    const outcome = await askOne(monitor, method, params, asked.length > 0);
    asked.push(monitor);
    const failure = failureOf(outcome);
    if (failure?.kind === 'timeout') timeouts++;
    if ('error' in outcome && outcome.final) throw outcome.error;
    if ('result' in outcome && !isBehind(method, params, outcome.result, head())) return outcome.result;
    // An answer from behind says more than a refusal, and a refusal more than silence.
    if (last === undefined || 'result' in outcome || (failure === null && 'error' in last)) last = outcome;
  }
  if (last === undefined) throw unavailable(nodes);
  if ('error' in last) throw last.error;
  return last.result;
}

/** The best node that was not asked yet; with one node only, that one a second time. */
function nextNode(nodes: NodeSet, asked: readonly NodeMonitor[]): NodeMonitor | undefined {
  const usable = nodes.usable();
  const fresh = usable.find((monitor) => !asked.includes(monitor));
  return fresh ?? (asked.length < 2 ? usable[0] : undefined);
}

async function askOne(
  monitor: NodeMonitor,
  method: string,
  params: readonly unknown[],
  alone: boolean,
): Promise<Outcome> {
  try {
    const result = await monitor.node.call(method, params, alone);
    if (!checkAnswer(method, params, result)) {
      throw new NodeFailure('malformed', `answered ${method} with something else`);
    }
    monitor.callAnswered();
    return { result };
  } catch (error) {
    if (error instanceof NodeRefusal) {
      monitor.callAnswered();
      return judgeRefusal(method, error);
    }
    if (!(error instanceof NodeFailure)) throw error;
    monitor.callFailed(error);
    return {
      final: false,
      error: new RpcError('RESOURCE_UNAVAILABLE', 'no node answered, try again', { cause: error }),
    };
  }
}

function failureOf(outcome: Outcome): NodeFailure | null {
  return 'error' in outcome && outcome.error.cause instanceof NodeFailure ? outcome.error.cause : null;
}

function unavailable(nodes: NodeSet): RpcError {
  const why = nodes.syncing() === false ? 'no node can be reached' : 'the nodes are catching up';
  return new RpcError('RESOURCE_UNAVAILABLE', `${why}, try again later`);
}
