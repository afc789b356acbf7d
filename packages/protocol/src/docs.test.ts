import { describe, expect, it } from '@jest/globals';
import { linkToDocs, linkToError } from './docs.js';

describe('the link to a page', () => {
  it.each([
    ['errors.md#below_minimum', undefined, 'docs/errors.md#below_minimum'],
    ['errors.md#below_minimum', '/srv/causeway/docs/', '/srv/causeway/docs/errors.md#below_minimum'],
    ['errors.md#below_minimum', 'https://docs.example', 'https://docs.example/errors/below_minimum/'],
    ['errors.md', 'https://docs.example', 'https://docs.example/errors/'],
    ['runbook.md#halted', 'https://bridge.example/docs//', 'https://bridge.example/docs/runbook/#halted'],
    ['operate/upgrade.md', 'http://127.0.0.1:3000/docs', 'http://127.0.0.1:3000/docs/operate/upgrade/'],
  ])('%s of %s is %s', (docsPath, docsUrl, link) => {
    expect(linkToDocs(docsPath, docsUrl)).toBe(link);
  });

  it('is known of errors with a docsPath only', () => {
    const error = Object.assign(new Error('x'), { docsPath: 'operate/upgrade.md' });
    expect(linkToError(error)).toBe('docs/operate/upgrade.md');
    for (const other of [new Error('x'), 'x', null, undefined]) expect(linkToError(other)).toBeNull();
  });
});
