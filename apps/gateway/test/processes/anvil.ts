import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// A process of its own around anvil: ends with whoever started it, and takes anvil along. Arguments are anvil's.
const require = createRequire(import.meta.url);
const extension = process.platform === 'win32' ? '.exe' : '';
const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
const home = createRequire(require.resolve('@foundry-rs/anvil/package.json'));
const folder = dirname(home.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/package.json`));

const anvil = spawn(join(folder, 'bin', `anvil${extension}`), process.argv.slice(2), { stdio: 'ignore' });
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
// Whoever started it may have ended meanwhile.
if (!process.connected) end();
