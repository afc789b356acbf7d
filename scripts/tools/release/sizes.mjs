import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { listCommands, listEntries } from './installation.mjs';

const RECORD = join(import.meta.dirname, 'sizes.json');
/** Allowed difference of a size from its record, as a share or in bytes. */
const TOLERANCE = 0.05;
const TOLERANCE_BYTES = 512;
/** The exports that pages use of a package, measured in addition to all exports: a bundler drops the rest. */
const USES = {
  '@causeway/sdk': {
    'quote and status': ['connectBridge', 'getQuote', 'getStatus'],
    deposit: ['connectBridge', 'deposit', 'fromProvider'],
  },
};

/** Measures a packed and installed package, in bytes. */
export async function measurePackage(each, folder) {
  const { name, manifest, tarball, files } = each;
  const installed = join(folder, 'node_modules', name);
  const sizes = {
    packed: statSync(tarball).size,
    unpacked: files.reduce((sum, file) => sum + statSync(join(installed, file)).size, 0),
  };
  // Commands run in Node without bundling. The verifier has a library, too, which pages use.
  if (listCommands(name, manifest).length > 0 && name !== '@causeway/verifier') return sizes;
  for (const { specifier, file, types } of listEntries(each, folder))
    if (types !== null) sizes[specifier] = await measureBundle(JSON.stringify(file), folder, '*', manifest);
  for (const [use, names] of Object.entries(USES[name] ?? {}))
    sizes[use] = await measureBundle(JSON.stringify(name), folder, `{${names}}`, manifest);
  return sizes;
}

/** Measures exports of a module in a web page: minified and gzipped, without viem, ethers and other peers. */
export async function measureBundle(module, folder, names = '*', manifest = {}) {
  const { outputFiles } = await bundle(module, folder, names, manifest);
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

/** Returns the minified bytes of a bundle by the folder that they come from, largest first. */
export async function listParts(module, folder, names = '*') {
  const { metafile } = await bundle(module, folder, names);
  const parts = new Map();
  for (const [file, { bytesInOutput }] of Object.entries(Object.values(metafile.outputs)[0].inputs)) {
    const part = file
      .replace(/^.*\/(?=(contracts|protocol|sdk)\/dist)/, '')
      .replace(/\/[^/]*$/, '')
      .replace('/dist', '');
    parts.set(part, (parts.get(part) ?? 0) + bytesInOutput);
  }
  return [...parts].filter(([, bytes]) => bytes > 0).toSorted(([, a], [, b]) => b - a);
}

async function bundle(module, folder, names, { peerDependencies = {} } = {}) {
  const external = ['viem', 'ethers', ...Object.keys(peerDependencies)].flatMap((peer) => [peer, `${peer}/*`]);
  return build({
    stdin: { contents: `export ${names} from ${module}`, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    external: [...external, 'node:*'],
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
}

/** Compares sizes by package with the record. Returns a sentence for each changed size. */
export function compareSizes(sizes) {
  const recorded = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : {};
  return Object.entries(sizes).flatMap(([name, figures]) =>
    Object.entries(figures).flatMap(([figure, bytes]) => {
      const before = recorded[name]?.[figure];
      if (before === undefined) return [`${name}, ${figure}: no recorded size`];
      if (Math.abs(bytes - before) <= Math.max(TOLERANCE_BYTES, TOLERANCE * before)) return [];
      return [`${name}, ${figure}: ${formatKilobytes(before)} kB were recorded, now ${formatKilobytes(bytes)} kB`];
    }),
  );
}

/** Records sizes by package. */
export function recordSizes(sizes) {
  writeFileSync(RECORD, `${JSON.stringify(sizes, null, 2)}\n`);
}

/** Formats bytes in kB with one decimal. */
export function formatKilobytes(bytes) {
  return (bytes / 1_000).toFixed(1);
}
