import { cpSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { installTools } from '../../scripts/tools.mjs';
import * as turbo from '../../scripts/turbo.mjs';
import { measureImage, unpackImage } from './archive.mjs';
import { makeBase } from './base.mjs';
import { assertInstalled, ImageError, run } from './programs.mjs';
import { readRelease } from './release.mjs';
import { assembleService, SERVICES } from './services.mjs';

const HELP = `Usage: npx pnpm@12.21.0 images [--fresh] [--unpack <folder>] [service ...]

Builds the images of the services (${Object.keys(SERVICES).join(', ')}; by default all), without an engine:
the bundles, the pinned Node and a few Debian packages. Needs buildah and mmdebstrap. Writes to .images:
  <service>.tar       the image, an OCI archive
  <service>.cdx.json  its contents, in CycloneDX 1.6
Options:
  --fresh            makes a new base with the current Debian packages
  --unpack <folder>  also unpacks each image into <folder>/<service>, for systemd
`;
const root = join(import.meta.dirname, '..', '..');
const target = join(root, '.images');
const context = join(target, 'context');
const storage = join(target, 'storage');
/** Maximum size of an unpacked image. */
const MAX_BYTES = 250e6;

const startedAtMs = performance.now();
const report = (text) =>
  console.log(`${((performance.now() - startedAtMs) / 1_000).toFixed(1).padStart(5)} s  ${text}`);
const toMegabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;

function readFlags() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, fresh: { type: 'boolean' }, unpack: { type: 'string' } },
    });
    const unknown = positionals.filter((name) => !Object.hasOwn(SERVICES, name));
    if (unknown.length > 0) {
      throw new ImageError(`No image ${unknown.join(', ')}; there are ${Object.keys(SERVICES).join(', ')}.`);
    }
    return { ...values, services: positionals.length > 0 ? [...new Set(positionals)] : Object.keys(SERVICES) };
  } catch (error) {
    throw error instanceof ImageError ? error : new ImageError(error.message);
  }
}

function buildBundles(services) {
  const folders = services.flatMap((service) => [SERVICES[service].folder, ...(SERVICES[service].beside ?? [])]);
  // Removes files of older builds, which would be packed too. The task cache restores the current ones.
  for (const folder of folders) rmSync(join(root, folder, 'dist'), { recursive: true, force: true });
  const filters = folders.map((folder) => `--filter=./${folder}`);
  run(process.execPath, [turbo.program, 'run', 'build', '--output-logs=errors-only', ...filters], {
    cwd: root,
    env: turbo.environment,
  });
}

/** Runs buildah with a separate store, which is deleted after this run. */
function buildah(...words) {
  const stores = ['--root', join(storage, 'root'), '--runroot', join(storage, 'run'), '--storage-driver', 'vfs'];
  return run('buildah', [...stores, ...words], { env: { ...process.env, BUILDAH_ISOLATION: 'chroot' } });
}

function buildImage(service, release) {
  const { title, description } = SERVICES[service];
  const labels = {
    title,
    description,
    version: release.version,
    revision: release.commit,
    created: release.builtAt,
    licenses: 'MIT',
    ...(release.source === undefined ? {} : { source: release.source }),
  };
  const tag = `causeway-${service}:${release.version}`;
  buildah(
    'build',
    '--layers',
    `--timestamp=${release.epochSeconds}`,
    `--target=${service}`,
    ...Object.entries(labels).flatMap(([name, value]) => ['--label', `org.opencontainers.image.${name}=${value}`]),
    `--tag=${tag}`,
    `--file=${join(import.meta.dirname, 'Containerfile')}`,
    context,
  );
  const archive = join(target, `${service}.tar`);
  rmSync(archive, { force: true });
  buildah('push', '--quiet', tag, `oci-archive:${archive}:${tag}`);
  return archive;
}

async function makeImages({ services, fresh, unpack }) {
  assertInstalled(['buildah', 'mmdebstrap']);
  process.umask(0o022);
  rmSync(context, { recursive: true, force: true });
  rmSync(storage, { recursive: true, force: true });
  mkdirSync(join(context, 'data'), { recursive: true });
  buildBundles(services);
  report(`bundles of ${services.join(', ')}`);
  const releases = Object.fromEntries(
    services.map((service) => [service, readRelease(root, SERVICES[service].folder)]),
  );
  const { epochSeconds } = releases[services[0]];
  const base = makeBase(join(target, 'bases'), { isFresh: fresh === true, epochSeconds });
  report(`base: ${base.packages.map(({ name, version }) => `${name} ${version}`).join(', ')}`);
  cpSync(base.path, join(context, 'base.tar'));
  cpSync(process.execPath, join(context, 'node'));
  installTools('images');
  const { listContents } = await import('./contents.mjs');
  const rows = [];
  for (const service of services) {
    const { version, commit, builtAt } = releases[service];
    const libraries = assembleService(root, service, { version, commit, builtAt }, join(context, service));
    const contents = await listContents({
      name: `causeway-${service}`,
      version,
      libraries,
      debian: base.packages,
      node: process.versions.node,
      builtAt,
    });
    writeFileSync(join(target, `${service}.cdx.json`), contents);
    const archive = buildImage(service, releases[service]);
    const bytes = await measureImage(archive);
    if (bytes > MAX_BYTES)
      throw new ImageError(`${service} has ${toMegabytes(bytes)}, above ${toMegabytes(MAX_BYTES)}`);
    if (unpack !== undefined) await unpackImage(archive, join(resolve(unpack), service));
    rows.push({
      image: service,
      unpacked: toMegabytes(bytes),
      archive: toMegabytes(statSync(archive).size),
      components: JSON.parse(contents).components.length,
    });
    report(`${relative(root, archive)} of ${version}, ${commit}`);
  }
  rmSync(context, { recursive: true });
  rmSync(storage, { recursive: true });
  console.table(Object.fromEntries(rows.map(({ image, ...row }) => [image, row])));
}

try {
  const flags = process.argv.slice(2).some((word) => word === '--help' || word === '-h') ? null : readFlags();
  if (flags === null) process.stdout.write(HELP);
  else await makeImages(flags);
} catch (error) {
  if (!(error instanceof ImageError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
