import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** The version and the commit of a running program, for `--version`, logs and metrics. */
export interface Release {
  readonly version: string;
  /** The built commit; `development` outside an image. */
  readonly commit: string;
}

const DEVELOPMENT = { version: '0.0.0', commit: 'development' } as const;
const releaseFile = z.object({ version: z.string(), commit: z.string() });
const manifestFile = z.object({ version: z.string().default(DEVELOPMENT.version) });

/**
 * Reads the release of the running program: from `release.json` beside its bundle, which the image build writes, or
 * from the package version.
 *
 * @param directory of the bundle.
 * @throws ZodError when the file has another form.
 */
export function readRelease(directory = import.meta.dirname): Release {
  const release = join(directory, 'release.json');
  if (existsSync(release)) return releaseFile.parse(readJson(release));
  const manifest = ['..', '../..'].map((up) => join(directory, up, 'package.json')).find((path) => existsSync(path));
  if (manifest === undefined) return DEVELOPMENT;
  return { ...DEVELOPMENT, version: manifestFile.parse(readJson(manifest)).version };
}

/** The line of `--version`, with the commit of an image. */
export function describeRelease(program: string, { version, commit }: Release = readRelease()): string {
  return `${program} ${version}${commit === DEVELOPMENT.commit ? '' : ` (${commit})`}`;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
