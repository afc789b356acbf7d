import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

// Wrapper process of anvil: ends anvil when the parent process ends, even after SIGKILL. Arguments are anvil's.
const require = createRequire(import.meta.url);
const extension = process.platform === 'win32' ? '.exe' : '';
const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
const packageRequire = createRequire(require.resolve('@foundry-rs/anvil/package.json'));
const binaryPackage = `@foundry-rs/anvil-${process.platform}-${architecture}/package.json`;
const binary = join(dirname(packageRequire.resolve(binaryPackage)), 'bin', `anvil${extension}`);

// anvil stores old states here, by default below HOME.
const states = mkdtempSync(join(tmpdir(), 'causeway-anvil-'));
process.once('exit', () => rmSync(states, { recursive: true, force: true }));
const anvil = spawn(binary, [...process.argv.slice(2), '--cache-path', states], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
anvil.once('error', (error) => {
  process.stderr.write(`anvil did not start: ${error.message}\n`);
  process.exit(1);
});
anvil.once('exit', (code) => process.exit(code ?? 1));
const end = () => {
  anvil.kill('SIGKILL');
};
process.once('disconnect', end);
process.once('SIGTERM', end);
// The parent can have ended before the handler was set.
if (!process.connected) end();
