/**
 * A node: a viem client or any EIP-1193 provider, with a name that appears in reasons. It may lie or be unavailable.
 */
export interface Node {
  /** Unique among the nodes of its chain, and without secrets. */
  readonly name: string;
  /** Libraries type the methods that they know; here an answer is unknown until it is read. */
  readonly client: { readonly request: (...call: never[]) => Promise<unknown> };
}

/** A provider that accepts any method. */
interface Provider {
  readonly request: (call: { readonly method: string; readonly params: readonly unknown[] }) => Promise<unknown>;
}

/** Why a request failed, as far as it matters for the judgement. */
export type Failure = 'REVERTED' | 'STATE_GONE' | 'AWAY';

/** JSON-RPC code of an execution that reverted. */
const REVERTED_CODE = 3;
/** How nodes report a failed execution. An error of the node itself must not match. */
const EXECUTION_FAILED =
  /\breverted\b|out ?of ?gas|invalid ?(?:opcode|jump)|bad ?jump|opcode .* not defined|stack (?:limit|(?:over|under)flow)|write protection/i;
/** How nodes without an archive report that they dropped the state of a block. */
const STATE_GONE =
  /missing trie node|historical state|state (?:is |already )?(?:not available|unavailable|pruned|discarded)|pruned|world state.*(?:not|un)available|no state available|state .* is not available/i;

/** Sends one request. A node that does not answer in time counts as unavailable. */
export async function askNode(
  node: Node,
  method: string,
  params: readonly unknown[],
  timeoutMs: number,
): Promise<unknown> {
  const provider = node.client as unknown as Provider;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([provider.request({ method, params }), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Classifies the error of a request. Pure. A library's error can have the node's error as its cause. */
export function classifyFailure(error: unknown): Failure {
  const seen = new Set<unknown>();
  let isReverted = false;
  for (let current = error; isError(current) && !seen.has(current); current = current.cause) {
    seen.add(current);
    const text = `${current.message ?? ''} ${current.details ?? ''}`;
    if (STATE_GONE.test(text)) return 'STATE_GONE';
    isReverted ||= current.code === REVERTED_CODE || EXECUTION_FAILED.test(current.details ?? '');
    if (current.cause === undefined) isReverted ||= EXECUTION_FAILED.test(text);
  }
  return isReverted ? 'REVERTED' : 'AWAY';
}

interface ErrorLike {
  readonly message?: string;
  readonly details?: string;
  readonly code?: unknown;
  readonly cause?: unknown;
}

function isError(value: unknown): value is ErrorLike {
  return typeof value === 'object' && value !== null;
}

/** The shortest text of an error, since a library's full message may contain a node's address, and with it a key. */
export function describeFailure(error: unknown): string {
  if (!isError(error)) return 'failed';
  const short = (error as { readonly shortMessage?: unknown }).shortMessage;
  return typeof short === 'string' ? short : (error.message ?? 'failed').slice(0, 160);
}
