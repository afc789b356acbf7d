import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { THIS_RELEASE, type Release } from './bridge-services.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const BUILD = join(ROOT, 'deploy/images/main.mjs');
const UNPACKED = join(ROOT, '.images/unpacked');
const SERVICES = ['api', 'gateway', 'relayer'] as const;
const BUILDERS = ['/usr/bin/buildah', '/usr/bin/mmdebstrap'];

/** The images of this build, as `buildImages` leaves them. */
export const THIS_RELEASE_IN_IMAGES: Release = {
  ...THIS_RELEASE,
  images: { api: join(UNPACKED, 'api'), gateway: join(UNPACKED, 'gateway'), relayer: join(UNPACKED, 'relayer') },
};

/** Whether this machine has the programs to build and run images, and this process is root. */
export function canRunImages(): boolean {
  return process.getuid?.() === 0 && BUILDERS.every((path) => existsSync(path));
}

/**
 * Builds the images of the services, and unpacks them. Prints its progress.
 *
 * @throws Error when the build fails, after its output.
 */
export async function buildImages(): Promise<void> {
  const build = spawn(process.execPath, [BUILD, ...SERVICES, '--unpack', UNPACKED], { stdio: 'inherit' });
  const [code] = (await once(build, 'close')) as [number | null];
  if (code !== 0) throw new Error('The images were not built; see above. --bundles runs the services without images.');
}
