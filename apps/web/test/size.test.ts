import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';

const DIST = join(import.meta.dirname, '../dist');
/** Code that signs or sends: methods of wallets, the ABI coder and errors of viem. */
const WALLET_CODE = /eth_sendTransaction|eth_signTypedData|wallet_switchEthereumChain|AbiEncoding/;

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
}

const manifest = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;

/** The files of a chunk and of everything that it imports. */
function collectFiles(names: readonly string[], seen = new Set<string>()): ReadonlySet<string> {
  for (const name of names) {
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`the build has no ${name}`);
    if (seen.has(chunk.file)) continue;
    for (const file of [chunk.file, ...(chunk.css ?? [])]) seen.add(file);
    collectFiles(chunk.imports ?? [], seen);
  }
  return seen;
}

function readFirstView(page: string): readonly Buffer[] {
  const files = ['index.html', 'theme.js', ...collectFiles(['index.html', page])];
  return files.map((file) => readFileSync(join(DIST, file)));
}

const assets = readdirSync(join(DIST, 'assets')).map((file) => readFileSync(join(DIST, 'assets', file)));
const measure = (contents: readonly Buffer[]) => contents.reduce((sum, each) => sum + gzipSync(each).length, 0);

describe('the first view', () => {
  it.each([
    ['/', 'src/move/move-page.tsx', 230_000],
    ['/transfer/…', 'src/find/transfer-page.tsx', 150_000],
  ])('of %s is small', (_, page, mostBytes) => {
    expect(measure(readFirstView(page))).toBeLessThanOrEqual(mostBytes);
  });

  it.each([
    'src/find/transfer-page.tsx',
    'src/find/find-page.tsx',
    'src/find/history-page.tsx',
    'src/find/refund-page.tsx',
    'src/status/status-page.tsx',
  ])('of %s has no wallet code', (page) => {
    expect(readFirstView(page).join('\n')).not.toMatch(WALLET_CODE);
  });

  it('is searched with a pattern that finds such code in other files', () => {
    expect(assets.join('\n')).toMatch(WALLET_CODE);
  });
});
