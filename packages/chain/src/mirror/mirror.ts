import { describeError, parseEndpoint } from '@causeway/service/configuration';
import type { Address, Hex } from 'viem';
import { z } from 'zod';
import type { NodeEvent } from '../nodes/chain-connection.js';
import { THROTTLES, Throttling } from '../rpc/throttling.js';
import { internalTransfers, InvalidCallTreeError, mirrorAction, type InternalTransfer } from './call-tree.js';

/** The mirrors' answer about a transaction. */
export type MirrorAnswer =
  | { readonly kind: 'found'; readonly transfers: readonly InternalTransfer[] }
  /** The mirrors lack its call tree, contradict themselves, or disagree: retry later. */
  | { readonly kind: 'missing'; readonly reason: string };

/** Too few mirrors answered to decide anything about the transaction. */
export class MirrorUnavailableError extends Error {
  override readonly name = 'MirrorUnavailableError';
  constructor(
    readonly reasons: readonly string[],
    options?: ErrorOptions,
  ) {
    super(`The mirrors do not answer (${reasons.join('; ')}): check MIRROR_URL and the mirrors`, options);
  }
}

/** The state of one mirror. */
interface MirrorStatus {
  /** Host and port. */
  readonly name: string;
  /** Requests that the mirror rate-limited since startup. */
  readonly throttled: number;
}

/** Source of call trees. */
export interface Mirror {
  /**
   * Finds the internal payments of a transaction to watched addresses.
   *
   * @param receivers lower-case.
   * @throws MirrorUnavailableError
   */
  transfersIn(txHash: Hex, receivers: readonly Address[]): Promise<MirrorAnswer>;
  /**
   * Measures the response time of the mirrors in milliseconds.
   *
   * @throws MirrorUnavailableError
   */
  ping(): Promise<number>;
  status(): readonly MirrorStatus[];
}

/** One mirror, as `agreeingMirrors` queries it. */
export interface MirrorSource {
  /** @throws MirrorUnavailableError */
  transfersIn(txHash: Hex, receivers: ReadonlySet<Address>): Promise<MirrorAnswer>;
  /** @throws MirrorUnavailableError */
  ping(): Promise<void>;
  status(): MirrorStatus;
}

/** Limits for the answers of a mirror. */
interface MirrorLimits {
  /** Timeout of one page. */
  readonly timeoutMs: number;
  /** Total size of the pages of a transaction. */
  readonly maxBytes: number;
  readonly maxPages: number;
}

interface MirrorOptions extends Partial<MirrorLimits> {
  /** Receives events for operators. */
  readonly report?: (event: NodeEvent) => void;
}

/**
 * The embedded chain keeps at most 30,000 messages of a transaction and 1 MiB of their data. A message takes about
 * 600 bytes plus its data, and a page holds 100 messages.
 */
const LIMITS: MirrorLimits = { timeoutMs: 10_000, maxBytes: 64 * 1024 * 1024, maxPages: 400 };
const PAGE = 'limit=100&order=asc';
/** No transaction has this hash, so a working mirror answers 404. */
const NO_HASH: Hex = `0x${'0'.repeat(64)}`;

/** JSON.parse passes the source text of a number to its reviver (ECMAScript 2026), which the type definitions lack. */
const parseJson = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

const actionsPage = z.object({
  actions: z.array(mirrorAction),
  links: z.object({ next: z.string().nullable() }),
});

/**
 * Connects mirrors. More than half of all must give the same answer.
 *
 * @param urls without `/api/v1`.
 */
export function connectMirrors(urls: readonly string[], options: MirrorOptions = {}): Mirror {
  const { report = () => undefined, ...limits } = options;
  return agreeingMirrors(urls.map((url) => new MirrorNode(url, { ...LIMITS, ...limits }, report)));
}

/** Combines mirrors. More than half of all must give the same answer. */
export function agreeingMirrors(nodes: readonly MirrorSource[]): Mirror {
  const quorum = Math.floor(nodes.length / 2) + 1;
  return {
    async transfersIn(txHash, receivers) {
      const watched = new Set(receivers);
      const votes = await Promise.allSettled(nodes.map((node) => node.transfersIn(txHash, watched)));
      return decideAnswer(votes, quorum);
    },
    async ping() {
      const startedAt = performance.now();
      const votes = await Promise.allSettled(nodes.map((node) => node.ping()));
      const reasons = listFailures(votes);
      if (nodes.length - reasons.length < quorum) throw new MirrorUnavailableError(reasons);
      return Math.round(performance.now() - startedAt);
    },
    status: () => nodes.map((node) => node.status()),
  };
}

/** Finds the majority answer. Pure. @throws MirrorUnavailableError if unavailable mirrors could decide it. */
function decideAnswer(votes: readonly PromiseSettledResult<MirrorAnswer>[], quorum: number): MirrorAnswer {
  const counts = new Map<string, { readonly answer: MirrorAnswer; count: number }>();
  for (const vote of votes) {
    if (vote.status === 'rejected') continue;
    const key = toKey(vote.value);
    const same = counts.get(key) ?? { answer: vote.value, count: 0 };
    same.count += 1;
    counts.set(key, same);
  }
  for (const { answer, count } of counts.values()) if (count >= quorum) return answer;
  const reasons = listFailures(votes);
  if (reasons.length > 0) throw new MirrorUnavailableError(reasons);
  return { kind: 'missing', reason: 'the mirrors disagree' };
}

function toKey(answer: MirrorAnswer): string {
  if (answer.kind === 'missing') return answer.kind;
  return answer.transfers
    .map(({ callIndex, payer, wallet, amount, memo }) => `${callIndex} ${payer} ${wallet} ${amount} ${memo ?? ''}`)
    .join(',');
}

/** Lists the failures of unavailable mirrors. Rethrows any other failure, which is a bug. */
function listFailures(votes: readonly PromiseSettledResult<unknown>[]): string[] {
  return votes.flatMap((vote) => {
    if (vote.status === 'fulfilled') return [];
    if (vote.reason instanceof MirrorUnavailableError) return vote.reason.reasons;
    throw vote.reason;
  });
}

/** One mirror node. */
class MirrorNode implements MirrorSource {
  private readonly name: string;
  private readonly url: string;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly throttling: Throttling;

  constructor(
    address: string,
    private readonly limits: MirrorLimits,
    report: (event: NodeEvent) => void,
  ) {
    const { host, url, headers } = parseEndpoint(address);
    this.name = host;
    this.url = url;
    this.headers = headers;
    this.throttling = new Throttling(
      () => performance.now(),
      (message) => report({ level: 'warn', chain: 'partner', node: host, message }),
    );
  }

  status(): MirrorStatus {
    return { name: this.name, throttled: this.throttling.count };
  }

  async transfersIn(txHash: Hex, receivers: ReadonlySet<Address>): Promise<MirrorAnswer> {
    try {
      const actions = await this.readActions(txHash);
      if (actions === null) return { kind: 'missing', reason: `${this.name} does not have the transaction yet` };
      return { kind: 'found', transfers: internalTransfers(actions, receivers) };
    } catch (error) {
      if (!(error instanceof InvalidCallTreeError)) throw error;
      return { kind: 'missing', reason: `${this.name}: ${error.message}` };
    }
  }

  async ping(): Promise<void> {
    await this.request(NO_HASH, PAGE, { bytes: 0 });
  }

  /** Reads all messages of a transaction; null if the mirror does not have them. */
  private async readActions(txHash: Hex): Promise<z.output<typeof mirrorAction>[] | null> {
    const actions: z.output<typeof mirrorAction>[] = [];
    const read = { bytes: 0 };
    let query: string | null = PAGE;
    for (let pages = 0; query !== null; pages++) {
      if (pages === this.limits.maxPages) throw new InvalidCallTreeError(`more than ${pages} pages`);
      const text = await this.request(txHash, query, read);
      if (text === null) return null;
      const page = parsePage(text);
      const isNext = page.actions[0]?.index === actions.length;
      if (!isNext && (pages > 0 || page.actions.length > 0)) throw new InvalidCallTreeError('a page does not follow');
      actions.push(...page.actions);
      query = findQuery(page.links.next);
    }
    return actions.length === 0 ? null : actions;
  }

  /** Reads one page; null if the mirror lacks the transaction. Of a link to the next page only the query is used. */
  private async request(txHash: Hex, query: string, read: { bytes: number }): Promise<string | null> {
    const url = `${this.url.replace(/\/+$/, '')}/api/v1/contracts/results/${txHash}/actions?${query}`;
    try {
      const signal = AbortSignal.timeout(this.limits.timeoutMs);
      const response = await fetch(url, { headers: this.headers, redirect: 'error', signal });
      const text = await this.readText(response, read);
      if (response.status === 404) return null;
      // 206: data of some messages is missing, but the payments are complete.
      if (response.status === 200 || response.status === 206) return text;
      throw new MirrorUnavailableError([`${this.name}: ${this.describeStatus(response.status)}`]);
    } catch (error) {
      if (error instanceof MirrorUnavailableError || error instanceof InvalidCallTreeError) throw error;
      // The error of fetch says less than its cause.
      const reason = describeError((error as Error).cause ?? error);
      throw new MirrorUnavailableError([`${this.name}: ${reason}`], { cause: error });
    }
  }

  private describeStatus(status: number): string {
    if (status === 401 || status === 403) return `it does not accept the key in its address (status ${status})`;
    if (status !== 429) return `status ${status}`;
    const reason = `${THROTTLES} (status 429)`;
    this.throttling.note(reason);
    return reason;
  }

  private async readText(response: Response, read: { bytes: number }): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      read.bytes += chunk.length;
      // Throwing out of the loop cancels the response.
      if (read.bytes > this.limits.maxBytes) throw new InvalidCallTreeError(`more than ${this.limits.maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }
}

function parsePage(text: string): z.output<typeof actionsPage> {
  let content: unknown;
  try {
    // An amount can exceed 2^53.
    content = parseJson(text, (_, value, { source }) =>
      typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d{1,40}$/.test(source)
        ? BigInt(source)
        : value,
    );
  } catch (cause) {
    throw new InvalidCallTreeError('its answer is not JSON', { cause });
  }
  const parsed = actionsPage.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InvalidCallTreeError(`${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
}

function findQuery(link: string | null): string | null {
  const question = link?.indexOf('?') ?? -1;
  return link === null || question < 0 ? null : link.slice(question + 1);
}
