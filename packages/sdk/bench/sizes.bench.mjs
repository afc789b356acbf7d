import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatKilobytes, listParts, measureBundle } from '../../../scripts/tools/release/sizes.mjs';

// Compares the code that a page loads from this package with two SDKs of other bridges: minified by the same bundler,
// gzipped, without viem. Then it lists what a deposit is made of. The kits come from the registry of npm.
// Run it after a build: node bench/sizes.bench.mjs

const OWN = '@causeway/sdk';
const [LIFI, RELAY] = ['@lifi/sdk', '@relayprotocol/relay-sdk'];
const KITS = [`${LIFI}@4.3.0`, `${RELAY}@7.0.3`, 'viem@2.57.1'];
/** Target size in kilobytes. */
const GOALS = { everything: 22.3, 'quote and status': 3, deposit: 20.4 };
const ROWS = [
  ['everything', OWN, '*'],
  ['everything', LIFI, '*'],
  ['everything', RELAY, '*'],
  ['quote and status', OWN, '{ connectBridge, getQuote, getStatus }'],
  ['quote and status', LIFI, '{ getQuote, getStatus }'],
  ['deposit', OWN, '{ connectBridge, deposit, fromProvider }'],
];

const folder = mkdtempSync(join(tmpdir(), 'causeway-sizes-'));
try {
  const words = ['install', ...KITS, '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--silent'];
  execFileSync('npm', words, { cwd: folder });
  const own = JSON.stringify(join(import.meta.dirname, '..', 'dist', 'index.js'));
  const ours = new Map();
  for (const [use, kit, names] of ROWS) {
    const bytes = await measureBundle(kit === OWN ? own : JSON.stringify(kit), folder, names);
    if (kit === OWN) ours.set(use, bytes);
    const size = `${formatKilobytes(bytes)} kB`.padStart(9);
    const goal = kit === OWN && use in GOALS ? `, goal ${GOALS[use].toFixed(1)} kB` : '';
    const ratio = kit === OWN ? '' : `, ratio ${(ours.get(use) / bytes).toFixed(2)}`;
    process.stdout.write(`${use.padEnd(16)}  ${kit.padEnd(24)}  ${size}${goal}${ratio}\n`);
  }
  const parts = await listParts(own, folder, '{ connectBridge, deposit, fromProvider }');
  const all = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
  for (const [part, bytes] of parts)
    process.stdout.write(`deposit, of it    ${part.padEnd(24)}  ${((100 * bytes) / all).toFixed(0).padStart(7)} %\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
