import { readFileSync } from 'node:fs';

/**
 * Stops with a clear message if a script does not run under the pinned Node: after a failed install pnpm only warns,
 * and would continue under the system's Node. Also stops on Windows.
 */
if (process.platform === 'win32') {
  console.error('Causeway runs on Linux and macOS. On Windows, run it in WSL: https://learn.microsoft.com/windows/wsl');
  process.exit(1);
}
const workspace = readFileSync(new URL('../pnpm-workspace.yaml', import.meta.url), 'utf8');
const pinned = /^nodeVersion: (\S+)$/m.exec(workspace)?.[1];
if (process.versions.node !== pinned) {
  console.error(
    `Causeway needs Node ${pinned}, which its install provides, but this is Node ${process.versions.node}.\n` +
      'The install did not complete: run `npx pnpm@12.21.0 install` and read its last lines.',
  );
  process.exit(1);
}
