import { cpSync, existsSync, globSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { listLibraries } from '../../scripts/bundled-libraries.mjs';
import { ImageError } from './programs.mjs';

/** The images, each with the package of its bundle. */
export const SERVICES = {
  api: {
    folder: 'apps/api',
    /** The API's own build does not include the console and the page for people. */
    beside: ['apps/admin', 'apps/web'],
    /** Built pages that the service finds by a variable, by their place in the image. */
    pages: { web: 'apps/web' },
    title: 'Causeway API',
    description: 'The REST API, the console and its API, and the page for people',
  },
  gateway: { folder: 'apps/gateway', title: 'Causeway gateway', description: 'JSON-RPC of the partner chain' },
  relayer: { folder: 'apps/relayer', title: 'Causeway relayer', description: 'The pipeline and its commands' },
  attester: {
    folder: 'apps/attester',
    title: 'Causeway attester',
    description: 'Judges deliveries and refunds, and signs what the chains owe',
  },
  watchtower: {
    folder: 'apps/watchtower',
    title: 'Causeway watchtower',
    description: 'Judges both chains, and pauses the contracts when a delivery is not owed',
  },
  commands: { folder: 'packages/admin-cli', title: 'causeway-admin', description: "The operators' commands" },
};

/** A file that the code resolves by package name: `resolve("@causeway/store/prisma/schema.prisma")`. */
const FILE_OF_PACKAGE = /\("((@causeway\/[\w-]+|swagger-ui-dist)\/([^"]+))"\)/g;

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/**
 * Assembles the files of a service's image: the bundle, the packages next to it, files that it reads by path, and the
 * release.
 *
 * @param root The root of the repository, built.
 * @param service A key of SERVICES.
 * @param release version, commit and time of the build.
 * @param target The folder, which becomes /opt/causeway.
 * @returns name, version and licence of every library in the image.
 */
export function assembleService(root, service, release, target) {
  const source = join(root, SERVICES[service].folder);
  const { beside, libraries } = readJson(join(source, 'dist/bundle.json'));
  cpSync(join(source, 'dist/bundle'), join(target, 'dist/bundle'), { recursive: true });
  cpSync(join(source, 'package.json'), join(target, 'package.json'));
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  writeFileSync(join(target, 'dist/bundle/release.json'), `${JSON.stringify(release, null, 2)}\n`);
  const require = createRequire(join(source, 'package.json'));
  const modules = join(target, 'node_modules');
  return [
    ...libraries,
    ...beside.flatMap((name) => copyPackage(findPackage(require, name), modules)),
    ...copyFilesOfPackages(source, require, modules),
    ...Object.entries(SERVICES[service].pages ?? {}).flatMap(([place, page]) =>
      copyPage(join(root, page), join(target, place)),
    ),
  ];
}

/** Copies a built page. Returns the libraries in its scripts. */
function copyPage(source, target) {
  copyShown(join(source, 'dist'), target);
  return listScripts(source);
}

/** Copies a file, or a folder without its hidden files. */
function copyShown(from, to) {
  cpSync(from, to, { recursive: true, filter: (path) => !basename(path).startsWith('.') });
}

/** Copies a package and its dependencies as npm would install them: flat, and within `parent` if versions differ. */
function copyPackage(folder, modules, parent = modules) {
  const { name, version, license, dependencies, optionalDependencies } = readJson(join(folder, 'package.json'));
  const isTaken = existsSync(join(modules, name));
  if (isTaken && readJson(join(modules, name, 'package.json')).version === version) return [];
  const to = join(isTaken ? parent : modules, name);
  cpSync(folder, to, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
  const require = createRequire(join(folder, 'package.json'));
  const needed = [
    ...Object.keys(dependencies ?? {}).map((each) => findPackage(require, each)),
    // Packages for other systems are not installed.
    ...Object.keys(optionalDependencies ?? {}).flatMap((each) => findPackage(require, each, false) ?? []),
  ];
  return [
    { name, version, license },
    ...needed.flatMap((each) => copyPackage(each, modules, join(to, 'node_modules'))),
  ];
}

/** Finds the folder of an installed package, even if it does not export its package.json. */
function findPackage(require, name, isNeeded = true) {
  const folder = require.resolve.paths(name)?.find((path) => existsSync(join(path, name, 'package.json')));
  // A package's dependencies are linked next to its real path.
  if (folder !== undefined) return realpathSync(join(folder, name));
  if (isNeeded) throw new ImageError(`The package ${name} is not installed.`);
  return undefined;
}

/** Copies files that a bundle resolves by package name. Returns the libraries among them. */
function copyFilesOfPackages(source, require, modules) {
  const { name: own } = readJson(join(source, 'package.json'));
  const code = globSync(join(source, 'dist/bundle/*.js')).map((path) => readFileSync(path, 'utf8'));
  const copied = new Map();
  for (const [, specifier, name, path] of code.flatMap((text) => [...text.matchAll(FILE_OF_PACKAGE)])) {
    if (name === own) continue;
    const folder = findPackage(require, name);
    const file = require.resolve(specifier);
    const to = join(modules, name);
    mkdirSync(to, { recursive: true });
    cpSync(join(folder, 'package.json'), join(to, 'package.json'));
    // Copies whole folders of our packages: the migrations are next to the schema, scripts next to the page.
    const wanted = name.startsWith('@causeway/') ? dirname(file) : file;
    if (wanted === folder) throw new ImageError(`${specifier} would copy all of ${name}, for ${path}`);
    copyShown(wanted, join(to, relative(folder, wanted)));
    copied.set(name, folder);
  }
  return [...copied].flatMap(([name, folder]) => {
    if (name === '@causeway/admin') return listScripts(folder);
    return name.startsWith('@causeway/') ? [] : [readJson(join(folder, 'package.json'))];
  });
}

/** Lists the libraries in a page's scripts, from the module lists of its builds. */
function listScripts(folder) {
  const modules = globSync('dist/.vite/**/modules.json', { cwd: folder }).flatMap((list) =>
    readJson(join(folder, list)),
  );
  return listLibraries([...new Set(modules)].map((path) => join(folder, path)));
}
