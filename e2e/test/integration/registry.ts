import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** The SDK and its dependencies of this repository. */
export const PACKAGES = ['@causeway/contracts', '@causeway/protocol', '@causeway/sdk'];
const WORKSPACE = new URL('../../../scripts/tools/release/workspace.mjs', import.meta.url).href;

interface WorkspacePackage {
  readonly name: string;
}
interface PackedPackage extends WorkspacePackage {
  readonly version: string;
  readonly tarball: string;
}
/** The functions with which a release packs. */
interface ReleaseWorkspace {
  readonly findPackages: () => WorkspacePackage[];
  readonly stagePackages: (packages: readonly WorkspacePackage[], folder: string) => void;
  readonly packPackages: (packages: readonly WorkspacePackage[], stage: string, folder: string) => PackedPackage[];
}

/** An npm registry with packages of this repository, packed as for a release. */
export interface Registry {
  /** URL of the registry, for the scope `@causeway` only. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Packs packages with their dependencies, and serves them. The caller deletes the folder. */
export async function startRegistry(folder: string, names: readonly string[]): Promise<Registry> {
  const { findPackages, stagePackages, packPackages } = (await import(WORKSPACE)) as ReleaseWorkspace;
  const packages = findPackages().filter(({ name }) => names.includes(name));
  const stage = join(folder, 'workspace');
  stagePackages(packages, stage);
  const packed = packPackages(packages, stage, folder);

  const server = createServer((request, response) => {
    void (async () => {
      const path = decodeURIComponent(request.url ?? '').slice(1);
      const named = packed.find(({ name }) => name === path);
      const filed = packed.find(({ tarball }) => basename(tarball) === path);
      if (named !== undefined) response.end(JSON.stringify(await describePackage(named, request.headers.host ?? '')));
      else if (filed !== undefined) response.end(await readFile(filed.tarball));
      else response.writeHead(404).end('{}');
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Builds the registry document of a package. */
async function describePackage({ name, version, tarball }: PackedPackage, host: string): Promise<object> {
  const { stdout } = await run('tar', ['-xOf', tarball, 'package/package.json']);
  const integrity = `sha512-${createHash('sha512')
    .update(await readFile(tarball))
    .digest('base64')}`;
  const dist = { tarball: `http://${host}/${basename(tarball)}`, integrity };
  return {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...(JSON.parse(stdout) as object), dist } },
  };
}
