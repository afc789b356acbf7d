import { describe, expect, it } from '@jest/globals';
import { readActionsQuery } from './actions-query.js';

describe('readActionsQuery', () => {
  it('has defaults for everything', () => {
    expect(readActionsQuery({})).toEqual({ index: [], limit: 25, order: 'asc' });
  });

  it('reads bounds, one or several', () => {
    expect(readActionsQuery({ index: '7' }).index).toEqual([{ operator: 'eq', value: 7 }]);
    expect(readActionsQuery({ index: ['gte:1', 'lt:5'] }).index).toEqual([
      { operator: 'gte', value: 1 },
      { operator: 'lt', value: 5 },
    ]);
  });

  it('counts a greater limit as 100', () => {
    expect(readActionsQuery({ limit: '5000' }).limit).toBe(100);
  });

  it.each([
    [{ index: 'ne:1' }, 'Invalid parameter: index'],
    [{ index: '-1' }, 'Invalid parameter: index'],
    [{ index: Array.from({ length: 11 }, () => 'gte:0') }, 'Invalid parameter: index'],
    [{ index: { a: '1' } }, 'Invalid parameter: index'],
    [{ limit: '0' }, 'Invalid parameter: limit'],
    [{ limit: ['1', '2'] }, 'Invalid parameter: limit'],
    [{ order: 'up' }, 'Invalid parameter: order'],
    [{ timestamp: '1' }, 'Unknown query parameter: timestamp'],
  ])('refuses %j', (query, message) => {
    expect(() => readActionsQuery(query)).toThrow(
      expect.objectContaining({ response: { _status: { messages: [{ message }] } } }),
    );
  });
});
