import { MirrorError } from './mirror-error.js';

/** Which actions of a transaction are asked for. */
export interface ActionsQuery {
  /** All of these hold for the action's index. */
  readonly index: readonly IndexBound[];
  /** Most actions of a page, 1 … 100. */
  readonly limit: number;
  readonly order: 'asc' | 'desc';
}

export interface IndexBound {
  readonly operator: 'eq' | 'gt' | 'gte' | 'lt' | 'lte';
  readonly value: number;
}

const DEFAULT_LIMIT = 25;
const MOST = 100;
/** Bounds of one query; two make a range. */
const MOST_BOUNDS = 10;

const QUANTITY = /^\d{1,9}$/;
const BOUND = /^(?:(eq|gt|gte|lt|lte):)?(\d{1,9})$/;
const PARAMETERS = new Set(['index', 'limit', 'order']);

/**
 * Reads the query of `…/actions`: `index` (a number, or eq:, gt:, gte:, lt:, lte: and a number; up to ten times, for a range), `limit` (1 … 100, more counts as 100;
 * default 25) and `order` (asc by default, or desc).
 *
 * @throws MirrorError 400 that names the parameter.
 */
export function readActionsQuery(query: Readonly<Record<string, unknown>>): ActionsQuery {
  for (const name of Object.keys(query)) {
    if (!PARAMETERS.has(name)) throw new MirrorError(400, `Unknown query parameter: ${name.slice(0, 64)}`);
  }
  const bounds = [query['index'] ?? []].flat();
  if (bounds.length > MOST_BOUNDS) throw invalid('index');
  return {
    index: bounds.map(readBound),
    limit: readLimit(query['limit']),
    order: readOrder(query['order']),
  };
}

function readBound(text: unknown): IndexBound {
  const match = typeof text === 'string' ? BOUND.exec(text) : null;
  if (match === null) throw invalid('index');
  return { operator: (match[1] ?? 'eq') as IndexBound['operator'], value: Number(match[2]) };
}

function readLimit(text: unknown): number {
  if (text === undefined) return DEFAULT_LIMIT;
  if (typeof text !== 'string' || !QUANTITY.test(text) || Number(text) === 0) throw invalid('limit');
  return Math.min(Number(text), MOST);
}

function readOrder(text: unknown): 'asc' | 'desc' {
  if (text === undefined) return 'asc';
  if (text !== 'asc' && text !== 'desc') throw invalid('order');
  return text;
}

function invalid(parameter: string): MirrorError {
  return new MirrorError(400, `Invalid parameter: ${parameter}`);
}
