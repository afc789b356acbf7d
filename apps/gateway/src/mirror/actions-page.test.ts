import { describe, expect, it } from '@jest/globals';
import { pageOfActions } from './actions-page.js';
import { readActionsQuery } from './actions-query.js';

const PATH = '/api/v1/contracts/results/0x12/actions';
const ACTIONS = Array.from({ length: 7 }, (_, index) => ({ index }));

/** Follows the links to the end. */
function walk(query: Record<string, string | string[]>): number[][] {
  const pages: number[][] = [];
  let next: Record<string, string | string[]> | null = query;
  while (next !== null && pages.length < 20) {
    const page = pageOfActions(ACTIONS, readActionsQuery(next), PATH);
    pages.push(page.actions.map(({ index }) => index));
    if (page.links.next === null) return pages;
    const { searchParams, pathname } = new URL(page.links.next, 'http://localhost');
    expect(pathname).toBe(PATH);
    next = Object.fromEntries([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]));
    next = { ...next, limit: searchParams.get('limit') ?? '', order: searchParams.get('order') ?? '' };
  }
  return pages;
}

describe('pageOfActions', () => {
  it('leads through all actions by its links', () => {
    expect(walk({ limit: '3' })).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
    expect(walk({ limit: '3', order: 'desc' })).toEqual([[6, 5, 4], [3, 2, 1], [0]]);
  });

  it('keeps the far bound on the way', () => {
    expect(walk({ limit: '2', index: ['gte:1', 'lt:5'] })).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(walk({ limit: '2', index: ['gt:1', 'lte:5'], order: 'desc' })).toEqual([
      [5, 4],
      [3, 2],
    ]);
  });

  it('has no next link when the page is full and the last', () => {
    expect(walk({ limit: '7' })).toEqual([[0, 1, 2, 3, 4, 5, 6]]);
  });

  it('is empty when nothing matches', () => {
    expect(pageOfActions(ACTIONS, readActionsQuery({ index: '9' }), PATH)).toEqual({
      actions: [],
      links: { next: null },
    });
  });
});
