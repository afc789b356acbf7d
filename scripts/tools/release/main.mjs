import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { installPackages, useInstalled } from './installation.mjs';
import { recordOpenApi } from './openapi.mjs';
import { findObstacles, publishPackages } from './publish.mjs';
import { compareSizes, formatKilobytes, measurePackage, recordSizes } from './sizes.mjs';
import { compareSurface, describeSurface, recordSurface } from './surface.mjs';
import { findProblems } from './tarball.mjs';
import {
  CHANGESETS,
  findPackages,
  buildPackages,
  packPackages,
  ReleaseError,
  root,
  run,
  stagePackages,
  stageVersions,
} from './workspace.mjs';

const HELP = `Usage: npx pnpm@12.21.0 release <--dry-run | --update-api | --prepare | --publish>

Packs every package of the workspace that is not private into .release, and checks the tarballs:
files, publint, arethetypeswrong, the API and the sizes that are recorded, an installation with npm
in an empty folder, and the import of every entry point. docs/contribute/releasing.md says when to do what.
  --dry-run     checks, and keeps the tarballs in .release
  --update-api  checks, and records the current API (api.md) and sizes (scripts/tools/release/sizes.json)
  --prepare     writes versions and changelogs from .changeset, freezes migrations, and records API, sizes and
                OpenAPI document
  --publish     checks, publishes the tarballs that the registry lacks, and tags the versions
`;
const FLAGS = ['dry-run', 'update-api', 'prepare', 'publish'];
const target = join(root, '.release');
const startedAtMs = performance.now();
const report = (text) =>
  console.log(`${((performance.now() - startedAtMs) / 1_000).toFixed(1).padStart(5)} s  ${text}`);

function readMode() {
  const options = Object.fromEntries(['help', ...FLAGS].map((flag) => [flag, { type: 'boolean' }]));
  const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } });
  if (values.help) return 'help';
  const modes = FLAGS.filter((flag) => values[flag]);
  if (modes.length !== 1) throw new ReleaseError(`Give one of ${FLAGS.map((flag) => `--${flag}`).join(', ')}.`);
  return modes[0];
}

/** Packs and installs. Returns the packages and the installation folder. */
function makeTarballs() {
  const packages = findPackages();
  report(`${packages.length} packages: ${packages.map(({ name }) => name).join(', ')}`);
  // Removes files of older builds, which would be packed too. The task cache restores the current ones.
  for (const { folder } of packages) rmSync(join(root, folder, 'dist'), { recursive: true, force: true });
  buildPackages(packages.map(({ name }) => name));
  report('built');
  rmSync(target, { recursive: true, force: true });
  const stage = join(target, 'workspace');
  stagePackages(packages, stage);
  stageVersions(stage);
  const packed = packPackages(packages, stage, target);
  rmSync(stage, { recursive: true });
  for (const { tarball, files } of packed) report(`packed ${relative(root, tarball)}: ${files.length} files`);
  const folder = installPackages(packed);
  report('installed in an empty folder');
  return { packed, folder };
}

/** Compares API and sizes of installed packages with the records. Returns problems, and sizes by name. */
async function compareWithRecords(packed, folder, isRecording) {
  const problems = [];
  const sizes = {};
  for (const each of packed) {
    const surface = await describeSurface(each, folder);
    if (isRecording) recordSurface(each, surface);
    const difference = compareSurface(each, surface);
    if (difference !== null)
      problems.push(
        `The API of ${each.name} differs from the record. If intended: release --update-api\n${difference}`,
      );
    sizes[each.name] = await measurePackage(each, folder);
  }
  if (isRecording) recordSizes(sizes);
  const changed = compareSizes(sizes);
  if (changed.length > 0) problems.push(`Sizes have changed. If intended: release --update-api\n${changed.join('\n')}`);
  return { problems, sizes };
}

function printTable(packed, sizes) {
  const rows = packed.map(({ name, version, files }) => {
    const { packed: small, unpacked, [name]: entry } = sizes[name];
    const kilobytes = [small, unpacked, entry].map((bytes) => (bytes === undefined ? '-' : formatKilobytes(bytes)));
    return [name, version, String(files.length), ...kilobytes];
  });
  const table = [['package', 'version', 'files', 'packed kB', 'unpacked kB', 'entry gzip kB'], ...rows];
  const widths = table[0].map((_, column) => Math.max(...table.map((cells) => cells[column].length)));
  console.log();
  for (const cells of table)
    console.log(cells.map((cell, i) => (i < 2 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '));
  console.log();
}

async function release(mode) {
  const obstacles = mode === 'publish' ? findObstacles() : [];
  if (obstacles.length > 0) throw new ReleaseError(obstacles.join('\n'));
  if (mode === 'prepare') {
    run(process.execPath, [CHANGESETS, 'version'], { stdio: 'inherit' });
    run(process.execPath, [join(root, 'scripts/migrations.mjs'), '--freeze'], { stdio: 'inherit' });
  }
  const { packed, folder } = makeTarballs();
  try {
    const findIn = (each) => findProblems(each, join(folder, 'node_modules', each.name));
    const wrong = (await Promise.all(packed.map(findIn))).flat();
    if (wrong.length > 0) throw new ReleaseError(wrong.join('\n\n'));
    report('checked files, manifests and types');
    const { entries, commands } = useInstalled(packed, folder);
    report(`imported ${entries} entry points, started ${commands} commands`);
    const isRecording = mode === 'prepare' || mode === 'update-api';
    const { problems, sizes } = await compareWithRecords(packed, folder, isRecording);
    printTable(packed, sizes);
    if (problems.length > 0) throw new ReleaseError(problems.join('\n\n'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (mode === 'prepare') await recordOpenApi();
  if (mode === 'publish') publishPackages(packed);
  else for (const obstacle of findObstacles()) report(`Before a release: ${obstacle}`);
  report(`the tarballs are in ${relative(process.cwd(), target)}`);
}

try {
  const mode = readMode();
  if (mode === 'help') process.stdout.write(HELP);
  else await release(mode);
} catch (error) {
  const isExpected = error instanceof ReleaseError || error.code?.startsWith('ERR_PARSE_ARGS');
  console.error(isExpected ? `\n${error.message}` : error);
  process.exitCode = 1;
}
