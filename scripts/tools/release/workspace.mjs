import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';

/** The root of the repository. */
export const root = join(import.meta.dirname, '../../..');

/** The program of changesets. */
export const CHANGESETS = join(import.meta.dirname, 'node_modules/@changesets/cli/bin.js');

/** A failure that a maintainer can fix, printed without a stack trace. */
export class ReleaseError extends Error {
  name = 'ReleaseError';
}

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const workspaceFile = () => readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');

/** Runs a program, and returns its standard output. */
export function run(program, words, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8', cwd: root, ...options });
  if (status === 0) return stdout;
  const output = [error?.message, stdout, stderr].filter(Boolean).join('\n').trim();
  throw new ReleaseError(`${[program, ...words].join(' ')} failed:\n${output}`);
}

/**
 * Lists the published packages: those of the workspace that are not private, each after its dependencies.
 *
 * @returns name, folder (relative to the root) and manifest of each.
 */
export function findPackages() {
  const patterns = /^packages:\n((?: {2}- .*\n)+)/m.exec(workspaceFile())?.[1].match(/[^\s-].*$/gm) ?? [];
  const all = globSync(
    patterns.map((pattern) => `${pattern}/package.json`),
    { cwd: root },
  ).map((path) => ({ folder: dirname(path), manifest: readJson(join(root, path)) }));
  const isPrivate = new Set(all.filter(({ manifest }) => manifest.private).map(({ manifest }) => manifest.name));
  const left = all.filter(({ manifest }) => !manifest.private).map((each) => ({ name: each.manifest.name, ...each }));
  for (const { name, manifest } of left) {
    const wrong = listNeeds(manifest).filter((need) => isPrivate.has(need));
    if (wrong.length > 0) throw new ReleaseError(`${name} needs ${wrong.join(', ')}, which is private: bundle it.`);
  }
  const sorted = [];
  while (left.length > 0) {
    const index = left.findIndex(({ manifest }) => !left.some(({ name }) => listNeeds(manifest).includes(name)));
    if (index < 0)
      throw new ReleaseError(`These packages depend on each other: ${left.map(({ name }) => name).join(', ')}`);
    sorted.push(...left.splice(index, 1));
  }
  return sorted;
}

/** Lists the packages that a package needs at runtime. */
function listNeeds({ dependencies, peerDependencies, optionalDependencies }) {
  return Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
}

/** Builds packages if they have changed. */
export function buildPackages(names) {
  const filters = names.map((name) => `--filter=${name}`);
  run(process.execPath, ['scripts/turbo.mjs', 'run', 'build', 'compile', ...filters, '--output-logs=errors-only']);
}

/** Returns the version of a package in the catalog. */
export function getCatalogVersion(name) {
  const line = new RegExp(`^  '?${name}'?: (\\S+)$`, 'm').exec(workspaceFile());
  if (line === null) throw new ReleaseError(`The peer ${name} is not in the catalog of pnpm-workspace.yaml.`);
  return line[1];
}

/** Lists changed files of the work tree, in git's format. */
export function listChanges() {
  return execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
}

/** Lists the unreleased notes of changes. */
export function listNotes() {
  return globSync('.changeset/*.md', { cwd: root }).filter((path) => !path.endsWith('README.md'));
}

/** Reads `repository` of the root package.json, the one setting for the links of all packages; null if unset. */
export function readRepository() {
  return readJson(join(root, 'package.json')).repository ?? null;
}

/**
 * Makes a package's links from the repository's URL.
 *
 * @returns the fields of its package.json, and its README with absolute links, since npm's page has no other files.
 */
export function linkPackage(url, folder, readme) {
  const toUrl = (_, path) => `](${url}/blob/HEAD/${posix.join(folder, path)})`;
  return {
    fields: {
      repository: { type: 'git', url: `git+${url}.git`, directory: folder },
      homepage: `${url}/tree/HEAD/${folder}#readme`,
      bugs: { url: `${url}/issues` },
    },
    readme: readme.replaceAll(/\]\((?![a-z]+:|#)([^)\s]+)\)/g, toUrl),
  };
}

/** Copies the files to pack into a separate workspace, so that the work tree stays unchanged. */
export function stagePackages(packages, target) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const name of ['.changeset', '.npmrc', 'LICENSE', 'package.json', 'pnpm-workspace.yaml'])
    cpSync(join(root, name), join(target, name), { recursive: true });
  for (const each of packages) stagePackage(each, packages, target);
}

/** Writes the next versions and changelogs of all staged packages, like `changeset version`. */
export function stageVersions(target) {
  if (listNotes().length === 0) return;
  const settings = join(target, '.changeset', 'config.json');
  writeFileSync(settings, JSON.stringify({ ...readJson(settings), format: false }));
  run(process.execPath, [CHANGESETS, 'version'], { cwd: target });
}

function stagePackage({ name, folder, manifest }, packages, target) {
  const to = join(target, folder);
  const { devDependencies: _tools, scripts: _commands, ...published } = manifest;
  mkdirSync(to, { recursive: true });
  const wanted = (manifest.files ?? []).filter((path) => !path.startsWith('!')).map((path) => path.split('/')[0]);
  if (!wanted.includes('CHANGELOG.md')) throw new ReleaseError(`${name}: "files" must name CHANGELOG.md.`);
  for (const path of new Set([...wanted, 'README.md', 'CHANGELOG.md'])) {
    const from = join(root, folder, path);
    if (existsSync(from)) cpSync(from, join(to, path), { recursive: true });
    else if (path !== 'CHANGELOG.md') throw new ReleaseError(`${name} has no ${path}. Is it built?`);
  }
  const url = readRepository();
  if (url !== null) {
    const file = join(to, 'README.md');
    const { fields, readme } = linkPackage(url, folder, readFileSync(file, 'utf8'));
    Object.assign(published, fields);
    writeFileSync(file, readme);
  }
  writeFileSync(join(to, 'package.json'), JSON.stringify(published, null, 2));
  // pnpm reads the version of a sibling through its link.
  for (const sibling of packages.filter((each) => listNeeds(manifest).includes(each.name))) {
    const link = join(to, 'node_modules', sibling.name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(relative(dirname(link), join(target, sibling.folder)), link, 'dir');
  }
}

/** Packs staged packages. Returns each with its tarball and the packed files. */
export function packPackages(packages, stage, target) {
  mkdirSync(target, { recursive: true });
  const filters = packages.flatMap(({ name }) => ['--filter', name]);
  const words = ['--yes', 'pnpm@12.21.0', '--recursive', ...filters, 'pack', '--pack-destination', target, '--json'];
  const packed = [JSON.parse(run('npx', words, { cwd: stage }))].flat();
  return packages.map((each) => {
    const { version, filename, files } = packed.find(({ name }) => name === each.name);
    return { ...each, version, tarball: filename, files: files.map(({ path }) => path) };
  });
}
