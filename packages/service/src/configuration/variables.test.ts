import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
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

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-secrets-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const KEY = `0x${'5e'.repeat(32)}`;
  const file = (content: string, mode = 0o600) => {
    const path = join(folder, `${Math.random()}`);
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };

  it.each([
    ['alone', KEY, 0o600],
    ['with a line break', `${KEY}\n`, 0o400],
    ['for its group too, with a line break of Windows', `${KEY}\r\n`, 0o440],
  ])('is read %s', (_, content, mode) => {
    expect(readVariables(variables, { ...good, KEY: '', KEY_FILE: file(content, mode) })).toMatchObject({ KEY });
  });

  it('may be a variable that is required, and needs no file when its path is empty', () => {
    const NODES_FILE = file(`${good.NODES}\n`);
    expect(readVariables(variables, { NODES_FILE }).NODES).toHaveLength(2);
    expect(readVariables(variables, { ...good, NODES_FILE: '' }).NODES).toHaveLength(2);
  });

  it.each([
    ['is missing', join(folder, 'missing'), 'cannot be read (ENOENT)'],
    ['is a folder', folder, 'is not a file'],
    ['is empty', file('\n'), 'is empty'],
    ['is long', file(KEY.repeat(1_000)), 'has more than 65536 bytes'],
    ['may be read by all', file(KEY, 0o604), 'is accessible to other users of this machine: chmod o= '],
    ['may be written by all', file(KEY, 0o602), 'is accessible to other users of this machine: chmod o= '],
  ])('is refused in one line when it %s', (_, path, reason) => {
    const problems = collectProblems(() => readVariables(variables, { ...good, KEY_FILE: path }));
    expect(problems).toEqual([expect.stringContaining(`KEY_FILE names ${path}, which ${reason}`)]);
    expect(problems.join('')).not.toContain('5e5e');
  });

  it('is refused when the variable is set too, or the value is wrong, without the value', () => {
    const [right, wrong] = [file(KEY), file('0x5e5e')];
    expect(collectProblems(() => readVariables(variables, { ...good, KEY, KEY_FILE: right }))).toEqual([
      `KEY and KEY_FILE (${right}) are both set: unset one of them`,
    ]);
    expect(collectProblems(() => readVariables(variables, { ...good, KEY_FILE: wrong }))).toEqual([
      `KEY (the content of ${wrong}) must be 0x and 64 hex digits`,
    ]);
  });

  it('that the user may not read is refused', () => {
    const path = file(KEY, 0o400);
    // Root may read every file: another user of the machine may not.
    const isRoot = process.geteuid?.() === 0;
    chmodSync(path, isRoot ? 0o400 : 0o000);
    chmodSync(folder, 0o755);
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(collectProblems(() => readVariables(variables, { ...good, KEY_FILE: path }))).toEqual([
        `KEY_FILE names ${path}, which cannot be read (EACCES)`,
      ]);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  it('is for variables that are secrets only', () => {
    expect(readVariables(variables, { ...good, PORT_FILE: '/nowhere' })).toMatchObject({ PORT: 80 });
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
      expect.stringMatching(/^Environment variables\. A secret can be read from a file: .*NAME_FILE/),
      '  NODES',
      '      Nodes to ask. Required. Secret, or in the file NODES_FILE.',
      '      Accepts https:// addresses, separated by commas.',
      '  KEY',
      '      Key of the wallet. Secret, or in the file KEY_FILE.',
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
      '| `NODES` | Nodes to ask. **Secret**, or in the file `NODES_FILE`. | https:// addresses, separated by commas | required |',
      '| `KEY` | Key of the wallet. **Secret**, or in the file `KEY_FILE`. | 0x and 64 hex digits |  |',
      '| `PORT` | Port to listen on. | a whole number from 0 to 65535 | `80` |',
      '| `ORIGINS` | Pages. | \\* or names, separated by commas |  |',
    ]);
  });

  it('the example sets required variables, and shows the defaults of the others', () => {
    const [head, ...entries] = exampleFile('test', variables).trim().split('\n\n');
    expect(head).toMatch(/^# A secret can be read from a file: /m);
    expect(entries).toEqual([
      '# Nodes to ask. Secret, or in the file NODES_FILE.\nNODES=https://a.example',
      '# Key of the wallet. Secret, or in the file KEY_FILE.\n# KEY=',
      '# Port to listen on.\n# PORT=80',
      '# Pages.\n# ORIGINS=',
    ]);
  });
});

describe('getExitCode', () => {
  it('is 1, unless the error has its own, as the configuration has', () => {
    expect(getExitCode(new Error('x'))).toBe(1);
    expect(getExitCode(new ConfigurationError(['a']))).toBe(78);
  });
});
