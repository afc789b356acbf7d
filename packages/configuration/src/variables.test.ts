import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ConfigurationError, getExitCode, readEach } from './configuration-error.js';
import { exampleFile, referenceTable, variablesHelp } from './documents.js';
import { isUrl, list, optionalList, privateKey, wholeNumber } from './values.js';
import { readVariables } from './variables.js';

const RULE = 'must be https:// addresses, separated by commas';
const isHttps = (entry: string) => isUrl(entry, ['https:']);
const variables = z.object({
  NODES: list(RULE, isHttps).meta({ description: 'Nodes to ask.', isSecret: true, example: 'https://a.example' }),
  KEY: privateKey.optional().meta({ description: 'Key of the wallet.', isSecret: true }),
  PORT: wholeNumber(0, 65_535).default(80).describe('Port to listen on.'),
  ORIGINS: optionalList('must be * or names, separated by commas', (entry) => /^(\*|\w+)$/.test(entry)).describe(
    'Pages.',
  ),
});
const good = { NODES: 'https://a.example/key, https://b.example' };

function collectProblems(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    expect(error.message.split('\n')).toEqual([expect.stringContaining('--help'), ...error.problems]);
    return error.problems;
  }
  throw new Error('The configuration was accepted');
}

describe('readVariables', () => {
  it('parses values, and takes defaults for missing and empty variables', () => {
    expect(readVariables(variables, { ...good, PORT: '', OTHER: 'x' })).toEqual({
      NODES: ['https://a.example/key', 'https://b.example'],
      PORT: 80,
      ORIGINS: [],
    });
    expect(readVariables(variables, { ...good, PORT: '0', ORIGINS: ' a,b, ' })).toMatchObject({
      PORT: 0,
      ORIGINS: ['a', 'b'],
    });
  });

  it('names all that are missing or wrong, one line each, without a value', () => {
    const wrong = { KEY: '0x5ec7e7', PORT: 'secret', ORIGINS: 'my secret' };
    expect(collectProblems(() => readVariables(variables, wrong))).toEqual([
      `NODES is not set; it ${RULE}`,
      'KEY must be 0x and 64 hex digits',
      'PORT must be a whole number from 0 to 65535',
      'ORIGINS must be * or names, separated by commas',
    ]);
    for (const NODES of ['http://secret.example', 'https://a.example,', ',', 'https://'])
      expect(collectProblems(() => readVariables(variables, { NODES }))).toEqual([`NODES ${RULE}`]);
  });
});

describe('wholeNumber', () => {
  it.each(['0', '65535', '00080'])('accepts %s', (text) => {
    expect(wholeNumber(0, 65_535).parse(text)).toBe(Number(text));
  });

  it.each(['65536', '-1', '1e3', '0x10', '1.0', '', ' 1', '99999999999999999'])('refuses "%s"', (text) => {
    expect(wholeNumber(0, 65_535).safeParse(text).success).toBe(false);
  });
});

describe('readEach', () => {
  const refuse =
    (...problems: string[]) =>
    () => {
      throw new ConfigurationError(problems);
    };

  it('returns every part, or the problems of all', () => {
    expect(readEach({ one: () => 1, two: () => 'two' })).toEqual({ one: 1, two: 'two' });
    expect(collectProblems(() => readEach({ one: refuse('a', 'b'), two: () => 2, three: refuse('c') }))).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('passes on other errors', () => {
    const broken = () => {
      throw new TypeError('broken');
    };
    expect(() => readEach({ one: refuse('a'), two: broken })).toThrow(TypeError);
  });
});

describe('the documents', () => {
  it('--help has every variable with its purpose, values and default', () => {
    expect(variablesHelp(variables).split('\n')).toEqual([
      'Environment variables:',
      '  NODES',
      '      Nodes to ask. Required.',
      '      Accepts https:// addresses, separated by commas.',
      '  KEY',
      '      Key of the wallet.',
      '      Accepts 0x and 64 hex digits.',
      '  PORT',
      '      Port to listen on. Default: 80.',
      '      Accepts a whole number from 0 to 65535.',
      '  ORIGINS',
      '      Pages.',
      '      Accepts * or names, separated by commas.',
    ]);
  });

  it('the table marks secrets, and escapes what Markdown would read', () => {
    expect(referenceTable(variables).split('\n').slice(2)).toEqual([
      '| `NODES` | Nodes to ask. **Secret.** | https:// addresses, separated by commas | required |',
      '| `KEY` | Key of the wallet. **Secret.** | 0x and 64 hex digits |  |',
      '| `PORT` | Port to listen on. | a whole number from 0 to 65535 | `80` |',
      '| `ORIGINS` | Pages. | \\* or names, separated by commas |  |',
    ]);
  });

  it('the example sets required variables, and shows the defaults of the others', () => {
    const [, ...entries] = exampleFile('test', variables).trim().split('\n\n');
    expect(entries).toEqual([
      '# Nodes to ask.\nNODES=https://a.example',
      '# Key of the wallet.\n# KEY=',
      '# Port to listen on.\n# PORT=80',
      '# Pages.\n# ORIGINS=',
    ]);
  });
});

describe('getExitCode', () => {
  it('is 1, unless the error has its own', () => {
    expect(getExitCode(new ConfigurationError(['a']))).toBe(1);
    expect(getExitCode(Object.assign(new Error('x'), { exitCode: 78 }))).toBe(78);
  });
});
