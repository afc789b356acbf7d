import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { describeRelease, readRelease } from './release.js';

describe('readRelease', () => {
  let root: string;
  let bundle: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'causeway-release-'));
    bundle = join(root, 'dist/bundle');
    mkdirSync(bundle, { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('reads the file of an image first, then the package, and else knows neither', () => {
    expect(readRelease(bundle)).toEqual({ version: '0.0.0', commit: 'development' });
    writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'x', version: '1.2.3' }));
    expect(readRelease(bundle)).toEqual({ version: '1.2.3', commit: 'development' });
    writeFileSync(join(bundle, 'release.json'), JSON.stringify({ version: '2.0.0', commit: 'abc1234' }));
    expect(readRelease(bundle)).toEqual({ version: '2.0.0', commit: 'abc1234' });
  });

  it('refuses a file of another form', () => {
    writeFileSync(join(bundle, 'release.json'), '{"version":2}');
    expect(() => readRelease(bundle)).toThrow('version');
  });

  it('is one line of --version', () => {
    expect(describeRelease('relayer', { version: '2.0.0', commit: 'abc1234' })).toBe('relayer 2.0.0 (abc1234)');
  });
});
