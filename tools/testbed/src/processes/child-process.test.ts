import { describe, expect, it } from '@jest/globals';
import { lastErrorLine } from './child-process.js';

describe('the last error line of a process', () => {
  it('is the message of an uncaught error, not the last line that Node prints', () => {
    const output = `file:///app/main.js:3
throw new TypeError('the database is gone');
      ^

TypeError: the database is gone
    at file:///app/main.js:3:7
    at ModuleJob.run (node:internal/modules/esm/module_job:343:25) {
  code: 'ECONNREFUSED'
}

Node.js v24.21.0
`;
    expect(lastErrorLine(output)).toBe('TypeError: the database is gone');
  });

  it('is the last error record of pino, with the message of its error', () => {
    const output = [
      '{"level":50,"msg":"A stage failed","err":{"message":"no connection"}}',
      '{"level":30,"msg":"stopping"}',
    ].join('\n');
    expect(lastErrorLine(output)).toBe('A stage failed: no connection');
  });

  it('is the last line of a process that printed no error', () => {
    expect(lastErrorLine('starting\nPORT must be a number\n')).toBe('PORT must be a number');
    expect(lastErrorLine('')).toBe('');
  });

  it('is the PANIC of PostgreSQL on a full disk', () => {
    const output = 'PANIC:  could not write to file: No space left on device\nLOG:  shutting down\n';
    expect(lastErrorLine(output)).toBe('PANIC:  could not write to file: No space left on device');
  });
});
