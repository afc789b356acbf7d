// No imports: a program loads this file first, even under a Node.js too old for the rest.

/** The oldest Node.js that can import WebAssembly modules, which database migrations need. */
const REQUIRED = [22, 19] as const;

/**
 * Checks the version of Node.js.
 *
 * @param version `process.versions.node`.
 * @returns null when the version is new enough; else one line that names both versions and what to do.
 */
export function nodeVersionProblem(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [requiredMajor, requiredMinor] = REQUIRED;
  if (major > requiredMajor || (major === requiredMajor && minor >= requiredMinor)) return null;
  return `@causeway/stack needs Node.js ${REQUIRED.join('.')} or newer, and this is ${version}. Install it from https://nodejs.org`;
}
