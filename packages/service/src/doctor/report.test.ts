import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '../configuration/configuration-error.js';
import {
  error,
  formatReport,
  judgeConfiguration,
  makeReport,
  notYet,
  ok,
  runCheck,
  runChecks,
  warning,
} from './index.js';

const FINDINGS = [warning('balances', 'little is left', 'send more'), ok('signer', 'it signs')] as const;
const ORDER = ['signer', 'balances', 'keys'] as const;
const report = makeReport(FINDINGS, ORDER, 0);

describe('a report', () => {
  it('has a line for each finding, in the order of the checks, with what to do', () => {
    expect(formatReport(report, false)).toBe(
      [
        'ok       signer        it signs',
        'warning  balances      little is left -> send more',
        '0 errors, 1 warnings',
      ].join('\n'),
    );
    const walk = makeReport([...FINDINGS, notYet('keys', 'there are none', 'make some')], ORDER, 0);
    expect(formatReport(walk, false)).toMatch(/\nnot yet {2}keys {10}there are none -> make some\n.*, 1 not yet$/);
  });

  it('is the same for programs, with its time and its exit code', () => {
    expect(JSON.parse(formatReport(report, true))).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      exitCode: 0,
      findings: [
        { severity: 'ok', check: 'signer', finding: 'it signs', nextStep: null },
        { severity: 'warning', check: 'balances', finding: 'little is left', nextStep: 'send more' },
      ],
    });
  });

  it('ends with 1 after an error, and with 2 while something is still to be made', () => {
    const missing = notYet('keys', 'there are none', 'make some');
    expect(makeReport([...FINDINGS, missing], ORDER, 0).exitCode).toBe(2);
    expect(makeReport([missing, error('keys', 'two are one', 'replace it')], ORDER, 0).exitCode).toBe(1);
  });
});

describe('checks', () => {
  it('run at the same time, and one that throws is an error among the findings of the others', async () => {
    const found = await runChecks<'nodes' | 'keys'>({
      nodes: () => Promise.reject(new Error('of two\nlines \u001B[2J at https://host/secret')),
      keys: () => [ok('keys', 'they sign')],
    });
    expect(found.map(({ severity, check, finding }) => `${severity} ${check}: ${finding}`)).toEqual([
      'error nodes: the check itself failed: of two lines [2J at https://…',
      'ok keys: they sign',
    ]);
  });

  it('end, whatever hangs', async () => {
    const found = await runCheck('nodes', 'partner a', 'start it', () => new Promise(() => undefined), 10);
    expect(found).toEqual([error('nodes', 'partner a: no answer in 10 ms', 'start it')]);
  });

  it('say each reason of a connection that several addresses refused', async () => {
    const refused = new AggregateError([new Error('no ::1'), Object.assign(new Error('x'), { shortMessage: 'no v4' })]);
    const found = await runCheck('database', 'it does not answer', 'start it', () => Promise.reject(refused));
    expect(found).toEqual([error('database', 'it does not answer: no ::1, no v4', 'start it')]);
  });

  it('find each problem of a configuration, and nothing in another error', () => {
    expect(
      judgeConfiguration('configuration', new ConfigurationError(['A is not set', 'B must be 1']), 'see --help'),
    ).toEqual([
      error('configuration', 'A is not set', 'see --help'),
      error('configuration', 'B must be 1', 'see --help'),
    ]);
    expect(() => judgeConfiguration('configuration', new TypeError('x'), '')).toThrow('x');
  });
});
