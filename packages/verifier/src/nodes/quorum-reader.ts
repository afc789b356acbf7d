import { numberToHex, type Address, type Hex } from 'viem';
import { readHeader, type Header } from '../blocks/header.js';
import { BadAnswerError, MissingAnswerError, readBytes, readList, readObject, readQuantity } from '../blocks/json.js';
import type { Log } from '../blocks/receipt.js';
import { BadProofError } from '../blocks/trie.js';
import { askNode, classifyFailure, describeFailure, type Node } from './node.js';

/** A log, with the block and transaction that a quorum of nodes reports for it. */
export interface PlacedLog extends Log {
  readonly blockNumber: bigint;
  readonly transactionHash: Hex;
}

/** The logs of contracts with one of these first topics, in a range of blocks. */
export interface LogQuery {
  readonly address: Address | readonly Address[];
  readonly topics: readonly Hex[];
  /** The required further topics: one of a list, any for null or if left out. */
  readonly indexed?: readonly (Hex | readonly Hex[] | null)[];
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

/** Too few nodes gave the same answer, so nothing is known. */
export class NoQuorumError extends Error {
  override readonly name = 'NoQuorumError';
  constructor(
    readonly chain: string,
    readonly question: string,
    readonly answers: readonly string[],
    /** Whether the cause is nodes that lack old states, so that a later request would also fail. */
    readonly isStateGone: boolean,
  ) {
    super(`Too few nodes of ${chain} agree on ${question}: ${answers.join('; ')}`);
  }
}

/** Asks one node. */
export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** How a node dissented from a decided question: it gave another answer, none, or no longer has the state. */
export type Dissent = 'DIFFERS' | 'AWAY' | 'PRUNED';
export type OnDissent = (node: string, kind: Dissent, question: string) => void;

/** The nodes of a chain. */
export interface QuorumOptions {
  /** Appears in reasons. */
  readonly chain: string;
  readonly nodes: readonly Node[];
  /** More than half of the nodes. */
  readonly quorum: number;
  /** A slower node counts as unavailable. Default: 10 seconds. */
  readonly timeoutMs?: number;
  /** Called for each node without whose answer a question was decided, also after its decision. */
  readonly onDissent?: OnDissent;
}

/** A range of at most this many blocks is not split when its logs cannot be read. */
const SMALLEST_RANGE = 16n;
/** Gas of a call to a smart account. It is the same on all nodes, so that an endless loop ends on all of them. */
const CALL_GAS = 5_000_000n;
/** The answer to a call that reverted. */
export const REVERTED = 'REVERTED';

/**
 * Reads a chain from nodes that may lie. An answer counts when at least `quorum` of the configured nodes give it. An
 * unavailable node counts like a different answer.
 */
export class QuorumReader {
  readonly chain: string;
  readonly nodes: readonly Node[];
  private readonly quorum: number;
  private readonly timeoutMs: number;
  private readonly onDissent: OnDissent;
  private firstNode = 0;

  /** @throws RangeError for a quorum of at most half the nodes, which two different answers could reach. */
  constructor({ chain, nodes, quorum, timeoutMs = 10_000, onDissent = () => undefined }: QuorumOptions) {
    if (!Number.isInteger(quorum) || quorum > nodes.length || 2 * quorum <= nodes.length)
      throw new RangeError(`quorum of ${chain} must be more than half of its ${nodes.length} nodes, and at most all`);
    if (new Set(nodes.map(({ name }) => name)).size !== nodes.length)
      throw new RangeError(`the nodes of ${chain} must have different names`);
    this.chain = chain;
    this.nodes = nodes;
    this.quorum = quorum;
    this.timeoutMs = timeoutMs;
    this.onDissent = onDissent;
  }

  /** The highest block that a quorum has reached. Fewer nodes than a quorum cannot raise it. */
  async head(): Promise<bigint> {
    const heads = await Promise.allSettled(
      this.nodes.map(async (node) => readQuantity(await this.makeAsk(node)('eth_blockNumber', []), 'blockNumber')),
    );
    const known = heads.flatMap((head) => (head.status === 'fulfilled' ? [head.value] : []));
    const agreed = known.toSorted((a, b) => (a < b ? 1 : -1))[this.quorum - 1];
    if (agreed !== undefined) {
      for (const [index, head] of heads.entries())
        if (head.status === 'rejected') this.report(this.nodes[index], toDissent(head.reason), 'its head');
      return agreed;
    }
    const answers = heads.map((head) => (head.status === 'fulfilled' ? 'answered' : describeFailure(head.reason)));
    throw new NoQuorumError(this.chain, 'its head', answers, false);
  }

  /**
   * The header at a height, its hash computed from its fields for each answer. A node without it counts as unavailable.
   */
  async headerAt(number: bigint): Promise<Header> {
    return this.agree(`block ${number}`, async (ask) => readHeaderAt(ask, number));
  }

  /** The result of a call in the state after a block, identified by its hash (EIP-1898). */
  async call(blockHash: Hex, to: Address, data: Hex): Promise<Hex | typeof REVERTED> {
    const params = [{ to, data, gas: numberToHex(CALL_GAS) }, { blockHash }];
    return this.agree(`a call of ${to}`, async (ask) => readBytes(await ask('eth_call', params), 'result'), REVERTED);
  }

  /** The code of an account in the state after a block. */
  async code(blockHash: Hex, account: Address): Promise<Hex> {
    const params = [account, { blockHash }];
    return this.agree(`the code of ${account}`, async (ask) => readBytes(await ask('eth_getCode', params), 'code'));
  }

  /** The logs of contracts, in order. If too few nodes answer, the range is split, since their limits differ. */
  async logs(query: LogQuery, end: Header): Promise<readonly PlacedLog[]> {
    const { fromBlock, toBlock } = query;
    if (fromBlock > toBlock) return [];
    try {
      return await this.logsAtOnce(query, end);
    } catch (error) {
      if (!(error instanceof NoQuorumError) || toBlock - fromBlock < SMALLEST_RANGE) throw error;
      const middle = (fromBlock + toBlock) / 2n;
      const lower = await this.logs({ ...query, toBlock: middle }, end);
      return [...lower, ...(await this.logs({ ...query, fromBlock: middle + 1n }, end))];
    }
  }

  /**
   * The logs of contracts in one answer, in order. A node counts only if it has the block `end`, since a lagging node
   * returns fewer logs.
   *
   * @param limit a node with more logs counts as unavailable.
   */
  async logsAtOnce(query: LogQuery, end: Header, limit = Infinity): Promise<readonly PlacedLog[]> {
    const { address, topics, indexed = [], fromBlock, toBlock } = query;
    const range = { fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) };
    return this.agree(`logs of ${String(address)} in blocks ${fromBlock} to ${toBlock}`, async (ask) => {
      const { hash } = await readHeaderAt(ask, end.number);
      if (hash !== end.hash) throw new BadAnswerError(`it has a different block ${end.number}`);
      const logs = readList(await ask('eth_getLogs', [{ address, topics: [topics, ...indexed], ...range }]), 'logs');
      if (logs.length > limit) throw new Error(`it has ${logs.length} logs, more than ${limit}`);
      return logs.map((log) => readPlacedLog(log, query));
    });
  }

  /** Asks all nodes the same, and returns the answer of a quorum. `onRevert`: the answer that a revert counts as. */
  async agree<T, R = never>(question: string, read: (ask: Ask) => Promise<T>, onRevert?: R): Promise<T | R> {
    const counts = new Map<string, number>();
    const failures: string[] = [];
    const dissent = new DissentReport((node, kind) => this.report(node, kind, question));
    let gone = 0;
    return new Promise((resolve, reject) => {
      let pending = this.nodes.length;
      const vote = (node: Node, answer: T | R) => {
        const key = toKey(answer);
        counts.set(key, (counts.get(key) ?? 0) + 1);
        dissent.add(node, key);
        if (counts.get(key) !== this.quorum) return;
        dissent.decide(key);
        resolve(answer);
      };
      const fail = (node: Node, error: unknown) => {
        const failure = classifyFailure(error);
        if (failure === 'REVERTED' && onRevert !== undefined) return vote(node, onRevert);
        dissent.add(node, null, toDissent(error));
        if (failure === 'STATE_GONE') gone += 1;
        failures.push(`${node.name}: ${describeFailure(error)}`);
      };
      const settle = () => {
        pending -= 1;
        if (pending > 0) return;
        // Has no effect after an answer of a quorum.
        const different = counts.size > 1 ? [`${counts.size} different answers`] : [];
        const isGone = gone > this.nodes.length - this.quorum;
        reject(new NoQuorumError(this.chain, question, [...failures, ...different], isGone));
      };
      for (const node of this.nodes) {
        void read(this.makeAsk(node))
          .then((answer) => vote(node, answer))
          .catch((error: unknown) => fail(node, error))
          .then(settle);
      }
    });
  }

  /**
   * Returns the first result from a single node, starting with the last successful one. Use only proven data from it.
   */
  async fromAnyNode<T>(question: string, read: (ask: Ask) => Promise<T>): Promise<T> {
    const failures: string[] = [];
    const [before, after] = [this.nodes.slice(0, this.firstNode), this.nodes.slice(this.firstNode)];
    for (const node of [...after, ...before]) {
      try {
        const result = await read(this.makeAsk(node));
        this.firstNode = this.nodes.indexOf(node);
        return result;
      } catch (error) {
        failures.push(`${node.name}: ${describeFailure(error)}`);
        if (toDissent(error) === 'DIFFERS') this.report(node, 'DIFFERS', question);
      }
    }
    throw new NoQuorumError(this.chain, question, failures, false);
  }

  private report(node: Node | undefined, kind: Dissent, question: string): void {
    if (node !== undefined) this.onDissent(node.name, kind, question);
  }

  private makeAsk(node: Node): Ask {
    return async (method, params) => askNode(node, method, params, this.timeoutMs);
  }
}

/** Names the nodes that a decided question left behind. Nobody is outvoted before the decision. */
class DissentReport {
  private readonly answers: { readonly node: Node; readonly key: string | null; readonly kind: Dissent }[] = [];
  private decided: string | null = null;

  constructor(private readonly report: (node: Node, kind: Dissent) => void) {}

  /** @param key null for a failure. */
  add(node: Node, key: string | null, kind: Dissent = 'DIFFERS'): void {
    if (this.decided === null) this.answers.push({ node, key, kind });
    else if (key !== this.decided) this.report(node, kind);
  }

  decide(key: string): void {
    this.decided = key;
    for (const answer of this.answers) if (answer.key !== key) this.report(answer.node, answer.kind);
  }
}

function toDissent(error: unknown): Dissent {
  if (error instanceof MissingAnswerError) return 'AWAY';
  if (error instanceof BadAnswerError || error instanceof BadProofError) return 'DIFFERS';
  return classifyFailure(error) === 'STATE_GONE' ? 'PRUNED' : 'AWAY';
}

async function readHeaderAt(ask: Ask, number: bigint): Promise<Header> {
  const answer = await ask('eth_getBlockByNumber', [numberToHex(number), false]);
  if (answer === null) throw new MissingAnswerError(`it has no block ${number}`);
  const header = readHeader(answer);
  if (header.number !== number) throw new BadAnswerError(`the answer is block ${header.number}`);
  return header;
}

/** Serializes an answer such that equal answers give equal texts. Readers return the fields in a fixed order. */
function toKey(answer: unknown): string {
  return (
    JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)) ?? 'undefined'
  );
}

function readPlacedLog(answer: unknown, query: LogQuery): PlacedLog {
  const log = readObject(answer, 'log');
  const topics = readList(log['topics'], 'topics').map((topic) => readBytes(topic, 'topic', 32));
  const placed = {
    address: readBytes(log['address'], 'address', 20),
    topics,
    data: readBytes(log['data'], 'data'),
    logIndex: Number(readQuantity(log['logIndex'], 'logIndex')),
    blockNumber: readQuantity(log['blockNumber'], 'blockNumber'),
    transactionHash: readBytes(log['transactionHash'], 'transactionHash', 32),
  };
  const isAsked =
    (typeof query.address === 'string' ? placed.address === query.address : query.address.includes(placed.address)) &&
    query.topics.includes(topics[0] ?? '0x') &&
    (query.indexed ?? []).every((asked, index) => matches(topics[index + 1], asked)) &&
    placed.blockNumber >= query.fromBlock &&
    placed.blockNumber <= query.toBlock;
  if (!isAsked) throw new BadAnswerError('a log does not match the query');
  return placed;
}

function matches(topic: Hex | undefined, asked: Hex | readonly Hex[] | null): boolean {
  if (asked === null || topic === asked) return true;
  return typeof asked !== 'string' && topic !== undefined && asked.includes(topic);
}
