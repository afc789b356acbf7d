import { fileURLToPath } from 'node:url';

const RUN = fileURLToPath(new URL('../../../../deploy/images/run.sh', import.meta.url));
const MAIN = '/opt/causeway/dist/bundle/main.js';

/** The path inside an image of a file or folder of this machine. */
export function placeInImage(path: string): string {
  return `/run/causeway${path}`;
}

/**
 * Returns how to start a service in its unpacked image: in a mount namespace with a read-only root.
 *
 * @param variables a value that is a path gets mounted, and becomes its path inside the image.
 * @param files further files to mount.
 */
export function runInImage(image: string, variables: Readonly<Record<string, string>>, files: readonly string[]) {
  const paths = [...Object.values(variables).filter((value) => value.startsWith('/')), ...files];
  const mounts = [...new Set(paths)].map((path) => `${path}:${placeInImage(path)}`);
  const env = Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, value.startsWith('/') ? placeInImage(value) : value]),
  );
  return { module: '/bin/sh', args: [RUN, image, ...mounts, '--', MAIN], env };
}
