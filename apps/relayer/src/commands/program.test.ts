import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { runProgram } from './program.js';

let printed: { out: string; err: string };

beforeEach(() => {
  printed = { out: '', err: '' };
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((printed.out += String(text)), true));
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => ((printed.err += String(text)), true));
});
afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = 0;
});

describe('runProgram', () => {
  it.each([
    'start',
    'halts',
    'halt',
    'resume',
    'cancel',
    'retry',
    'unmatched',
    'explain',
    'name',
    'doctor',
    'audit',
    'rebuild',
  ])('explains %s --help', async (command) => {
    await runProgram([command, '--help']);
    expect(process.exitCode).toBe(0);
    expect(printed).toEqual({ out: expect.stringContaining(`Usage: relayer ${command}`), err: '' });
  });

  it.each([[['moon']], [['halt', 'ethereum']], [['halts', '--send']], [['start', 'now']]])(
    'rejects the command line %p, and points to --help',
    async (words) => {
      await runProgram(words);
      expect(process.exitCode).toBe(1);
      expect(printed).toEqual({ out: '', err: expect.stringMatching(/^error: .*\n.*--help/) });
    },
  );
});
