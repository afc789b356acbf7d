import { RpcError } from '../../jsonrpc/errors.js';
import type { Asker } from '../asker.js';
import { checkAnswer } from './check-answer.js';
import { isBehind } from './is-behind.js';
import { judgeRefusal } from './judge-refusal.js';
import { laneOf } from './lane-of.js';
import { NodeFailure } from './node-failure.js';
import type { NodeMonitor } from './node-monitor.js';
import { NodeRefusal } from './node-refusal.js';
import type { NodeSet } from './node-set.js';
import type { Question } from './question.js';

/** After so many nodes ran out of time over the same logs or trace, the question is to blame, and the other nodes are spared it. */
const HEAVY_TIMEOUTS = 2;

/** Who can be asked, and the highest block number that clients have seen, or null. */
export interface ChainView {
  readonly nodes: NodeSet;
  readonly head: () => number | null;
}

/** What a node said; `final` when every other one would say the same, so that none has to be asked. */
type Outcome =
  { readonly final: boolean; readonly result: unknown } | { readonly final: boolean; readonly error: RpcError };

/**
 * Asks for something that can be asked twice: whatever does not change anything.
 *
 * The first node that can be used is asked, and then one after the other while they fail to answer, have not got what the others have, or could
 * not judge the call. With a single node it is asked once more. An answer of the chain, such as a revert, is final.
 *
 * @param asker is told the answer, or an RpcError: what the last node said, or RESOURCE_UNAVAILABLE when no node can be used.
 */
export function askNodes(view: ChainView, question: Question, asker: Asker): void {
  const first = view.nodes.first();
  if (first === null) asker.reject(unavailable(view.nodes));
  else first.node.ask(question.method, question.text, new FirstAnswer(view, question, first, asker));
}

/** Hears what the first node says. Nearly every call ends here, which is why it is told without a promise. */
class FirstAnswer implements Asker {
  constructor(
    private readonly view: ChainView,
    private readonly question: Question,
    private readonly first: NodeMonitor,
    private readonly asker: Asker,
  ) {}

  resolve(result: unknown): void {
    this.judge(() => judgeResult(this.view, this.first, this.question, result));
  }

  reject(error: unknown): void {
    // What is heavy travels alone.
    const alone = laneOf(this.question.method) === 'heavy';
    this.judge(() => judgeError(this.first, this.question, error, alone));
  }

  private judge(judgement: () => Outcome): void {
    const { view, question, first, asker } = this;
    let outcome: Outcome;
    try {
      outcome = judgement();
    } catch (error) {
      asker.reject(error);
      return;
    }
    if (outcome.final && 'result' in outcome) asker.resolve(outcome.result);
    else {
      askOthers(view, question, first, outcome).then(
        (result) => asker.resolve(result),
        (error: unknown) => asker.reject(error),
      );
    }
  }
}

async function askOthers(
  view: ChainView,
  question: Question,
  first: NodeMonitor,
  firstOutcome: Outcome,
): Promise<unknown> {
  const asked = [first];
  let outcome = firstOutcome;
  let best = firstOutcome;
  let timeouts = Number(isTimeout(outcome));
  while (!outcome.final && (laneOf(question.method) !== 'heavy' || timeouts < HEAVY_TIMEOUTS)) {
    const monitor = nextNode(view.nodes, asked);
    if (monitor === undefined) break;
    outcome = await askAlone(view, monitor, question);
    asked.push(monitor);
    timeouts += Number(isTimeout(outcome));
    if (rank(outcome) >= rank(best)) best = outcome;
  }
  if ('error' in best) throw best.error;
  return best.result;
}

/** The best node that was not asked yet; with one node only, that one a second time. */
function nextNode(nodes: NodeSet, asked: readonly NodeMonitor[]): NodeMonitor | undefined {
  const usable = nodes.usable();
  const fresh = usable.find((monitor) => !asked.includes(monitor));
  return fresh ?? (asked.length < 2 ? usable[0] : undefined);
}

/** In a request of its own: what failed in a batch may have failed for its company. */
async function askAlone(view: ChainView, monitor: NodeMonitor, question: Question): Promise<Outcome> {
  try {
    return judgeResult(view, monitor, question, await monitor.node.askAlone(question.method, question.text));
  } catch (error) {
    return judgeError(monitor, question, error, true);
  }
}

function judgeResult(view: ChainView, monitor: NodeMonitor, question: Question, result: unknown): Outcome {
  if (!checkAnswer(question, result)) {
    const failure = new NodeFailure('malformed', `answered ${question.method} with something else`);
    return judgeError(monitor, question, failure, true);
  }
  monitor.callAnswered();
  return { final: !isBehind(question, result, view.head()), result };
}

/** @param alone whether the call had the request to itself, so that all of what came back was about it. */
function judgeError(monitor: NodeMonitor, { method }: Question, error: unknown, alone: boolean): Outcome {
  if (error instanceof NodeRefusal) {
    monitor.callAnswered();
    return judgeRefusal(method, error);
  }
  if (!(error instanceof NodeFailure)) throw error;
  if (error.kind === 'oversized') {
    // The question is to blame, not the node: every other one would answer as much.
    monitor.callAnswered();
    return { final: alone, error: new RpcError('INVALID_PARAMS', 'the answer is too long, ask for less') };
  }
  monitor.callFailed(error);
  const detail = 'no node answered, try again';
  return { final: false, error: new RpcError('RESOURCE_UNAVAILABLE', detail, { cause: error }) };
}

/** What is answered when nobody knows better: a final answer, else one from behind, else a refusal, else that there was none. */
function rank(outcome: Outcome): number {
  if (outcome.final) return 3;
  if ('result' in outcome) return 2;
  return outcome.error.cause instanceof NodeFailure ? 0 : 1;
}

function isTimeout(outcome: Outcome): boolean {
  return 'error' in outcome && outcome.error.cause instanceof NodeFailure && outcome.error.cause.kind === 'timeout';
}

function unavailable(nodes: NodeSet): RpcError {
  const why = nodes.syncing() === false ? 'no node can be reached' : 'the nodes are catching up';
  return new RpcError('RESOURCE_UNAVAILABLE', `${why}, try again later`);
}
