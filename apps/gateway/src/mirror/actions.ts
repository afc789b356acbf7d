import type { CallFrame, CallType } from '@causeway/partner-chain';
import type { Hex } from 'viem';
import { HttpError } from '../server/routes.js';

type PartyType = 'ACCOUNT' | 'CONTRACT';

interface ActionContext {
  readonly timestamp: string;
  readonly isContract: (address: Hex) => boolean;
}

/** Above all addresses of precompiled contracts. */
const PRECOMPILES_END = 0x1_0000n;

/** A frame that is a message, which a self-destruction is not. */
interface MessageFrame extends CallFrame {
  readonly type: CallType;
}

interface Message {
  readonly frame: MessageFrame;
  readonly depth: number;
  /** Position in the order in which the messages started, from 0. */
  readonly index: number;
}

/** The messages of a call tree in the order in which they started. */
export function listMessages(root: CallFrame): Message[] {
  const messages: Message[] = [];
  const visit = (frame: CallFrame, depth: number): void => {
    if (!isMessage(frame)) return;
    messages.push({ frame, depth, index: messages.length });
    for (const call of frame.calls) visit(call, depth + 1);
  };
  visit(root, 0);
  return messages;
}

function isMessage(frame: CallFrame): frame is MessageFrame {
  return frame.type !== 'SELFDESTRUCT';
}

/**
 * Formats a message like a Hedera mirror node. `value` has 8 decimals; data that was too large to be stored is null.
 */
export function toMirrorAction({ frame, depth, index }: Message, { timestamp, isContract }: ActionContext) {
  const partyType = (address: Hex): PartyType =>
    isPrecompile(address) || isContract(address) ? 'CONTRACT' : 'ACCOUNT';
  return {
    call_depth: depth,
    call_operation_type: frame.type,
    call_type: getCallType(frame),
    caller: frame.from,
    caller_type: depth === 0 ? 'ACCOUNT' : 'CONTRACT',
    from: frame.from,
    gas: frame.gas,
    gas_used: frame.gasUsed,
    index,
    input: frame.inputOmitted === true ? null : frame.input,
    recipient: frame.to,
    recipient_type: frame.to === null ? null : partyType(frame.to),
    ...getResult(frame),
    timestamp,
    to: frame.to,
    value: frame.value,
  };
}

function getCallType({ type, to }: CallFrame): 'CALL' | 'CREATE' | 'PRECOMPILE' {
  if (type === 'CREATE' || type === 'CREATE2') return 'CREATE';
  return to !== null && isPrecompile(to) ? 'PRECOMPILE' : 'CALL';
}

/** Returns the result of a message. Errors other than a revert have no data, so their name is given as bytes. */
function getResult(frame: CallFrame): {
  result_data: Hex | null;
  result_data_type: 'OUTPUT' | 'REVERT_REASON' | 'ERROR';
} {
  const { error } = frame;
  const output = frame.outputOmitted === true ? null : frame.output;
  if (error === null) return { result_data: output, result_data_type: 'OUTPUT' };
  if (error === 'revert') return { result_data: output, result_data_type: 'REVERT_REASON' };
  return { result_data: `0x${Buffer.from(error).toString('hex')}`, result_data_type: 'ERROR' };
}

function isPrecompile(address: Hex): boolean {
  const value = BigInt(address);
  return value > 0n && value < PRECOMPILES_END;
}

interface ActionsQuery {
  /** Bounds that the action's index must all satisfy. */
  readonly index: readonly IndexBound[];
  readonly limit: number;
  readonly order: 'asc' | 'desc';
}

interface IndexBound {
  readonly operator: keyof typeof COMPARISONS;
  readonly value: number;
}

const DEFAULT_LIMIT = '25';
const MAX_LIMIT = 100;
/** Maximum bounds per query; two make a range. */
const MAX_BOUNDS = 10;

const COMPARISONS = {
  eq: (index: number, value: number) => index === value,
  gt: (index: number, value: number) => index > value,
  gte: (index: number, value: number) => index >= value,
  lt: (index: number, value: number) => index < value,
  lte: (index: number, value: number) => index <= value,
};
const LIMIT = /^(?!0+$)\d{1,9}$/;
const ORDER = /^(?:asc|desc)$/;
const BOUND = /^(?:(eq|gt|gte|lt|lte):)?(\d{1,9})$/;
const PARAMETERS = new Set(['index', 'limit', 'order']);

/** Reads `index` (such as `gte:3`), `limit` (more than 100 counts as 100) and `order`. @throws HttpError 400 */
export function readActionsQuery(query: URLSearchParams): ActionsQuery {
  for (const name of query.keys()) {
    if (!PARAMETERS.has(name)) throw new HttpError(400, `Unknown query parameter: ${name.slice(0, 64)}`);
  }
  const bounds = query.getAll('index');
  if (bounds.length > MAX_BOUNDS) throw invalid('index');
  return {
    index: bounds.map(readBound),
    limit: Math.min(Number(readOne(query, 'limit', LIMIT, DEFAULT_LIMIT)), MAX_LIMIT),
    order: readOne(query, 'order', ORDER, 'asc') as ActionsQuery['order'],
  };
}

/** Returns one page of a transaction's actions. @param path the path of the list, without a query. */
export function paginateActions<Action extends { readonly index: number }>(
  actions: readonly Action[],
  query: ActionsQuery,
  path: string,
): { readonly actions: readonly Action[]; readonly links: { readonly next: string | null } } {
  const matching = actions.filter(({ index }) =>
    query.index.every(({ operator, value }) => COMPARISONS[operator](index, value)),
  );
  const ordered = query.order === 'asc' ? matching : matching.toReversed();
  const page = ordered.slice(0, query.limit);
  const last = page.at(-1);
  const isLast = last === undefined || page.length === ordered.length;
  return { actions: page, links: { next: isLast ? null : nextLink(path, query, last.index) } };
}

function readBound(text: string): IndexBound {
  const match = BOUND.exec(text);
  if (match === null) throw invalid('index');
  return { operator: (match[1] ?? 'eq') as IndexBound['operator'], value: Number(match[2]) };
}

function readOne(query: URLSearchParams, name: string, form: RegExp, byDefault: string): string {
  const [text, ...more] = query.getAll(name);
  if (text === undefined) return byDefault;
  if (more.length > 0 || !form.test(text)) throw invalid(name);
  return text;
}

function invalid(parameter: string): HttpError {
  return new HttpError(400, `Invalid parameter: ${parameter}`);
}

/** Builds the next link: it keeps the far bounds, and its near bound is the last action shown. */
function nextLink(path: string, { index, limit, order }: ActionsQuery, last: number): string {
  const far = order === 'asc' ? ['lt', 'lte'] : ['gt', 'gte'];
  const kept = index
    .filter(({ operator }) => far.includes(operator))
    .map(({ operator, value }) => `${operator}:${value}`);
  const near = `${order === 'asc' ? 'gt' : 'lt'}:${last}`;
  const query = [`limit=${limit}`, `order=${order}`, ...[...kept, near].map((bound) => `index=${bound}`)];
  return `${path}?${query.join('&')}`;
}
