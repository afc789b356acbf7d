import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { listCommands, listEntries } from './installation.mjs';
import { root } from './workspace.mjs';

/** Longer declarations are generated code (ABIs, bytecode, TypeChain), recorded as names and a digest. */
const MAX_LENGTH = 150_000;
const COMMENTS = /^[ \t]*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)\n/gm;

/** Returns the file that records a package's API. */
const getRecord = ({ folder }) => join(root, folder, 'api.md');

/** Describes what a user of an installed package can import and run, and which peers are required. */
export async function describeSurface(each, folder) {
  const { name, manifest } = each;
  const lines = [
    `# API of ${name}`,
    'Written by `npx pnpm@12.21.0 release --update-api`, and compared at each release.',
    `- Node: \`${manifest.engines?.node ?? 'any'}\``,
    `- Peers: ${listCodes(Object.entries(manifest.peerDependencies ?? {}).map(([peer, range]) => `${peer} ${range}`))}`,
    `- Commands: ${listCodes(listCommands(name, manifest))}`,
  ];
  for (const { specifier, types } of listEntries(each, folder)) {
    lines.push(`\n## ${specifier}`);
    if (types === null) lines.push('Data.');
    else lines.push('```ts', await bundleDeclarations(types), '```');
  }
  return `${lines.join('\n')}\n`;
}

const listCodes = (texts) => (texts.length === 0 ? 'none' : texts.map((text) => `\`${text}\``).join(', '));

/** Bundles all declarations of an entry point, without comments. Other packages stay imports. */
async function bundleDeclarations(input) {
  const plugins = [dts({ dtsOnly: true, sourcemap: false, generator: 'oxc', tsconfig: false })];
  const bundle = await rolldown({ input, plugins, external: (id) => !/^[./]/.test(id) });
  const { output } = await bundle.generate({ format: 'es' });
  await bundle.close();
  const text = output[0].code.replaceAll(COMMENTS, '').trim();
  if (text.length <= MAX_LENGTH) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return [...output[0].exports.toSorted(), `// Declarations: ${text.length} characters, sha256 ${digest}`].join('\n');
}

/** Compares a package's API with its record. Returns the difference, or null. */
export function compareSurface(each, surface) {
  const record = getRecord(each);
  if (!existsSync(record)) return `${record} does not exist`;
  if (readFileSync(record, 'utf8') === surface) return null;
  const words = ['diff', '--no-index', '--no-color', '--unified=1', record, '-'];
  return spawnSync('git', words, { input: surface, encoding: 'utf8' }).stdout.split('\n').slice(4).join('\n');
}

/** Records the API of a package. */
export function recordSurface(each, surface) {
  writeFileSync(getRecord(each), surface);
}
