import { fileURLToPath } from 'node:url';

const RUN = fileURLToPath(new URL('../../../../deploy/images/run.sh', import.meta.url));
const MAIN = '/opt/causeway/dist/bundle/main.js';

/** The path within an image of a file or folder of this machine. */
export function placeInImage(path: string): string {
  return `/run/causeway${path}`;
}

/**
 * How a service starts in its unpacked image: in a mount namespace with its root read-only.
 *
 * @param variables those whose value is a path get the file or folder mounted, and its path within the image.
 * @param files that are mounted, too.
 */
export function runInImage(image: string, variables: Readonly<Record<string, string>>, files: readonly string[]) {
  const paths = [...Object.values(variables).filter((value) => value.startsWith('/')), ...files];
  const mounts = [...new Set(paths)].map((path) => `${path}:${placeInImage(path)}`);
  const env = Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, value.startsWith('/') ? placeInImage(value) : value]),
  );
  return { module: '/bin/sh', args: [RUN, image, ...mounts, '--', MAIN], env };
}
