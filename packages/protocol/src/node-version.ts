// No imports: an entry point loads this file first, also under a Node.js that is too old for the other files.

/** The oldest major version of Node.js that the services run on. */
const REQUIRED_MAJOR = 24;

/**
 * Checks the Node.js version of the process.
 *
 * @param version `process.versions.node`; a leading `v` is allowed.
 * @returns null if the version is supported; otherwise one line with both versions and the remedy.
 */
export function nodeVersionProblem(version: string): string | null {
  const major = /^v?(\d+)\./.exec(version)?.[1];
  if (major !== undefined && BigInt(major) >= BigInt(REQUIRED_MAJOR)) return null;
  return `Node.js ${REQUIRED_MAJOR} or newer is required, but this is ${version}. Install it from https://nodejs.org, or start with: npx pnpm@12.21.0 exec node`;
}
