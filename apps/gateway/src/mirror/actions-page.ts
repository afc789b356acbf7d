import { HttpError } from '../server/routes.js';

/** Which actions of a transaction are asked for. */
interface ActionsQuery {
  /** All of these hold for the action's index. */
  readonly index: readonly IndexBound[];
  /** Most actions of a page, 1 to 100. */
  readonly limit: number;
  readonly order: 'asc' | 'desc';
}

interface IndexBound {
  readonly operator: 'eq' | 'gt' | 'gte' | 'lt' | 'lte';
  readonly value: number;
}

/** A page of actions and the address of the next one. */
interface ActionsPage<Action> {
  readonly actions: readonly Action[];
  readonly links: { readonly next: string | null };
}

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;
/** Bounds of one query; two make a range. */
const MAX_BOUNDS = 10;

const QUANTITY = /^\d{1,9}$/;
const BOUND = /^(?:(eq|gt|gte|lt|lte):)?(\d{1,9})$/;
const PARAMETERS = new Set(['index', 'limit', 'order']);

/**
 * Reads the query of `…/actions`: `index` (a number, or eq:, gt:, gte:, lt:, lte: and a number; up to ten times, for a
 * range), `limit` (1 to 100, more counts as 100; default 25) and `order` (asc by default, or desc).
 *
 * @throws HttpError 400 that names the parameter.
 */
export function readActionsQuery(query: URLSearchParams): ActionsQuery {
  for (const name of query.keys()) {
    if (!PARAMETERS.has(name)) throw new HttpError(400, `Unknown query parameter: ${name.slice(0, 64)}`);
  }
  const bounds = query.getAll('index');
  if (bounds.length > MAX_BOUNDS) throw invalid('index');
  return {
    index: bounds.map(readBound),
    limit: readLimit(query.getAll('limit')),
    order: readOrder(query.getAll('order')),
  };
}

/**
 * One page of all actions of a transaction.
 *
 * @param actions the actions, or their sources; only those of the page need to be made.
 * @param path the address of the list, without a query.
 */
export function pageOfActions<Action extends { readonly index: number }>(
  actions: readonly Action[],
  query: ActionsQuery,
  path: string,
): ActionsPage<Action> {
  const matching = actions.filter(({ index }) => query.index.every((bound) => holds(index, bound)));
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

function readLimit([text, ...more]: readonly string[]): number {
  if (text === undefined) return DEFAULT_LIMIT;
  if (more.length > 0 || !QUANTITY.test(text) || Number(text) === 0) throw invalid('limit');
  return Math.min(Number(text), MAX_LIMIT);
}

function readOrder([text, ...more]: readonly string[]): 'asc' | 'desc' {
  if (text === undefined) return 'asc';
  if (more.length > 0 || (text !== 'asc' && text !== 'desc')) throw invalid('order');
  return text;
}

function invalid(parameter: string): HttpError {
  return new HttpError(400, `Invalid parameter: ${parameter}`);
}

function holds(index: number, { operator, value }: IndexBound): boolean {
  switch (operator) {
    case 'eq':
      return index === value;
    case 'gt':
      return index > value;
    case 'gte':
      return index >= value;
    case 'lt':
      return index < value;
    case 'lte':
      return index <= value;
  }
}

/** Keeps the bounds on the far side; the near side continues after the last action shown. */
function nextLink(path: string, { index, limit, order }: ActionsQuery, last: number): string {
  const far = order === 'asc' ? ['lt', 'lte'] : ['gt', 'gte'];
  const kept = index
    .filter(({ operator }) => far.includes(operator))
    .map(({ operator, value }) => `${operator}:${value}`);
  const near = `${order === 'asc' ? 'gt' : 'lt'}:${last}`;
  const query = [`limit=${limit}`, `order=${order}`, ...[...kept, near].map((bound) => `index=${bound}`)];
  return `${path}?${query.join('&')}`;
}
