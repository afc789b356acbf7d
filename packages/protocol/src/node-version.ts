// No imports: an entry point loads this file before everything else, also under a Node.js too old for the rest.

/** The oldest major version of Node.js that the services run on. */
const REQUIRED_MAJOR = 24;

/**
 * Checks the version of Node.js that runs the process.
 *
 * @param version `process.versions.node`; a leading `v` is allowed.
 * @returns null when the version is new enough; else one line that names both versions and what to do.
 */
export function nodeVersionProblem(version: string): string | null {
  const major = /^v?(\d+)\./.exec(version)?.[1];
  if (major !== undefined && BigInt(major) >= BigInt(REQUIRED_MAJOR)) return null;
  return `Node.js ${REQUIRED_MAJOR} or newer is required, but this is ${version}. Install it from https://nodejs.org, or start with: npx pnpm@12.21.0 exec node`;
}
