import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FirstView } from '@causeway/test-kit';
import { describe, expect, it } from '@jest/globals';

const DIST = join(import.meta.dirname, '../dist');
/** Code that signs or sends: methods of wallets, the ABI coder and errors of viem. */
const WALLET_CODE = /eth_sendTransaction|eth_signTypedData|wallet_switchEthereumChain|AbiEncoding/;

const readFirstView = (page: string) => new FirstView(DIST, 'index.html', page);
const assets = readdirSync(join(DIST, 'assets')).map((file) => readFileSync(join(DIST, 'assets', file)));

describe('the first view', () => {
  it.each([
    ['/', 'src/move/move-page.tsx', 230_000],
    ['/transfer/…', 'src/find/transfer-page.tsx', 150_000],
  ])('of %s is small', (_, page, mostBytes) => {
    expect(readFirstView(page).gzipBytes).toBeLessThanOrEqual(mostBytes);
  });

  it.each([
    'src/find/transfer-page.tsx',
    'src/find/find-page.tsx',
    'src/find/history-page.tsx',
    'src/find/refund-page.tsx',
    'src/status/status-page.tsx',
  ])('of %s has no wallet code', (page) => {
    expect(readFirstView(page).contents.join('\n')).not.toMatch(WALLET_CODE);
  });

  it('is searched with a pattern that finds such code in other files', () => {
    expect(assets.join('\n')).toMatch(WALLET_CODE);
  });
});
