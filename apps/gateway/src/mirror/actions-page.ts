import type { ActionsQuery, IndexBound } from './actions-query.js';

/** A page of actions and the address of the next one. */
export interface ActionsPage<Action> {
  readonly actions: readonly Action[];
  readonly links: { readonly next: string | null };
}

/**
 * One page out of all actions of a transaction.
 *
 * @param actions or what they are made of; only those of the page need to be made.
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

/** Keeps the bounds on the far side; the near side goes on from the last action shown. */
function nextLink(path: string, { index, limit, order }: ActionsQuery, last: number): string {
  const far = order === 'asc' ? ['lt', 'lte'] : ['gt', 'gte'];
  const kept = index
    .filter(({ operator }) => far.includes(operator))
    .map(({ operator, value }) => `${operator}:${value}`);
  const near = `${order === 'asc' ? 'gt' : 'lt'}:${last}`;
  const query = [`limit=${limit}`, `order=${order}`, ...[...kept, near].map((bound) => `index=${bound}`)];
  return `${path}?${query.join('&')}`;
}
