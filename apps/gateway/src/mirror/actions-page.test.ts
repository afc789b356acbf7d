import { describe, expect, it } from '@jest/globals';
import { pageOfActions, readActionsQuery } from './actions-page.js';

const PATH = '/api/v1/contracts/results/0x12/actions';
const ACTIONS = Array.from({ length: 7 }, (_, index) => ({ index }));

const read = (query: string) => readActionsQuery(new URLSearchParams(query));

/** Follows the links to the end. */
function walk(query: string): number[][] {
  const pages: number[][] = [];
  let next: string | null = query;
  while (next !== null && pages.length < 20) {
    const page = pageOfActions(ACTIONS, read(next), PATH);
    pages.push(page.actions.map(({ index }) => index));
    if (page.links.next === null) return pages;
    const { search, pathname } = new URL(page.links.next, 'http://localhost');
    expect(pathname).toBe(PATH);
    next = search;
  }
  return pages;
}

describe('pageOfActions', () => {
  it('leads through all actions by its links', () => {
    expect(walk('limit=3')).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
    expect(walk('limit=3&order=desc')).toEqual([[6, 5, 4], [3, 2, 1], [0]]);
  });

  it('keeps the far bound on every page', () => {
    expect(walk('limit=2&index=gte:1&index=lt:5')).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(walk('limit=2&index=gt:1&index=lte:5&order=desc')).toEqual([
      [5, 4],
      [3, 2],
    ]);
  });

  it('has no next link when the page is full and the last', () => {
    expect(walk('limit=7')).toEqual([[0, 1, 2, 3, 4, 5, 6]]);
  });

  it('is empty when nothing matches', () => {
    expect(pageOfActions(ACTIONS, read('index=9'), PATH)).toEqual({ actions: [], links: { next: null } });
  });
});

describe('readActionsQuery', () => {
  it('has defaults for everything', () => {
    expect(read('')).toEqual({ index: [], limit: 25, order: 'asc' });
  });

  it('reads bounds, one or several', () => {
    expect(read('index=7').index).toEqual([{ operator: 'eq', value: 7 }]);
    expect(read('index=gte:1&index=lt:5').index).toEqual([
      { operator: 'gte', value: 1 },
      { operator: 'lt', value: 5 },
    ]);
  });

  it('counts a greater limit as 100', () => {
    expect(read('limit=5000').limit).toBe(100);
  });

  it.each([
    ['index=ne:1', 'Invalid parameter: index'],
    ['index=-1', 'Invalid parameter: index'],
    [Array.from({ length: 11 }, () => 'index=gte:0').join('&'), 'Invalid parameter: index'],
    ['index[a]=1', 'Unknown query parameter: index[a]'],
    ['limit=0', 'Invalid parameter: limit'],
    ['limit=1&limit=2', 'Invalid parameter: limit'],
    ['order=up', 'Invalid parameter: order'],
    ['timestamp=1', 'Unknown query parameter: timestamp'],
  ])('refuses %s', (query, message) => {
    expect(() => read(query)).toThrow(expect.objectContaining({ status: 400, message }));
  });
});
